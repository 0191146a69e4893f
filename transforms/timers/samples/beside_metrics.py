"""What samples of a process's producers and stream threads tell beside its rebuilt batches, timers and skipped tasks.

Only by the process's own clock (`series`). Source: Kafka clients, SenderMetricsRegistry; Sender records a
batch's time since creation at each drain (`record-queue-time`), a response's at its arrival (`request-latency`); Kafka
Streams, ThreadMetrics and TaskMetrics (`process-total`).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import ceil

from transforms.parse.metrics.samples import PROCESS
from transforms.timers.batches.ends import BatchEnd
from transforms.timers.episodes import BatchLifetime, Episode, TaskTimer
from transforms.timers.samples.producer_counts import METRICS, ProducerCount
from transforms.timers.samples.readings import Count, at_time, highest, sample_text
from transforms.timers.samples.series import Samples, Series
from transforms.timers.streams.skipped_tasks import SkippedTask

NS_PER_MS = 1_000_000


def observed(episodes: Iterable[Episode], samples: Samples) -> Iterator[Episode]:
    """The episodes of one process, over or as they stand at the end of the data, with what its samples tell of them."""
    beside = _Beside(samples) if samples else None
    for episode in episodes:
        if beside is not None:
            beside.fill(episode)
        yield episode


@dataclass(frozen=True, slots=True)
class _Beside:
    samples: Samples

    def fill(self, episode: Episode) -> None:
        if isinstance(episode, BatchLifetime):
            self._batch(episode)
        elif isinstance(episode, BatchEnd):
            self._batch_end(episode)
        elif isinstance(episode, ProducerCount):
            self._count(episode)
        elif isinstance(episode, TaskTimer):
            self._timer(episode)
        elif isinstance(episode, SkippedTask):
            self._skipped(episode)

    def _counted(self, series: Series) -> Count:
        """Made once for all that ask."""
        key = series.mbean, series.attribute
        found: Count | None = self.samples.counts.get(key)
        if found is None:
            found = self.samples.counts[key] = Count(series)
        return found

    # Producers -------------------------------------------------------------------------------------

    def _of_producer(self, client_id: str | None, attribute: str) -> Series | None:
        return _own_clock(self.samples.of(client_id, METRICS, attribute))

    def _batch(self, row: BatchLifetime) -> None:
        if row.ended_at is None:
            return
        begin = (
            row.created_at if row.created_at is not None else row.ended_at - (row.delivery_timeout_ms or 0)
        )
        span = begin, row.ended_at
        row.queued_at_most_ms = self._highest_ms(row, "record-queue-time-max", *span)
        row.answered_within_ms = self._highest_ms(row, "request-latency-max", *span)
        row.throttled_at_most_ms = self._highest_ms(row, "produce-throttle-time-max", *span)
        in_flight = at_time(self._of_producer(row.client_id, "requests-in-flight"), row.ended_at)
        row.requests_in_flight = None if in_flight is None else round(in_flight)
        waits = self._of_producer(row.client_id, "bufferpool-wait-time-ns-total")
        waited = None if waits is None else self._counted(waits).seen(*span)
        if waited is not None and waited.at_most is not None:
            row.buffer_wait_ms = waited.at_most // NS_PER_MS

    def _highest_ms(self, row: BatchLifetime, attribute: str, since: int, until: int) -> int | None:
        found = highest(self._of_producer(row.client_id, attribute), since, until)
        return None if found is None else ceil(found[0])

    def _batch_end(self, end: BatchEnd) -> None:
        """It was drained once more after its last retry's line, and at each drain its age goes into the maximum."""
        if end.ended_at is None or end.last_failed_at is None:
            return
        series = self._of_producer(end.client_id, "record-queue-time-max")
        queued = highest(series, end.last_failed_at, end.ended_at)
        if queued is not None:
            end.aged_at_most_ms = ceil(queued[0]) + end.ended_at - end.last_failed_at
            end.age_sample = queued[1]

    def _count(self, found: ProducerCount) -> None:
        series = self._of_producer(found.client_id, found.attribute)
        if series is None:
            return
        count = self._counted(series)
        if found.logged_at is not None:
            place = count.after(found.logged_at)
            value = None if place is None else series.values[place]
            starts = _own_clock(self.samples.of(found.client_id, "app-info", "start-time-ms"))
            if place is None or value is None:
                return
            found.counted, found.samples = round(value), (sample_text(series, place),)
            began = {at for at in starts.values if at is not None} if starts is not None else set()
            found.has_started_before = None if len(began) != 1 else began.pop() <= found.logged_at
            return
        is_spanned = found.first_at <= series.times[0] and series.times[-1] + series.grain_ms <= found.last_at
        first = next(count.steps(), None)
        if first is not None:
            found.log_spans_samples = is_spanned
            found.unsaid = sum(round(risen) for _, _, risen in count.steps())
            found.risen_at = first[1]
            found.samples = tuple(sample_text(series, series.times.index(at)) for at in first[:2])

    # Streams ---------------------------------------------------------------------------------------

    def _timer(self, timer: TaskTimer) -> None:
        until = timer.ended_at if timer.ended_at is not None else timer.last_attempt_at
        if timer.started_at is None or until is None:
            return
        own = _own_clock(self.samples.of_task(timer.thread, timer.task_id, "process-total"))
        thread = _own_clock(self.samples.of_thread(timer.thread, "process-total"))
        # At the default metrics.recording.level a task's count stands at zero whatever it does.
        if own is not None and any(own.values):
            timer.processed = self._counted(own).within(timer.started_at, until)
        if thread is not None:
            timer.thread_processed = self._counted(thread).within(timer.started_at, until)

    def _skipped(self, skipped: SkippedTask) -> None:
        thread = _own_clock(self.samples.of_thread(skipped.thread, "process-total"))
        if skipped.progressed or thread is None or skipped.started_at is None:
            return
        until = skipped.ended_at if skipped.ended_at is not None else thread.times[-1]
        rise = self._counted(thread).rise(skipped.started_at, until)
        skipped.progressed = rise is not None and rise.at_least > 0


def _own_clock(series: Series | None) -> Series | None:
    return series if series is not None and series.clock == PROCESS and series.times else None
