"""The only reader of the dashboard. `base` reads tables; a module here per group of pages says what they ask."""

from dashboards.queries.base import Answer, LakeReader, Row
from dashboards.queries.sql import Where

__all__ = ["Answer", "LakeReader", "Row", "Where"]
