"""Records to typed events."""
