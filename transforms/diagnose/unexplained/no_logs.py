"""Sources that are no log, told by their first bytes: what to do with each instead."""

TAR_MAGIC_AT = 257
# Formats of metrics that no log begins as; the others' marks are words that objects of a log have, too.
OF_METRICS_ALONE = frozenset({"jmxtool", "librdkafka", "otlp", "prometheus_json", "prometheus_text"})


def no_log(head: bytes) -> str | None:
    """What a source that begins like this is, behind its name; None of one that may be a log."""
    from transforms.parse.metrics.formats import detect  # all readers of metrics, of which few logs have need

    if head[TAR_MAGIC_AT:].startswith(b"ustar"):
        return "is an archive (tar), and was read as one log: unpack it, and give the folder."
    if all(
        detect(line) in OF_METRICS_ALONE for line in head.strip().split(b"\n", 2)[:2]
    ):  # a line alone may be a note's
        return "holds metrics, and no log: `kipwatch run --metrics` takes it, with the logs of that process."
    return None
