"""A process may have thousands of configurations open: what a line says of one of them is found without the others."""

import pytest

from tests.timelines_configs import producer_dump, timeline
from transforms.timers.clients.config_dumps import ClientConfig, ConfigDumps
from transforms.timers.profile import ClientProfile

MANY = 400


@pytest.mark.parametrize("has_forgotten", [True, False])
def test_no_line_looks_at_all_of_them(has_forgotten, monkeypatch):
    looked_at = 0
    is_building = ClientConfig.is_building

    def counted(config: ClientConfig) -> bool:
        nonlocal looked_at
        looked_at += 1
        return bool(is_building.__get__(config))

    monkeypatch.setattr(ClientConfig, "is_building", property(counted))
    machine = ConfigDumps(has_forgotten=has_forgotten)
    each = range(MANY)
    dumps = [producer_dump(client_id=f"p-{n}") for n in each]
    lines = [f"{what}:p-{n}" for n in each for what in ("version", "refused", "closed")]
    for event in timeline(*dumps, *lines, every_ms=1):
        assert not list(machine.step(event, ClientProfile(event.unit_id, None, None)))
    assert looked_at <= 4 * MANY
    assert len(list(machine.finish(None))) == MANY
    assert not any(
        (machine.pending, machine.of_client, machine.threaded, machine.threadless, machine.streams)
    )
