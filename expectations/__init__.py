"""Table contracts and the suites made from them. Importing the package fills TABLES."""

from expectations import bronze as bronze
from expectations import gold as gold
from expectations import silver as silver
from expectations.contract import TABLES, TableContract

__all__ = ["TABLES", "TableContract"]
