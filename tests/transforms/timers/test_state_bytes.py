"""A state from a lake is data, whoever wrote it."""

import os
import pickle
import zlib
from collections import deque

import pytest

from transforms.timers.batches.chains import Chain
from transforms.timers.machines import unit_machines
from transforms.timers.state import ForeignStateError, dump_state, load_state
from transforms.timers.unit import UnitFold, fold_unit


class Runs:
    """What a pickle can do: call anything."""

    def __init__(self, called: object, *given: object) -> None:
        self.called = (called, given)

    def __reduce__(self) -> object:
        return self.called


def test_what_is_one_object_stays_one() -> None:
    chain = Chain(
        "t", 0, first_failed_at=1, first_sent_at=1, sent_is_known=True, attempts_left=3, last_failed_at=1
    )
    kept, again = load_state(dump_state({"list": [chain], "queue": deque([chain], maxlen=7)})).values()
    assert kept[0] is again[0]
    assert again.maxlen == 7


def test_fresh_machines() -> None:
    fold = load_state(dump_state(UnitFold()))
    assert [type(machine) for machine in fold.machines] == [type(machine) for machine in unit_machines()]


@pytest.mark.parametrize(
    "evil",
    [
        Runs(os.system, "true"),
        Runs(eval, "1"),
        Runs(getattr, {}, "get"),
        Runs(fold_unit, (), None, None),
        Runs(Runs, print),
    ],
)
def test_nothing_but_plain_data_is_called(evil: Runs) -> None:
    with pytest.raises(ForeignStateError):
        load_state(dump_state([evil]))


def test_a_name_that_reaches_through_a_module() -> None:
    module, name = b"transforms.timers.unit", b"Samples.mro"
    texts = b"".join(pickle.SHORT_BINUNICODE + bytes([len(text)]) + text for text in (module, name))
    reaches = pickle.PROTO + b"\x04" + texts + pickle.STACK_GLOBAL + pickle.STOP
    assert pickle.loads(reaches)
    with pytest.raises(ForeignStateError):
        load_state(zlib.compress(reaches))


@pytest.mark.parametrize(
    "damaged", [b"", b"no state", zlib.compress(b""), zlib.compress(pickle.dumps([1])[:-1])]
)
def test_damage_is_told(damaged: bytes) -> None:
    with pytest.raises(ForeignStateError):
        load_state(damaged)
