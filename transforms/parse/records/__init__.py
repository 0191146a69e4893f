"""Bytes to records: streams, spans, envelopes, books of what was read."""
