"""What files hold, as far as it tells who they are (transforms.plans.identity.Contents)."""

from dataclasses import dataclass

from conf.names import unit_names
from conf.settings import Conf
from jobs.inputs.places import open_input
from transforms.parse.records.streams import open_source

BLOCK = 1 << 20
HEAD_BYTES = 64 << 10


@dataclass(frozen=True, slots=True)
class Files:
    """Looks into files. conf: says what some of them are called."""

    conf: Conf

    def names_of(self, path: str) -> tuple[str, str]:
        """See Contents."""
        return unit_names(path, self.conf.hint_for(path))

    def head_of(self, path: str) -> bytes | None:
        """See Contents."""
        try:
            with open_input(path) as file:
                return open_source(file).read(HEAD_BYTES)
        except OSError:
            return None

    def continues(self, path: str, other: str) -> bool:
        """See Contents."""
        try:
            with open_input(path) as one, open_input(other) as two:
                sources = open_source(one), open_source(two)
                ours = theirs = b""
                while (ours := ours or sources[0].read(BLOCK)) and (
                    theirs := theirs or sources[1].read(BLOCK)
                ):
                    shorter = min(len(ours), len(theirs))
                    if ours[:shorter] != theirs[:shorter]:
                        return False
                    ours, theirs = ours[shorter:], theirs[shorter:]
        except OSError:  # one is gone: the other bears the name
            return True
        return True

    def length_of(self, path: str) -> int:
        """See Contents. Of a compressed file nothing but reading it tells; it is not looked at again."""
        length = 0
        try:
            with open_input(path) as file:
                source = open_source(file)
                while block := source.read(BLOCK):
                    length += len(block)
        except OSError:  # gone, or not to be read: there is nothing more in it
            return length
        return length
