"""All rules. Importing this module registers every rule module; a new module is added to its imports."""

from transforms.rules import kip572, kip580, kip91, kip91_config, kip91_requests, timeouts
from transforms.rules.rule import RULES

__all__ = ["RULES", "kip572", "kip580", "kip91", "kip91_config", "kip91_requests", "timeouts"]
