"""All rules. Importing this module registers every rule module; a new module is added to its imports."""

from transforms.rules import (
    heartbeats,
    kip62,
    kip62_coordinator,
    kip91,
    kip91_config,
    kip91_counts,
    kip91_requests,
    kip572,
    kip580,
    kip580_config,
    kip580_counts,
    kip580_fleet,
    kip580_jitter,
    kip580_paths,
    kip580_rdkafka,
    kip848,
    timeouts,
)
from transforms.rules.rule import RULES

__all__ = [
    "RULES",
    "heartbeats",
    "kip62",
    "kip62_coordinator",
    "kip91",
    "kip91_config",
    "kip91_counts",
    "kip91_requests",
    "kip572",
    "kip580",
    "kip580_config",
    "kip580_counts",
    "kip580_fleet",
    "kip580_jitter",
    "kip580_paths",
    "kip580_rdkafka",
    "kip848",
    "timeouts",
]
