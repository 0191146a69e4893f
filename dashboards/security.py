"""What keeps a page to its own scripts: headers on every answer."""

from dash import Dash
from flask import Response


def guard(app: Dash) -> None:
    """Only our own scripts run, and no text is ever evaluated. Styles are set by components as they draw.

    Called after all callbacks are connected: Dash's few inline scripts go into the policy by their hashes.
    """
    scripts = " ".join(app.csp_hashes())
    policy = (
        f"default-src 'self'; script-src 'self' {scripts}; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data: blob:; font-src 'self' data:; object-src 'none'; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'"
    )

    @app.server.after_request  # type: ignore[untyped-decorator]
    def add_headers(response: Response) -> Response:
        response.headers["Content-Security-Policy"] = policy
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers["Referrer-Policy"] = "no-referrer"
        return response
