"""Spark's Python daemon with what tasks import already there: its workers are forks, and live for a minute without work."""

from pyspark import daemon

import jobs.folds.fold_input
import jobs.reading.topic_rows

__all__ = ["jobs"]

if __name__ == "__main__":
    daemon.manager()
