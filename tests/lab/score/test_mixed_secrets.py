"""A recording with every shape of secret among its lines tells what it told without them, and holds none."""

import pytest

from lab.corpus import recordings
from lab.score.secrets import CANARY, WAYS, differences, shapes, told


@pytest.fixture(scope="module")
def recording():
    (one,) = recordings("p572-task-expire-35")
    return one


@pytest.fixture(scope="module")
def before(recording):
    return told(recording, None)


@pytest.mark.parametrize("way", WAYS)
def test_a_recording_scores_as_before_and_no_canary_is_left(recording, before, way):
    after = told(recording, way)
    assert after.planted > len(shapes()) / 2
    assert after.left == []
    assert differences(before.score, after.score) == []
    assert before.score.facts


def test_every_shape_is_planted():
    assert all(CANARY.search(shape) for shape in shapes())
    assert len(shapes()) > 600
