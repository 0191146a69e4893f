"""Which machines run over a unit, in which order. A new machine is added here and nowhere else."""

from transforms.timers.batch_lifetimes import BatchLifetimes
from transforms.timers.cancelled_requests import CancelledRequests
from transforms.timers.config_dumps import ConfigDumps
from transforms.timers.machine import Machine


def unit_machines() -> list[Machine]:
    """Fresh machines for one unit."""
    return [BatchLifetimes(), CancelledRequests(), ConfigDumps()]
