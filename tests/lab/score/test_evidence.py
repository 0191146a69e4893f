"""What metrics add, on the recordings: the page is current, nothing that they fill in is beyond a sampling interval."""

from lab.score.evidence import PAGE, measured, open_subjects, page, stories, with_metrics
from lab.score.samples import series_in


def test_the_page_is_what_the_recordings_say():
    assert PAGE.read_text(encoding="utf-8") == page(), "run `make score`"


def test_what_metrics_fill_in_is_within_a_sampling_interval():
    told = [one for recording in with_metrics() for one in measured(recording, stories(recording)[0])]
    assert len([one for one in told if one.off_ms is not None]) >= 25
    assert [one for one in told if one.off_ms is not None and not one.is_within] == []


def test_metrics_open_no_question_and_accuse_nobody():
    for recording in with_metrics():
        units = {one.unit_id for one in series_in(recording)}
        story, without = stories(recording)
        assert open_subjects(story, units) <= open_subjects(without, units), recording.name
        assert {one.finding_id for one in story.findings} == {one.finding_id for one in without.findings}
