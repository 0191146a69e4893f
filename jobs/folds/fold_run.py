"""What every step of folding works with."""

from dataclasses import dataclass, field

from expectations.place import LakePlace
from jobs.storage.lake import LakeWriter
from transforms.folding import Keeping, SettingsOf
from transforms.plans.plan import Plan


@dataclass(frozen=True, slots=True)
class FoldRun:
    """A plan whose events are brought in and folded. staging: for what tasks put aside meanwhile.

    faults: processes and groups that ended their fold, each with what it was; what stood of them stays.
    """

    lake: LakeWriter
    plan: Plan
    settings_of: SettingsOf
    keeping: Keeping
    staging: LakePlace
    faults: dict[str, str] = field(default_factory=dict)
