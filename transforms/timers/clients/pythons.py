"""Which of Python's clients said a sentence of both: such are typed as kafka-python's, from which aiokafka has them."""

from transforms.events import ClientEvent
from transforms.parse.catalogue.forms import PYTHONS_CLIENTS
from transforms.timers.bounded import make_room

BOTHS, AIOKAFKA = PYTHONS_CLIENTS
# Incarnations with a line that aiokafka alone writes.
Aiokafkas = dict[int, None]
MOST_KEPT = 512


def is_first_of_aiokafka(known: Aiokafkas, event: ClientEvent) -> bool:
    """Whether an event is the first that shows whose the sentences of its process are; it is noted."""
    if event.client_library != AIOKAFKA or event.incarnation in known:
        return False
    make_room(known, MOST_KEPT)
    known[event.incarnation] = None
    return True


def speaker_of(known: Aiokafkas, incarnation: int, library: str) -> str:
    """The library that said what was typed as library's."""
    return AIOKAFKA if library == BOTHS and incarnation in known else library
