"""`python -m lab.posted FOLDER`: the score of events (lab.posted.events)."""

from lab.posted.events import run

run()
