"""What samples of stream threads tell beside task timers and skipped tasks."""

import pytest

from tests.timelines_samples import series
from transforms.parse.metrics.samples import COLLECTOR, PROCESS
from transforms.rules.kip572.loops import others_blocked
from transforms.timers.episodes import TaskTimer
from transforms.timers.samples.beside_metrics import observed
from transforms.timers.samples.series import Samples
from transforms.timers.streams.skipped_tasks import SkippedTask

THREAD = "app-StreamThread-1"
OF_THREAD = f"kafka.streams:type=stream-thread-metrics,thread-id={THREAD}"
OF_TASK = f"kafka.streams:type=stream-task-metrics,thread-id={THREAD},task-id=0_1"


def counts(mbean, values, clock=PROCESS):
    points = [(1_000 * second, float(value)) for second, value in enumerate(values)]
    return series(mbean, "process-total", points, clock=clock)


def timer(**more):
    return TaskTimer(
        unit_id="app", timer_id="t", task_id="0_1", thread=THREAD, started_at=2_500, ended_at=6_500, **more
    )


@pytest.mark.parametrize(
    ("task", "thread", "told"),
    [
        pytest.param([0, 0, 3, 3, 3, 3, 3, 3, 3], range(9), (0, 2), id="the task waits, its thread goes on"),
        pytest.param([0, 1, 2, 3, 4, 5, 6, 7, 8], range(9), (2, 2), id="the task itself was processed"),
        pytest.param([0] * 9, range(9), (None, 2), id="a count that DEBUG alone records says nothing"),
        pytest.param([1] * 3, range(3), (None, None), id="nobody looked while it ran"),
    ],
)
def test_a_timer_says_what_was_processed_while_it_ran(task, thread, told):
    samples = Samples([counts(OF_TASK, task), counts(OF_THREAD, thread)])
    (row,) = observed([timer()], samples)
    assert (row.processed, row.thread_processed) == told


@pytest.mark.parametrize(
    ("thread", "clock", "wanted"),
    [
        pytest.param([0, 0, 0, 0, 1, 2, 3, 4, 5], PROCESS, "conforms", id="others were processed"),
        pytest.param([4] * 9, PROCESS, "unjudged", id="nobody was: had they records?"),
        pytest.param([0, 0, 0, 0, 1, 2, 3, 4, 5], COLLECTOR, "unjudged", id="by another clock"),
    ],
)
def test_a_thread_that_goes_on_blocks_nobody(thread, clock, wanted):
    skipped = SkippedTask(
        unit_id="app", skip_id="s", task_id="0_1", thread=THREAD, started_at=2_500, ended_at=8_000, skips=2
    )
    (row,) = observed([skipped], Samples([counts(OF_THREAD, thread, clock)]))
    assert others_blocked(row).outcome == wanted
