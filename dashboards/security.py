"""What keeps a page to its own scripts, and its answers to their own viewer: headers on every answer."""

from dash import Dash
from flask import Response, request

MOST_REQUEST_BYTES = 1 << 20
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
_SCRIPTS_AND_STYLES = ("/assets/", "/_dash-component-suites/")


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
    app.server.config["MAX_CONTENT_LENGTH"] = MOST_REQUEST_BYTES

    @app.server.after_request  # type: ignore[untyped-decorator]
    def add_headers(response: Response) -> Response:
        response.headers["Content-Security-Policy"] = policy
        for name, value in _HEADERS.items():
            response.headers[name] = value
        if not request.path.startswith(_SCRIPTS_AND_STYLES):
            response.headers["Cache-Control"] = "no-store"  # log lines stay out of the browser's files
        return response
