"""`make bench`: the same logs by a careful single-process script and by kipwatch, answers compared before times."""
