"""`make bench`: the same logs by a careful script and by kipwatch, answers compared before times."""
