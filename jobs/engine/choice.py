"""Which engine a plan gets: told once, from counted bytes, when the plan is made."""

from typing import TYPE_CHECKING, Any

from conf.settings import SparkConf
from jobs.engine.engine import HERE, Engine
from jobs.progress import Progress

if TYPE_CHECKING:
    from jobs.engine.session import SparkSession


class Engines:
    """The engines of a command. Spark is started when a plan first needs it, and kept."""

    def __init__(self, conf: SparkConf, progress: Progress) -> None:
        self._conf, self._progress = conf, progress
        self._session: SparkSession | None = None

    def session(self) -> "SparkSession":
        """Spark's session, which topics are read by, and streams driven.

        Raises: BadInput where no Java of version 17 or later is found; KipwatchError where Spark doesn't start.
        """
        if self._session is None:
            from jobs.engine.session import start

            self._session = start(self._conf, self._progress)
        return self._session

    def sql(self, text: str) -> list[Any]:
        """The rows of a statement of Spark's SQL."""
        return self.session().sql(text).collect()

    def is_classic(self) -> bool:
        """Whether the session has a context and a JVM of its own; Spark Connect's has not.

        Raises: as session; ImportError where Spark is not installed.
        """
        from jobs.engine.session import is_classic

        return is_classic(self.session())

    @property
    def is_elsewhere(self) -> bool:
        """Whether tasks of Spark may run where this machine's disk is not seen.

        Raises: as session.
        """
        from jobs.engine.session import is_elsewhere

        return is_elsewhere(self.session())

    def of(self, size: int) -> Engine:
        """For so many bytes of input."""
        if self._conf.from_bytes is None or size < self._conf.from_bytes:
            return HERE
        from jobs.engine.spark import SparkEngine

        return SparkEngine(self.session())
