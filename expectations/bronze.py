# ruff: noqa: E501  # a column is a line, as in CREATE TABLE
"""Bronze: what was read, redacted, with its books balanced."""

from expectations.contract import TableContract, table
from expectations.expect import at_least, balanced, in_set

LOG_RECORDS = table(
    TableContract(
        name="bronze.log_records",
        grain="one log record with its continuation lines joined; secrets redacted",
        key=("record_id",),
        replaced_by="source_id",
        clustered_by=("source_id", "position"),
        volatile=frozenset({"source", "ingested_at"}),
        columns="""
            record_id        STRING    NOT NULL COMMENT 'sha2-256 of source_id and offset'
            source_id        STRING    NOT NULL COMMENT 'fingerprint of the source''s first KiB, decompressed; survives renaming'
            source           STRING    NOT NULL COMMENT 'path or topic as read'
            offset           BIGINT    NOT NULL COMMENT 'bytes from the start of the decompressed source to the first byte; from a topic where the shipper says no place, the message''s offset times 2^20'
            line             BIGINT    NOT NULL COMMENT 'first physical line in the source, 1-based; from a topic the message''s offset, 0 where the shipper says the place'
            line_count       BIGINT    NOT NULL COMMENT 'physical lines in the record'
            position         BIGINT    NOT NULL COMMENT 'order in the source: offset, or minus the offset where the newest stands first'
            logged_at        TIMESTAMP          COMMENT 'UTC, by the writer''s clock; null where the line has no full date and time'
            time_origin      STRING    NOT NULL COMMENT 'logged, container (only the envelope had a time) or none'
            time_zone_origin STRING    NOT NULL COMMENT 'logged, declared, assumed (UTC), ambiguous (no instant follows: an hour that the zone has twice or never, an unknown zone, a date of two meanings) or none'
            level            STRING             COMMENT 'as the application wrote it'
            logger           STRING             COMMENT 'logger, as far as the layout shows it'
            thread           STRING             COMMENT 'thread, where the layout shows it'
            container        STRING             COMMENT 'container named by the wrapper, where several share one source'
            text             STRING    NOT NULL COMMENT 'what the application wrote, wrappers taken off, secrets redacted'
            is_truncated     BOOLEAN   NOT NULL COMMENT 'true where the record was longer than the limit and only its start is kept'
            text_bytes       BIGINT    NOT NULL COMMENT 'length of the record as read, in bytes'
            unit_id          STRING    NOT NULL COMMENT 'process that wrote it: service/instance, or service/instance/container where a record names one'
            service          STRING             COMMENT 'service, from conf, the record or the folder''s name'
            instance         STRING             COMMENT 'instance, from conf, the record or the file''s name'
            ingested_at      TIMESTAMP NOT NULL COMMENT 'when the job read it, by the job''s clock'
        """,
        expect=(
            in_set("time_origin", ["logged", "container", "none"]),
            in_set("time_zone_origin", ["logged", "declared", "assumed", "ambiguous", "none"]),
            at_least("line", 0),
            at_least("line_count", 1),
        ),
    )
)

UNPARSED = table(
    TableContract(
        name="bronze.unparsed",
        grain="one piece of input that no reader understood; redacted and cut to a length fit to look at",
        key=("source_id", "offset"),
        replaced_by="source_id",
        clustered_by=("source_id", "offset"),
        volatile=frozenset({"source", "ingested_at"}),
        columns="""
            source_id   STRING    NOT NULL COMMENT 'fingerprint of the source''s first KiB'
            source      STRING    NOT NULL COMMENT 'path or topic as read'
            offset      BIGINT    NOT NULL COMMENT 'bytes from the start of the decompressed source'
            line        BIGINT             COMMENT 'first physical line, 1-based; null where the input has no lines'
            line_count  BIGINT    NOT NULL COMMENT 'physical lines in it'
            text        STRING             COMMENT 'its beginning, redacted; null where it is no text'
            text_bytes  BIGINT    NOT NULL COMMENT 'its length as read, in bytes'
            reason      STRING    NOT NULL COMMENT 'why no reader took it'
            service     STRING             COMMENT 'service of the source'
            instance    STRING             COMMENT 'instance of the source'
            ingested_at TIMESTAMP NOT NULL COMMENT 'when the job read it, by the job''s clock'
        """,
    )
)

ACCOUNTING = table(
    TableContract(
        name="bronze.accounting",
        grain="one source with its books balanced: read = in records + unparsed + dropped, in lines and in bytes",
        key=("source_id",),
        replaced_by="source_id",
        clustered_by=("source_id",),
        # What the next run goes by is written though nothing else changed: else it would find it changed for ever.
        volatile=frozenset({"run_id"}),
        columns="""
            source_id               STRING NOT NULL COMMENT 'fingerprint of the source''s first KiB, decompressed'
            source                  STRING NOT NULL COMMENT 'path or topic as read'
            identity                STRING NOT NULL COMMENT 'what the identity rests on: first_kib, first_sample (metrics), whole_file, shipper or topic_offset'
            layout                  STRING          COMMENT 'log layout or metrics format found; null where none was'
            evidence                STRING          COMMENT 'why that layout: what matched, in how many of the first lines'
            time_zone               STRING          COMMENT 'zone its times were read in'
            time_zone_origin        STRING NOT NULL COMMENT 'logged, declared, assumed (UTC) or none'
            status                  STRING NOT NULL COMMENT 'complete, or what stopped the reading (truncated, unreadable, replaced, binary, empty, ...)'
            lines_read              BIGINT NOT NULL COMMENT 'physical lines read'
            lines_in_records        BIGINT NOT NULL COMMENT 'of them in kept records'
            lines_unparsed          BIGINT NOT NULL COMMENT 'of them in bronze.unparsed'
            lines_dropped           BIGINT NOT NULL COMMENT 'of them dropped for a reason of dropped_by_reason'
            bytes_read              BIGINT NOT NULL COMMENT 'bytes read, decompressed'
            bytes_in_records        BIGINT NOT NULL COMMENT 'of them in kept records'
            bytes_unparsed          BIGINT NOT NULL COMMENT 'of them in bronze.unparsed'
            bytes_dropped           BIGINT NOT NULL COMMENT 'of them dropped'
            dropped_by_reason       MAP<STRING, BIGINT> COMMENT 'lines by reason: blank, not_kafka, duplicate (its place had been filled), gap_given_up (of a topic''s file: its place is in a gap beyond a thousand, which was no longer waited for, or between two of the oldest of these)'
            bytes_dropped_by_reason MAP<STRING, BIGINT> COMMENT 'bytes by the same reasons'
            unparsed_by_reason      MAP<STRING, BIGINT> COMMENT 'pieces of bronze.unparsed by reason'
            decode_errors           BIGINT NOT NULL COMMENT 'places that were no valid UTF-8 and were replaced'
            resume_offset           BIGINT NOT NULL COMMENT 'where the next run goes on reading, in bytes of the decompressed source'
            resume_line             BIGINT NOT NULL COMMENT 'the line that begins there, 1-based'
            service                 STRING          COMMENT 'service of the source'
            instance                STRING          COMMENT 'instance of the source'
            state                   STRING NOT NULL COMMENT 'what the next run needs of it (file size and time, settled books), as JSON'
            run_id                  STRING NOT NULL COMMENT 'the run that read it last'
        """,
        expect=(
            balanced("lines_read", "lines_in_records", "lines_unparsed", "lines_dropped"),
            balanced("bytes_read", "bytes_in_records", "bytes_unparsed", "bytes_dropped"),
        ),
    )
)
