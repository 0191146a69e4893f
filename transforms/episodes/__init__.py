"""Rows of rebuilt timers -> what is told and drawn of them: lengths, bars, lanes, the sentence over all of them."""
