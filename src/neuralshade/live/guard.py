"""ASGI middleware before every route: access check and security headers."""

from __future__ import annotations

import math

from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from neuralshade.live.access import Access
from neuralshade.live.cpu_budget import CpuBudget

POLICY = (
    "default-src 'self'; img-src 'self' blob: data:; connect-src 'self'; "
    "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
    (b"cross-origin-resource-policy", b"same-origin"),
]
# Not for the report: a browser refuses the second header on a sandboxed page.
OWN_PAGE = [
    (b"content-security-policy", POLICY.encode()),
    (b"cross-origin-opener-policy", b"same-origin"),
]
POLICY_VIOLATION = 1008  # WebSocket close code


class Guard:
    """Refuses requests that ``access`` refuses, and adds security headers to every response.

    Requests beyond the CPU budget wait here.
    """

    def __init__(self, app: ASGIApp, access: Access, cpu_budget: CpuBudget):
        self.app, self.access, self.cpu_budget = app, access, cpu_budget

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        await self.cpu_budget.wait()
        connection = HTTPConnection(scope)
        refusal = self.access.refusal(connection)
        cookie = None if refusal else self.access.cookie(connection.query_params)

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = dict(message["headers"])
                policy = [] if b"content-security-policy" in own else OWN_PAGE
                extra = [] if cookie is None else [(b"set-cookie", cookie.encode())]
                message = {**message, "headers": [*message["headers"], *HEADERS, *policy, *extra]}
            await send(message)

        if refusal is None:
            await self.app(scope, receive, answer)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": POLICY_VIOLATION})  # HTTP 403
        else:
            await refuse(*refusal)(scope, receive, answer)


def refuse(
    status: int, reason: str, *, close: bool = False, again: float | None = None
) -> Response:
    """Return a one-line refusal.

    Args:
        close: the rest of the request is not read.
        again: seconds until a retry makes sense.
    """
    headers = {"connection": "close"} if close else {}
    if again is not None:
        headers["retry-after"] = str(math.ceil(again))
    return JSONResponse({"refused": reason}, status, headers=headers)
