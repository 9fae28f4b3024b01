"""The page's server: its own files, the WebSocket, what is loaded and saved."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, HTTPConnection, Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from neuralshade.errors import ConfigError, NeuralShadeError
from neuralshade.live.access import Access
from neuralshade.live.channel import Channel, TooManyPagesError
from neuralshade.live.client import Client
from neuralshade.live.messages import kind_of, parse
from neuralshade.live.uploads import RefusedError, Uploads, plain_name

PAGE = Path(__file__).parent / "page"
TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript",
         ".svg": "image/svg+xml"}  # fmt: skip
POLICY = (
    "default-src 'self'; img-src 'self' blob: data:; connect-src 'self'; "
    "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
]
ANSWER_SECONDS = 120.0  # that a request waits for the thread that trains
MOST_REFUSALS = 100  # of one page, which is then cut off
TRY_LATER, POLICY_VIOLATION = 1013, 1008  # codes of a WebSocket's end


class Guard:
    """Refuses what ``access`` does, and adds the headers that every answer has."""

    def __init__(self, app: ASGIApp, access: Access):
        self.app, self.access = app, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        asked = HTTPConnection(scope)
        refusal = self.access.refusal(asked)
        cookie = None if refusal else self.access.cookie(asked.query_params)

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = dict(message["headers"])
                policy = (
                    []
                    if b"content-security-policy" in own
                    else [(b"content-security-policy", POLICY.encode())]
                )
                extra = [] if cookie is None else [(b"set-cookie", cookie.encode())]
                message = {**message, "headers": [*message["headers"], *HEADERS, *policy, *extra]}
            await send(message)

        if refusal is None:
            await self.app(scope, receive, answer)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": POLICY_VIOLATION})  # HTTP 403
        else:
            await _refuse(*refusal)(scope, receive, answer)


class App:
    """Routes over a channel."""

    def __init__(self, channel: Channel, access: Access, uploads: Uploads):
        self.channel, self.uploads = channel, uploads
        routes = [
            Route("/", self.page),
            Route("/page/{name}", self.page),
            Route("/state", self.state),
            Route("/asset", self.save),
            Route("/asset", self.load, methods=["POST"]),
            Route("/picture", self.picture, methods=["POST"]),
            Route("/snapshot.png", self.snapshot),
            Route("/report", self.report),
            WebSocketRoute("/events", self.events),
        ]
        self.asgi = Starlette(routes=routes, middleware=[Middleware(Guard, access=access)])

    async def page(self, request: Request) -> Response:
        name = request.path_params.get("name", "index.html")
        path = {own.name: own for own in PAGE.iterdir() if own.suffix in TYPES}.get(name)
        if path is None:
            return _refuse(404, "got no such file of the page.")
        return FileResponse(path, media_type=TYPES[path.suffix])

    async def state(self, request: Request) -> Response:
        return JSONResponse(self.channel.hello())

    async def save(self, request: Request) -> Response:
        return await self._answered("asset", _file)

    async def snapshot(self, request: Request) -> Response:
        query = request.query_params
        try:
            exposure = float(query.get("exposure", 0))
            gamma = float(query["gamma"]) if query.get("gamma") else None
        except ValueError:
            return _refuse(400, "got exposure or gamma that is no number.")
        if not (abs(exposure) <= 32 and (gamma is None or 0.1 <= gamma <= 10)):
            return _refuse(400, "need exposure in [-32, 32] and gamma in [0.1, 10].")
        return await self._answered("snapshot", _file, exposure=exposure, gamma=gamma)

    async def report(self, request: Request) -> Response:
        # the report is a page of its own, whose scripts and styles are inside it
        policy = (
            "default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
            "script-src 'unsafe-inline'; sandbox allow-scripts"
        )

        def page(found: tuple[str, bytes]) -> Response:
            return Response(
                found[1], media_type="text/html", headers={"content-security-policy": policy}
            )

        return await self._answered("report", page)

    async def load(self, request: Request) -> Response:
        async def keep() -> Response:
            path = await self.uploads.receive(request, "upload.nsh")
            into = request.query_params.get("into") == "fit"
            answer = await self._answered("load", _json, path=path, into_fit=into)
            if into or answer.status_code != 200:
                path.unlink(missing_ok=True)
            else:
                self.uploads.keep_asset(path)
            return answer

        return await _received(keep)

    async def picture(self, request: Request) -> Response:
        async def keep() -> Response:
            path = await self.uploads.receive(request, "upload.png")
            try:
                found = await asyncio.to_thread(read_picture_facts, path)
            except NeuralShadeError as error:
                path.unlink(missing_ok=True)
                raise RefusedError(422, str(error).replace(str(path), path.name)) from error
            return JSONResponse({"picture": self.uploads.keep(path), **found})

        return await _received(keep)

    async def _answered(
        self, what: str, form: Callable[[Any], Response], **arguments: Any
    ) -> Response:
        """Return what the thread that trains answers."""
        asked = self.channel.ask(what, **arguments)
        if asked is None:
            return _refuse(503, "got too many requests at once. Try again.")
        try:
            return form(await asyncio.wait_for(asyncio.wrap_future(asked), ANSWER_SECONDS))
        except NeuralShadeError as error:
            return _refuse(409, str(error))
        except asyncio.TimeoutError:
            return _refuse(503, f"got no answer in {ANSWER_SECONDS:.0f} s. Try again.")

    async def events(self, socket: WebSocket) -> None:
        try:
            client = self.channel.connect()
        except TooManyPagesError:
            await socket.accept()  # or the page would not be told the code
            await socket.close(TRY_LATER)
            return
        await socket.accept()
        sending = asyncio.create_task(self._send(socket, client))
        try:
            await self._listen(socket, client)
        except (WebSocketDisconnect, RuntimeError):  # RuntimeError: it was closed meanwhile
            pass
        finally:
            self.channel.disconnect(client)
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)

    async def _send(self, socket: WebSocket, client: Client) -> None:
        try:
            while True:
                await client.ready.wait()
                client.ready.clear()
                messages, pictures = self.channel.outgoing(client)
                for message in messages:
                    await socket.send_text(json.dumps(message, separators=(",", ":")))
                for picture in pictures:
                    await socket.send_bytes(picture)
        except (WebSocketDisconnect, RuntimeError):
            return

    async def _listen(self, socket: WebSocket, client: Client) -> None:
        refusals = 0
        while refusals < MOST_REFUSALS:
            message = await socket.receive()
            if message["type"] == "websocket.disconnect":
                return
            text = message.get("text") or ""
            try:
                if not self.channel.hear(client, parse(text)):
                    raise ConfigError("got too many requests at once. Try again.")
            except ConfigError as error:
                refusals += 1
                about = kind_of(text)
                self.channel.send(client, {"type": "refused", "text": str(error), "about": about})
        await socket.close(POLICY_VIOLATION)


async def _received(keep: Callable[[], Awaitable[Response]]) -> Response:
    try:
        return await keep()
    except RefusedError as error:
        return _refuse(error.status, error.reason, close=True)
    except ClientDisconnect:
        return Response(status_code=400)


def read_picture_facts(path: Path) -> dict[str, Any]:
    """Return name, width and height of an uploaded picture; PictureError where it is none."""
    from neuralshade.live.uploads import MOST_BYTES
    from neuralshade.source.image_file import load_picture

    picture = load_picture(path, memory_limit=MOST_BYTES)
    return {"name": picture.name, "width": picture.width, "height": picture.height}


def _file(found: tuple[str, bytes]) -> Response:
    name, content = found
    kind = "image/png" if name.endswith(".png") else "application/octet-stream"
    shown = plain_name(name)
    disposition = f"attachment; filename=\"{shown}\"; filename*=UTF-8''{quote(name)}"
    return Response(content, media_type=kind, headers={"content-disposition": disposition})


def _json(found: Any) -> Response:
    return JSONResponse(found)


def _refuse(status: int, reason: str, *, close: bool = False) -> Response:
    headers = {"connection": "close"} if close else None  # what is still sent is not read
    return JSONResponse({"refused": reason}, status, headers=headers)
