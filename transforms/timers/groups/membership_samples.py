"""What samples tell of a membership beside its lines: its last poll, its longest gap between polls, its heartbeats.

Only samples by the process's own clock are held against times in its log (transforms.timers.samples.series). What the log
says itself stands; samples fill in what it does not say.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile
from math import ceil

from transforms.parse.metrics.samples import PROCESS
from transforms.timers.groups.membership import Membership, Sampled, SampledSilence
from transforms.timers.samples.readings import Count, Last, last_times, longest_gap_ms, peaks, value_at
from transforms.timers.samples.series import SECOND_MS, Samples, Series

CONSUMER, COORDINATOR = "consumer-metrics", "consumer-coordinator-metrics"
# A poll's first lines follow its start at once, but for a pause.
SAME_POLL_MS = 1_000
# Distinct heartbeats before one are looked for among so many: what one sample can't tell apart stands twice.
EARLIER = 4


def observe(member: Membership, samples: Samples) -> None:
    """Say what the samples of its process tell of a membership of which all lines were read."""
    if samples:
        _Watch(member, samples).observe()


class _Watch:
    """One membership against its client's series. back: when the client first showed again after its end."""

    def __init__(self, member: Membership, samples: Samples) -> None:
        self.member, self.samples, self.session = member, samples, member.session
        self.sampled = Sampled()
        ends = [at for at in (self.session.ended_at, member.over_by) if at is not None]
        self.end = min(ends, default=None)
        returned = [proof.at for proof in (member.next_poll, member.asked_again, member.rejoined) if proof]
        self.back = min(returned, default=member.over_by)

    def observe(self) -> None:
        polls = self._instants(CONSUMER, "last-poll-seconds-ago")
        beats = self._instants(COORDINATOR, "last-heartbeat-seconds-ago")
        if not polls and not beats:
            return
        self.member.sampled = self.sampled
        self._polls(polls)
        self._beats(beats)
        self._after_end(beats)

    def _series(self, mbean_type: str, attribute: str) -> Series | None:
        found = self.samples.of(self.member.client_id, mbean_type, attribute)
        return found if found is not None and found.clock == PROCESS else None

    def _instants(self, mbean_type: str, attribute: str) -> list[Last]:
        """Made once for all memberships of the process."""
        key = self.member.client_id, mbean_type, attribute
        if key not in self.samples.instants:
            self.samples.instants[key] = last_times(self._series(mbean_type, attribute))
        found: list[Last] = self.samples.instants[key]
        return found

    def _count(self, attribute: str) -> Count | None:
        """Made once, too."""
        series, key = self._series(COORDINATOR, attribute), (self.member.client_id, attribute)
        if series is not None and key not in self.samples.counts:
            self.samples.counts[key] = Count(series)
        found: Count | None = self.samples.counts.get(key)
        return found

    # While it was a member -------------------------------------------------------------------------

    def _polls(self, polls: list[Last]) -> None:
        session, sampled = self.session, self.sampled
        gap = self._longest_gap(polls)
        if self.member.poll_expired is not None:
            due_at = self.member.poll_expired.at - (self._setting("max.poll.interval.ms") or 0)
            near = _seen_from(polls, due_at)
            sampled.polls = list(takewhile(lambda one: one.latest <= (self.end or one.latest), near))
        sampled.last_poll = self._exact(self._last_before_end(polls))
        if session.last_poll_at is None and sampled.last_poll is not None:
            session.last_poll_at = sampled.last_poll.at
            self._fill("last_poll_at", sampled.last_poll.plus_minus_ms)
        if session.max_poll_gap_ms is None and gap is not None and gap[1] - gap[0] <= 2 * gap[2]:
            session.max_poll_gap_ms = round((gap[0] + gap[1]) / 2)
            self._fill("max_poll_gap_ms", ceil((gap[1] - gap[0]) / 2))

    def _last_before_end(self, instants: list[Last]) -> Last | None:
        end, joined = self.end, self.session.joined_at
        place = len(instants) if end is None else bisect_right(instants, end, key=lambda one: one.at)
        is_own = place > 0 and (joined is None or instants[place - 1].latest >= joined)
        return instants[place - 1] if is_own else None

    def _longest_gap(self, polls: list[Last]) -> tuple[float, float, int] | None:
        """Between which two the longest time from poll to poll lies; the next poll tells of one that ended it.

        The third is how far apart the samples are.
        """
        series, since = self._series(CONSUMER, "time-between-poll-max"), self.session.joined_at
        until = self.end if self.back is None else self.back
        if series is None or since is None:
            return None
        times = series.times
        first = bisect_left(times, since)
        last = len(times) if until is None else bisect_right(times, until)
        if last <= first:  # none between, or a clock that was set back
            return None
        # One that was new after the last sample before the end may be of a poll after it.
        new = [peak.value for peak in peaks(series, first + 1, last + 1)]
        highest = max([*new, *(value or 0.0 for value in series.values[first:last])])
        own = polls[
            bisect_left(polls, since, key=_seen_until) : bisect_right(polls, times[last - 1], key=_seen_until)
        ]
        waited = [float(one.ago_ms) for one in own if since <= one.earliest]
        apart_ms = longest_gap_ms(series, times[first], times[last - 1]) or 0
        looked_at_most = max(waited, default=0.0) + SECOND_MS + apart_ms + series.grain_ms
        at_least = max([*new, *waited], default=0.0)
        return at_least, max(at_least, min(highest, looked_at_most)), apart_ms

    def _exact(self, last: Last | None) -> Last | None:
        """To the ms, where a new longest gap ended with a poll that the log shows."""
        expired, polled = self.member.poll_expired, self.member.next_poll
        if last is None or expired is None or polled is None:
            return last
        series = self._series(CONSUMER, "time-between-poll-max")
        place = 0 if series is None else bisect_left(series.times, polled.at - SECOND_MS)
        for peak in peaks(series, max(place - 1, 0), place + 3):
            at = polled.at - round(peak.value)
            is_it = peak.after is not None and peak.after - SAME_POLL_MS <= polled.at <= peak.until
            if is_it and at < expired.at and last.earliest <= at <= last.latest:
                return replace(last, earliest=at, latest=at, also=(peak.sample,))
        return last

    def _beats(self, beats: list[Last]) -> None:
        member, session, sampled = self.member, self.session, self.sampled
        series, interval = (
            self._series(COORDINATOR, "last-heartbeat-seconds-ago"),
            self._setting("heartbeat.interval.ms"),
        )
        sampled.last_beat = self._last_before_end(beats)
        if session.last_heartbeat_at is None and sampled.last_beat and not member.sees_heartbeats:
            session.last_heartbeat_at = sampled.last_beat.at
            self._fill("last_heartbeat_at", sampled.last_beat.plus_minus_ms)
        if series is None or interval is None or session.joined_at is None:
            return
        until = self.end if self.end is not None else max(member.seen_at or 0, series.times[-1])
        first = bisect_left(beats, session.joined_at, key=_seen_until)
        last = bisect_right(beats, until, key=lambda one: one.latest)
        own = range(first, last)
        longest = max(own, key=lambda place: self._silent_ms(beats[place], until), default=None)
        if longest is not None and self._silent_ms(beats[longest], until) > 0:
            sampled.longest_silence = self._silence(beats, longest, until)
        sampled.undisturbed_ms = max((self._undisturbed_ms(beats[place], until) for place in own), default=0)
        gap_ms = longest_gap_ms(series, session.joined_at, until)
        sampled.beats_are_watched = gap_ms is not None and gap_ms <= interval

    def _silent_ms(self, beat: Last, until: int) -> int:
        """How long after a heartbeat there was surely no other, while the member was one."""
        return min(beat.seen_until, until) - max(beat.latest, self.session.joined_at or 0)

    def _undisturbed_ms(self, beat: Last, until: int) -> int:
        """Of the silence after a heartbeat the longest part outside of rebalances, by lines that tell of these."""
        begin, end = max(beat.latest, self.session.joined_at or 0), min(beat.seen_until, until)
        synced = [one.synced_at for one in self.member.rounds if one.synced_at is not None]
        if not synced:
            return end - begin
        parts = []
        for at in synced:
            over = min((one for one in self.member.rejoins if one > at), default=end)
            parts.append(min(over, end) - max(at, begin))
        return max(parts)

    def _silence(self, beats: list[Last], place: int, until: int) -> SampledSilence:
        beat = beats[place]
        begin, end = max(beat.latest, self.session.joined_at or 0), min(beat.seen_until, until)
        gap_ms = longest_gap_ms(beat.series, begin, end) or 0
        return SampledSilence(
            end - begin,
            end - begin - gap_ms,
            end,
            self._is_steady(begin, end),
            self._is_answered(beat, beats[max(place - EARLIER, 0) : place]),
            beat.samples,
        )

    def _is_answered(self, beat: Last, earlier: Sequence[Last]) -> bool:
        """Whether the answer that was counted after the heartbeat before was surely this one's.

        That one was longer ago, when it was last seen, than any answer takes: it had its own by then.
        """
        total = self._series(COORDINATOR, "heartbeat-total")
        slowest = self._series(COORDINATOR, "heartbeat-response-time-max")
        before = next((one for one in reversed(earlier) if one.latest < beat.earliest), None)
        if total is None or slowest is None or before is None:
            return False
        answer_ms = value_at(slowest, beat.seen_until)
        counts = value_at(total, before.seen_until), value_at(total, beat.seen_until)
        if answer_ms is None or counts[0] is None or counts[1] is None:
            return False
        return answer_ms < before.ago_ms and counts[1] > counts[0]

    def _is_steady(self, since: int, until: int) -> bool:
        """Whether all the while it was in a generation that stood, by lines that tell when it did not.

        After the last line nothing is known of that.
        """
        if self.end is None and until > (self.member.seen_at or 0):
            return False
        synced = [one.synced_at for one in self.member.rounds if one.synced_at is not None]
        last = max((at for at in synced if at <= since), default=None)
        return last is not None and not any(last < at <= until for at in self.member.disturbed)

    # After its end ---------------------------------------------------------------------------------

    def _after_end(self, beats: list[Last]) -> None:
        sampled, end, back = self.sampled, self.end, self.back
        if end is None:
            return
        commits = self._count("commit-total")
        sampled.commits_after_end = None if commits is None else commits.seen(end, back)
        expired = self.member.poll_expired
        if expired is None:
            return
        after = takewhile(lambda one: back is None or one.latest < back, _seen_from(beats, expired.at))
        first = next((one for one in after if (one.surely_after or 0) > expired.at), None)
        if first is not None and self._is_of_ended(first):
            sampled.beat_after_expiry = first
        series = self._series(COORDINATOR, "last-heartbeat-seconds-ago")
        interval = self._setting("heartbeat.interval.ms")
        if series is None or interval is None:
            return
        watched_until = back if back is not None else series.times[-1]
        sampled.is_silent_after_expiry = any(
            min(one.seen_until, watched_until) - one.latest >= interval
            and watched_until - one.seen_until <= interval
            for one in takewhile(lambda one: one.earliest <= expired.at, _seen_from(beats, expired.at))
        )

    def _is_of_ended(self, beat: Last) -> bool:
        """Whether the client was no member anew when it sent the heartbeat: by its lines, and by its own count."""
        rebalances = self._count("rebalance-total")
        expired = self.member.poll_expired
        if rebalances is None or expired is None or (self.back is not None and beat.latest >= self.back):
            return False
        rise = rebalances.rise(expired.at, beat.seen_at)
        return rise is not None and rise.at_most == 0

    def _setting(self, name: str) -> int | None:
        setting = None if self.member.profile is None else self.member.profile.whole(name)
        return None if setting is None else setting.ms

    def _fill(self, column: str, plus_minus_ms: int) -> None:
        self.session.from_metrics.append(column)
        self.session.plus_minus_ms = max(self.session.plus_minus_ms or 0, plus_minus_ms)


def _seen_from(instants: Sequence[Last], at: int) -> Iterator[Last]:
    """Those that a sample of then or later tells of."""
    return (instants[place] for place in range(bisect_left(instants, at, key=_seen_until), len(instants)))


def _seen_until(one: Last) -> int:
    return one.seen_until
