"""A state from a lake is data, whoever wrote it."""

import json
import pickle
import time
import zlib
from collections import Counter, OrderedDict, defaultdict, deque
from pathlib import Path
from typing import Any

import pytest

import jobs
import transforms
from transforms.timers import state as codec
from transforms.timers.batches.chains import Chain
from transforms.timers.groups.membership_lines import MembershipSignal
from transforms.timers.machines import unit_machines
from transforms.timers.profile import Setting
from transforms.timers.state import FORMAT, ForeignStateError, dump_state, load_state
from transforms.timers.unit import UnitFold

SETTING = "transforms.timers.profile", "Setting", ["name", "value", "origin", "event_id", "until_at"]


def packed(state: Any, *classes: Any, form: int = FORMAT) -> bytes:
    return zlib.compress(json.dumps({"format": form, "classes": classes, "state": state}).encode())


def chain() -> Chain:
    return Chain(
        "t", 0, first_failed_at=1, first_sent_at=1, sent_is_known=True, attempts_left=3, last_failed_at=1
    )


def test_what_is_one_object_stays_one() -> None:
    one = chain()
    kept, again = load_state(dump_state({"list": [one], "queue": deque([one], maxlen=7)})).values()
    assert kept[0] is again[0]
    assert again.maxlen == 7


def test_what_holds_itself() -> None:
    held: dict[str, Any] = {"list": []}
    held["list"].append(held)
    again = load_state(dump_state(held))
    assert again["list"][0] is again


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        0,
        -(10**30),
        1.5,
        float("inf"),
        "",
        "\ud800 \x00 \u2028",
        (1, ("a", None)),
        {1: "a", None: "b", ("t", 0): 2.5},
        {1, 2},
        frozenset({"a"}),
        deque([1]),
        defaultdict(list, {"a": [1]}),
        Counter("aab"),
        OrderedDict(b=1, a=2),
        MembershipSignal.FENCED,
        Setting("a", "1", "logged"),
        {Setting("a", "1", "logged"): {MembershipSignal.FENCED: ()}},
    ],
)
def test_a_value_is_the_same_again(value: Any) -> None:
    again = load_state(dump_state(value))
    assert (again, type(again)) == (value, type(value))
    assert getattr(again, "default_factory", None) is getattr(value, "default_factory", None)


def test_fresh_machines() -> None:
    fold = load_state(dump_state(UnitFold()))
    assert [type(machine) for machine in fold.machines] == [type(machine) for machine in unit_machines()]


@pytest.mark.parametrize("held", [b"bytes", 1j, print, Path(), object(), defaultdict(Chain), type])
def test_what_is_no_plain_data_is_a_fault_of_the_machine(held: Any) -> None:
    with pytest.raises(TypeError):
        dump_state([held])


FOREIGN = {
    "os.system": (["c", 0], ("os", "system", [])),
    "a class of others": (["c", 0], ("subprocess", "Popen", [])),
    "a function of ours": (["c", 0], ("transforms.timers.unit", "fold_unit", [])),
    "what a module imports": (["c", 0], ("transforms.timers.unit", "Samples", [])),
    "through a class": (["c", 0], ("transforms.timers.unit", "UnitFold.mro", [])),
    "through a path": (["c", 0], ("transforms.timers/../../x", "X", [])),
    "a module that is none": (["c", 0], ("transforms.nothing", "X", [])),
    "an error": (["c", 0], ("transforms.timers.state", "ForeignStateError", [])),
    "a protocol": (["c", 0], ("transforms.timers.machine", "Machine", [])),
    "other slots": (["c", 0, 1], ("transforms.timers.profile", "Setting", ["name"])),
    "too few values": (["c", 0, "a"], SETTING),
    "too many values": (["c", 0, *"abcdefgh"], SETTING),
    "a method replaced": (["a", 0, [], ["step", 1]], ("transforms.timers.batches.lifetimes", "BatchLifetimes", [])),
    "no member": (["e", 0, "no signal"], ("transforms.timers.groups.membership_lines", "MembershipSignal", [])),
    "a class that is not there": (["c", 7],),
    "a factory that calls": (["d", "print"],),
    "an unknown kind": (["x", 1],),
    "a kind that is a list": ([[1], 1],),
    "no kind": ([],),
    "an object of JSON": ({"a": 1},),
    "keys that can't be": ([5, [1], 1],),
    "a key without a value": ([5, 1],),
    "what was not met": ([1, [0, 9]],),
    "a tuple that holds itself": ([2, [0, 0]],),
}  # fmt: skip


@pytest.mark.parametrize(("state", "classes"), [(one[0], one[1:]) for one in FOREIGN.values()], ids=FOREIGN)
def test_nothing_but_plain_data_is_made(state: Any, classes: Any) -> None:
    with pytest.raises(ForeignStateError):
        load_state(packed(state, *classes))


@pytest.mark.parametrize(
    "damaged",
    [
        b"",
        b"no state",
        zlib.compress(b""),
        dump_state(UnitFold())[:-40],
        packed(1, form=FORMAT + 1),
        zlib.compress(b"[1]"),
        zlib.compress(b'{"format":1}'),
        zlib.compress(b"[" * 1_000_000),
        zlib.compress(b'{"format":1,"classes":[],"state":' + b"[1," * 200_000),
        packed(1)[:-1] + b"x",
    ],
)
def test_damage_is_told(damaged: bytes) -> None:
    with pytest.raises(ForeignStateError):
        load_state(damaged)


def test_what_an_earlier_release_pickled_is_not_read() -> None:
    with pytest.raises(ForeignStateError):
        load_state(zlib.compress(pickle.dumps([1], protocol=5)))


def test_a_few_bytes_do_not_take_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codec, "MOST_BYTES", 1 << 20)
    with pytest.raises(ForeignStateError, match="more than"):
        load_state(packed(" " * (2 << 20)))


def test_every_part_of_a_state_damaged_is_told_or_harmless() -> None:
    """Of 400 states with a piece replaced each loads as plain data or is refused, in no time."""
    whole = zlib.decompress(dump_state(UnitFold()))
    began = time.process_time()
    for place in range(0, len(whole), max(1, len(whole) // 400)):
        for piece in (b"[", b"9", b'"', b"null"):
            try:
                load_state(zlib.compress(whole[:place] + piece + whole[place + 1 :]))
            except ForeignStateError:
                continue
    assert time.process_time() - began < 60


# It reads what processes of its own write into pipes that nobody else has.
OF_OWN_PROCESSES = "jobs/explain/helpers.py"


def test_no_module_reads_pickles() -> None:
    for package in (transforms, jobs):
        assert package.__file__
        for path in Path(package.__file__).parent.rglob("*.py"):
            if path.as_posix().endswith(OF_OWN_PROCESSES):
                continue
            text = path.read_text(encoding="utf-8")
            assert not any(
                name in text for name in ("import pickle", "from pickle", "marshal", "shelve", "dill")
            ), path
