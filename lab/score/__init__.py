"""Compares what kipwatch rebuilt and judged with the truth of the recordings (`python -m lab.score`)."""
