"""One line: its times, heads, tails, prefixes, and what a paste put around it."""
