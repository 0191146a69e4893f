"""What the lines of a source share: envelopes, heads, where a record begins; learned from its beginning."""
