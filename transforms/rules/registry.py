"""All rules. Importing this module registers every rule module; a new module is added to its imports."""

from transforms.rules.rule import RULES

__all__ = ["RULES"]
