"""What runs inside tasks: sorted rows of events in, rows of all rebuilt tables out, in batches (transforms.folding)."""

from collections.abc import Mapping

from expectations.rows import in_batches
from jobs.folds.states import content_of
from transforms.folding import Keeping, SettingsOf, folded_groups, folded_units
from transforms.tasks import Batches, BatchTask, Note, Put
from transforms.unit_states import Begin


def unit_fold(settings_of: SettingsOf, begins: Mapping[str, Begin], keeping: Keeping) -> BatchTask:
    """Each key is a unit: its timers, backoffs and batches, judged; its state, and its part in each of its groups."""

    def fold(batches: Batches) -> Put:
        notes: list[Note] = []
        yield from in_batches(folded_units(batches, settings_of, begins, keeping, content_of, notes))
        yield from notes

    return fold


def group_fold() -> BatchTask:
    """Each key is a group, each row a unit's part in it (or samples): its memberships and rebalances, judged.

    Notes the units of which a part can't be read: these are to be folded anew.
    """

    def fold(batches: Batches) -> Put:
        notes: list[Note] = []
        yield from in_batches(folded_groups(batches, notes))
        yield from notes

    return fold
