"""Whole numbers as lines print them: a line may print more digits than any client, table or machine holds."""

LARGEST = (1 << 63) - 1  # Java's Long.MAX_VALUE, which clients do print
LONGEST = len(str(LARGEST))
# The years 1 to 9999: instants that Python and every table hold.
YEARS_MS = (-62_135_596_800_000, 253_402_300_799_999)


def within_years(ms: int) -> int:
    """An instant that Python and every table hold: the nearest, of one beyond."""
    least, most = YEARS_MS
    return min(max(ms, least), most)


def is_whole(text: str) -> bool:
    """Whether it is a whole number and nothing else."""
    return text.isascii() and text.removeprefix("-").isdigit()


def whole_number(text: str) -> int:
    """The number that digits, with a sign or without, stand for; where no long holds it, the nearest that one does.

    Raises: ValueError where it is none.
    """
    if len(text) < LONGEST:
        return int(text)
    sign, digits = (-1, text[1:]) if text.startswith("-") else (1, text)
    digits = digits.lstrip("0") or "0"
    return sign * (min(int(digits), LARGEST) if len(digits) <= LONGEST else LARGEST)


def whole_or_none(text: str | None) -> int | None:
    """The number that a text stands for; None where it is none, or there is no text."""
    return whole_number(text) if text is not None and is_whole(text) else None
