"""Pure figures: rows in, a Plotly figure out; no page, no query, no clock. A module draws what it is named for."""
