"""Makes recordings: real clients against a real broker, a proxy with faults between them, and the truth noted beside."""
