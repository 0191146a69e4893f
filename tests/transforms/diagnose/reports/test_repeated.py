"""Lines that say the same again and again are told once."""

import pytest

from transforms.diagnose.reports.repeated import repeated
from transforms.diagnose.reports.report import ProvingLine


def line(said: str | None, number: int, source: str = "a.log") -> ProvingLine:
    return ProvingLine(f"{source}-{number}", number, "commit failed", source, number, said)


def runs(*said: tuple[str | None, str]) -> list[list[int]]:
    lines = [line(text, number, source) for number, (text, source) in enumerate(said)]
    return [[one.line for one in alike] for alike in repeated(lines)]


A, B = ("10:00:01 offset 7 refused", "a"), ("10:00:02 left", "b")


@pytest.mark.parametrize(
    ("said", "told"),
    [
        pytest.param([], [], id="none"),
        pytest.param([A, ("10:59:59 offset 12345 refused", "a"), A, A], [[0, 1, 2, 3]], id="but for numbers"),
        pytest.param([A, A, A], [[0], [1], [2]], id="few are told one by one"),
        pytest.param([A, ("left", "a"), A, A, A], [[0, 2, 3, 4], [1]], id="one thing in between"),
        pytest.param([A, ("left", "a")] * 4, [[0, 2, 4, 6], [1, 3, 5, 7]], id="two in turn"),
        pytest.param([A, ("left", "a"), A], [[0], [1], [2]], id="few in turn stay in their order"),
        pytest.param([A, B, A, B, A, B, A], [[0, 2, 4, 6], [1], [3], [5]], id="another log's in between"),
        pytest.param([A, A, A, A, *((word, "a") for word in "ABCD"), A], [[0, 1, 2, 3], [4], [5], [6], [7], [8]],
                     id="it comes back after other things"),
        pytest.param([(None, "a")] * 5, [[0], [1], [2], [3], [4]], id="not kept"),
    ],
)  # fmt: skip
def test_lines_that_say_the_same_are_one_run(said, told):
    assert runs(*said) == told
