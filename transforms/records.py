"""One log record, as the reader hands it on: the row of bronze.log_records before it is stored."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class LogRecord:
    """A record with its continuation lines joined (stack trace, config dump).

    offset: bytes from the start of the decompressed source to the record's first byte.
    line: 1-based first physical line; line_count: physical lines in it.
    logged_at: ms since the epoch, UTC; None where the line has no full date and time.
    time_origin: `logged`, `container` (only the envelope had a time) or `none`.
    time_zone_origin: `logged`, `declared`, `assumed` or `none`.
    text: what the application wrote, envelopes taken off, secrets redacted.
    message: text without timestamp, level, thread and logger; the stack trace is kept at its end.
    """

    source_id: str
    offset: int
    line: int
    line_count: int
    logged_at: int | None
    level: str | None
    logger: str | None
    thread: str | None
    text: str
    message: str
    time_origin: str = "logged"
    time_zone_origin: str = "assumed"
    container: str | None = None
    is_truncated: bool = False
    text_bytes: int = 0
    position: int = 0  # order within the source: offset, or -offset where the newest stands first
    service: str | None = None  # only where the record itself says so (ECS service.name and the like)
    instance: str | None = None
    extra: dict[str, str] = field(default_factory=dict)
