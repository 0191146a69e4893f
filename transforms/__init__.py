"""Everything that decides, pure: no I/O, no clock, no Spark session asked for."""
