"""What an error of a library says, fit to be shown."""

from transforms.diagnose.wording.render import shown
from transforms.errors import first_line
from transforms.parse.secrets.redact import redact

LONGEST_REASON = 200


def line_of(error: Exception, most: int = LONGEST_REASON, *, with_kind: bool = False) -> str:
    """In a line of at most so many characters, without secrets; with_kind: its kind first, else where it says nothing."""
    kind = type(error).__name__
    said = f"{kind}: {first_line(str(error)).strip()}" if with_kind else first_line(str(error), kind)
    return shown(redact(said))[:most]
