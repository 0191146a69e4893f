"""Errors a user can act on: each says what was met, where, and what to do."""


class KipwatchError(Exception):
    """Base of all errors that end a command; exit_code is what the shell gets."""

    exit_code = 1

    def __init__(self, what: str, *, where: str | None = None, todo: str | None = None) -> None:
        self.what, self.where, self.todo = what, where, todo
        super().__init__(self.sentence)

    @property
    def sentence(self) -> str:
        """`where: what; what to do`, in one line."""
        place = f"{self.where}: " if self.where else ""
        advice = f"; {self.todo}" if self.todo else ""
        return " ".join(f"{place}{self.what}{advice}".split())


def first_line(text: str, otherwise: str = "") -> str:
    """The first line that says something of what an error of a library prints."""
    return next((line for line in text.splitlines() if line.strip()), otherwise)


class BadInput(KipwatchError):  # noqa: N818 (reads as a sentence where it is raised)
    """The command line, a setting or a file given by the user can't be worked with."""

    exit_code = 2


class Away(KipwatchError):  # noqa: N818 (reads as a sentence where it is raised)
    """What is read from doesn't answer: brokers, an object store. The next try may find it."""

    exit_code = 2


class LakeBusy(BadInput):
    """Another writer holds the lake."""
