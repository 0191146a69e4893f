"""A state from a lake is data, whoever wrote it."""

import json
import pickle
import re
import time
import zlib
from collections import Counter, OrderedDict, defaultdict, deque
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import jobs
import transforms
from transforms.timers import state as codec
from transforms.timers.batches.chains import Chain
from transforms.timers.groups.membership_lines import MembershipSignal
from transforms.timers.machines import unit_machines
from transforms.timers.profile import Setting
from transforms.timers.state import FORMAT, ForeignStateError, LargeStateError, dump_state, load_state
from transforms.timers.unit import UnitFold

SETTING_SLOTS = "transforms.timers.profile", "Setting", [*Setting.__slots__]
SIGNAL = "transforms.timers.groups.membership_lines", "MembershipSignal", []
ROOT = ["s", 0, 0]


def packed(kinds: Any, *classes: Any, state: Any = ROOT, form: int = FORMAT) -> bytes:
    whole = {"format": form, "classes": classes, "kinds": kinds, "state": state}
    return zlib.compress(json.dumps(whole).encode())


def chain() -> Chain:
    return Chain("t", 0, first_sent_at=1, attempts_left=3, last_failed_at=1)


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


# Without the signs that a set is told by in what is written of a value.
TEXT = st.text(max_size=3).filter(lambda text: not set(text) & set("{}:"))
ATOM = st.one_of(st.none(), st.booleans(), st.integers(), TEXT, st.floats(allow_nan=False), st.just("a"))
KEY = st.recursive(
    ATOM | st.builds(Setting, st.just("name"), TEXT, st.just("logged")),
    lambda inner: st.lists(inner, max_size=3).map(tuple),
    max_leaves=4,
)
VALUE = st.recursive(
    KEY | st.sampled_from(MembershipSignal),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=4).map(lambda held: deque(held, maxlen=4)),
        st.dictionaries(KEY, inner, max_size=4),
        st.dictionaries(KEY, inner, max_size=4).map(OrderedDict),
        st.dictionaries(KEY, inner, max_size=4).map(lambda held: defaultdict(list, held)),
        st.sets(KEY, max_size=4),
        st.lists(inner, max_size=4).map(tuple),
    ),
    max_leaves=30,
)


@given(VALUE)
def test_any_value_is_the_same_again(value: Any) -> None:
    """Of the same types, too, and in the same order."""
    again = load_state(dump_state([value, [value]]))
    assert again == [value, [value]]
    # The order of a set is its own.
    assert re.sub(r"\{[^{}:]*\}", "", repr(again)) == re.sub(r"\{[^{}:]*\}", "", repr([value, [value]]))
    if type(value) in (list, dict, tuple):
        assert again[0] is again[1][0]


def test_fresh_machines() -> None:
    fold = load_state(dump_state(UnitFold()))
    assert [type(machine) for machine in fold.machines] == [type(machine) for machine in unit_machines()]


def test_numbers_that_are_equal_stay_what_they_are() -> None:
    again = load_state(dump_state([[True, True], [1, 1], [1.0, 1.0], [0.0, -0.0], [True, 1]]))
    assert repr(again) == "[[True, True], [1, 1], [1.0, 1.0], [0.0, -0.0], [True, 1]]"


def test_what_is_shared_stays_shared_whatever_holds_it() -> None:
    inner = ("a", ("b", chain()))
    outer = {"tuple": inner, "again": [inner, None], ("key", inner[1][0]): {"set": frozenset({("t", 1)})}}
    again = load_state(dump_state([outer, inner, outer["again"]]))
    assert again[1] is again[0]["tuple"] is again[2][0]
    assert again[2] is again[0]["again"]
    assert (again[1][1][1], again[0]["key", "b"]) == (inner[1][1], {"set": frozenset({("t", 1)})})


@pytest.mark.parametrize("most", [3, 4])
def test_more_objects_than_are_to_be_written(most: int) -> None:
    held = [[1], [2], (3,)]
    if most == len(held):
        with pytest.raises(LargeStateError):
            dump_state(held, most)
    else:
        assert load_state(dump_state(held, most)) == held


@pytest.mark.parametrize(
    "held",
    [b"bytes", 1j, print, Path(), object(), defaultdict(Chain), type, frozenset({Setting("a", "1", "b")})],
)
def test_what_is_no_plain_data_is_a_fault_of_the_machine(held: Any) -> None:
    with pytest.raises(TypeError):
        dump_state([held])


def kind(what: Any, of: Any, count: Any, *columns: Any) -> list[Any]:
    return [[what, of, count, list(columns)]]


FOREIGN = {
    "os.system": (kind("c", 0, 1), ("os", "system", [])),
    "a class of others": (kind("c", 0, 1), ("subprocess", "Popen", [])),
    "a function of ours": (kind("c", 0, 1), ("transforms.timers.unit", "fold_unit", [])),
    "what a module imports": (kind("c", 0, 1), ("transforms.timers.unit", "Samples", [])),
    "through a class": (kind("c", 0, 1), ("transforms.timers.unit", "UnitFold.mro", [])),
    "through a path": (kind("c", 0, 1), ("transforms.timers/../../x", "X", [])),
    "a module that is none": (kind("c", 0, 1), ("transforms.nothing", "X", [])),
    "an error": (kind("c", 0, 1), ("transforms.timers.state_kinds", "ForeignStateError", [])),
    "a protocol": (kind("c", 0, 1), ("transforms.timers.machine", "Machine", [])),
    "other slots": (kind("c", 0, 1, ["=", 1]), ("transforms.timers.profile", "Setting", ["name"])),
    "an object of an enumeration": (kind("c", 0, 1), SIGNAL),
    "a member of a class": (kind("e", 0, 1, ["=", "a"]), SETTING_SLOTS),
    "too few values": (kind("c", 0, 1, ["v", ["a"]]), SETTING_SLOTS),
    "too many values": (kind("c", 0, 1, ["v", [*"abcdefgh"]]), SETTING_SLOTS),
    "too few columns": (kind("c", 0, 2, ["=", "a"]), SETTING_SLOTS),
    "too many columns": (kind("c", 0, 2, *[["=", "a"]] * 8), SETTING_SLOTS),
    "a column that is too short": (kind("c", 0, 2, *[["=", "a"]] * 5, ["v", ["a"]]), SETTING_SLOTS),
    "a method replaced": (
        kind("c", 0, 1, ["=", 1], ["=", "step"], ["=", 1]),
        ("transforms.timers.batches.lifetimes", "BatchLifetimes", []),
    ),
    "no member": (kind("e", 0, 1, ["=", "no signal"]), SIGNAL),
    "a class that is not there": (kind("c", 7, 1),),
    "a factory that calls": (kind("d", "print", 1, ["=", 0], ["v", []], ["v", []]),),
    "an unknown kind": (kind("x", None, 1),),
    "a kind that is a list": (kind([1], None, 1),),
    "no kind": ([[]],),
    "no kinds": ({"a": 1},),
    "an object of JSON": (kind(1, None, 1, ["=", 1], ["v", [{"a": 1}]]),),
    "an object of JSON for all": (kind(1, None, 1, ["=", 1], ["=", {"a": 1}]),),
    "a list of JSON": (kind(1, None, 1, ["=", 1], ["v", [[1]]]),),
    "an unknown column": (kind(1, None, 1, ["=", 1], ["x", [1]]),),
    "keys that can't be": ([*kind(5, None, 1, ["=", 1], ["s", 1, 0], ["=", 1]), *kind(1, None, 1, ["=", 0], ["v", []])],),
    "a key without a value": (kind(5, None, 1, ["=", 1], ["=", 1], ["v", []]),),
    "what is not there": (kind(1, None, 1, ["=", 1], ["r", 0, [9]]),),
    "a run that ends too soon": (kind(1, None, 1, ["=", 2], ["s", 0, 0]),),
    "a run from before the first": (kind(1, None, 1, ["=", 1], ["s", 0, -1]),),
    "a kind that is not there": (kind(1, None, 1, ["=", 1], ["r", 9, [0]]),),
    "a tuple that holds itself": (kind(2, None, 1, ["=", 1], ["s", 0, 0]),),
    "tuples that hold each other": (kind(2, None, 2, ["=", 1], ["m", [[0, 1], [0, 0]]]),),
    "fewer than none": (kind(1, None, -1, ["=", 0], ["v", []]),),
    "no number": (kind(1, None, "1", ["=", 0], ["v", []]),),
    "lengths below none": (kind(1, None, 2, ["v", [2, -1]], ["v", [1]]),),
    "lengths that are none": (kind(1, None, 1, ["=", True], ["v", [1]]),),
    "more than a state has": (kind(1, None, 10**12, ["=", 0], ["v", []]),),
    "more in one than a state has": (kind(1, None, 1, ["=", 10**12], ["=", None]),),
    "more in many than a state has": (kind(1, None, 10**6, ["=", 10**9], ["=", None]),),
}  # fmt: skip


@pytest.mark.parametrize(("kinds", "classes"), [(one[0], one[1:]) for one in FOREIGN.values()], ids=FOREIGN)
def test_nothing_but_plain_data_is_made(kinds: Any, classes: Any) -> None:
    with pytest.raises(ForeignStateError):
        load_state(packed(kinds, *classes))


@pytest.mark.parametrize(
    "damaged",
    [
        b"",
        b"no state",
        zlib.compress(b""),
        dump_state(UnitFold())[:-40],
        packed([], state=["=", 1], form=FORMAT + 1),
        zlib.compress(b"[1]"),
        zlib.compress(b'{"format":2}'),
        zlib.compress(b"[" * 1_000_000),
        zlib.compress(b'{"format":2,"classes":[],"kinds":' + b"[1," * 200_000),
        packed([], state=["=", 1])[:-1] + b"x",
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
        load_state(packed([], state=["=", " " * (2 << 20)]))


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
