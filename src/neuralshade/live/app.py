"""ASGI application of the page: static files, WebSocket, uploads and downloads."""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from neuralshade.errors import ConfigError, NeuralShadeError
from neuralshade.live.access import Access
from neuralshade.live.channel import BusyError, Channel, TooManyPagesError
from neuralshade.live.client import Client
from neuralshade.live.cpu_budget import CpuBudget
from neuralshade.live.guard import POLICY_VIOLATION, Guard, refuse
from neuralshade.live.messages import kind_of, parse
from neuralshade.live.upload_checks import RefusedError, plain_name
from neuralshade.live.uploads import Uploads

PAGE = Path(__file__).parent / "page"
TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript",
         ".svg": "image/svg+xml"}  # fmt: skip
ANSWER_SECONDS = 120.0  # timeout of a request to the training thread
MOST_REFUSALS = 100  # per page; then its WebSocket is closed
MOST_WAITING = 4  # queued requests for the training thread, which handles one at a time
USUAL_NAME = "upload.png"  # of an uploaded picture without a name
TRY_LATER = 1013  # WebSocket close code
AGAIN_SECONDS = 10  # for Retry-After


class App:
    """HTTP and WebSocket routes over a channel."""

    def __init__(self, channel: Channel, access: Access, uploads: Uploads, cpu_budget: CpuBudget):
        self.channel, self.uploads, self.cpu_budget = channel, uploads, cpu_budget
        # read once: a file opened for each request would cost a descriptor each
        self._page = {own.name: (own.read_bytes(), TYPES[own.suffix])
                      for own in PAGE.iterdir() if own.suffix in TYPES}  # fmt: skip
        self._request_lock, self._decoding = asyncio.Lock(), asyncio.Lock()
        self._waiting = 0
        routes = [
            Route("/", self.page),
            Route("/page/{name}", self.page),
            Route("/state", self.state),
            Route("/asset", self.save),
            Route("/asset", self.load, methods=["POST"]),
            Route("/picture", self.picture, methods=["POST"]),
            Route("/maps", self.maps, methods=["POST"]),
            Route("/source", self.source, methods=["POST"]),
            Route("/snapshot.png", self.snapshot),
            Route("/report", self.report),
            WebSocketRoute("/events", self.events),
        ]
        self.asgi = Starlette(
            routes=routes, middleware=[Middleware(Guard, access=access, cpu_budget=cpu_budget)]
        )

    async def page(self, request: Request) -> Response:
        name = request.path_params.get("name", "index.html")
        if name not in self._page:
            return refuse(404, "got no such file of the page.")
        content, kind = self._page[name]
        return Response(content, media_type=kind)

    async def state(self, request: Request) -> Response:
        return JSONResponse(self.channel.hello())

    async def save(self, request: Request) -> Response:
        return await self._answered("asset", _file)

    async def snapshot(self, request: Request) -> Response:
        query = request.query_params
        try:
            exposure = float(query.get("exposure", 0))
            gamma = float(query["gamma"]) if query.get("gamma") else None
            inputs = tuple(map(float, query["inputs"].split(","))) if query.get("inputs") else ()
            if any(map(math.isnan, inputs)):
                raise ValueError
        except ValueError:
            return refuse(400, "got exposure, gamma or inputs that are no numbers.")
        if not (abs(exposure) <= 32 and (gamma is None or 0.1 <= gamma <= 10)):
            return refuse(400, "need exposure in [-32, 32] and gamma in [0.1, 10].")
        tone = {"exposure": exposure, "gamma": gamma, "inputs": inputs}
        return await self._answered("snapshot", _file, **tone)

    async def report(self, request: Request) -> Response:
        # the report is a self-contained page with inline scripts and styles
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
            path = await self.uploads.receive(request, "upload.nsh", self.cpu_budget)
            into = request.query_params.get("into") == "fit"
            answer = await self._answered("load", _json, path=path, into_fit=into)
            if into or answer.status_code != 200:
                self.uploads.forget(path)
            else:
                self.uploads.keep_asset(path)
            return answer

        return await _upload_response(keep)

    async def picture(self, request: Request) -> Response:
        async def keep() -> Response:
            path, found = await self._uploaded_picture(request)
            own = request.query_params.get("own") == "1"
            return JSONResponse({"picture": self.uploads.keep(path, own=own), **found})

        return await _upload_response(keep)

    async def maps(self, request: Request) -> Response:
        key = request.query_params.get("of")

        async def keep() -> Response:
            self.uploads.maps.check(key, request.query_params.get("name", USUAL_NAME))
            path, found = await self._uploaded_picture(request)
            try:
                return JSONResponse(
                    self.uploads.maps.add(key, path, found["width"], found["height"])
                )
            except RefusedError:
                self.uploads.forget(path)
                raise

        return await _upload_response(keep)

    async def source(self, request: Request) -> Response:
        key, sources = request.query_params.get("of"), self.uploads.sources

        async def keep() -> Response:
            sources.check(key, request.query_params.get("name", USUAL_NAME))
            if key is None:
                path = await self.uploads.receive(request, USUAL_NAME, self.cpu_budget)
            else:
                path, found = await self._uploaded_picture(request)
            try:
                facts = (
                    sources.begin(path)
                    if key is None
                    else sources.add(key, path, found["width"], found["height"])
                )
            except RefusedError:
                self.uploads.forget(path)
                raise
            return JSONResponse(facts)

        return await _upload_response(keep)

    async def _uploaded_picture(self, request: Request) -> tuple[Path, dict[str, Any]]:
        """Return path and facts of an uploaded picture. Raises RefusedError."""
        path = await self.uploads.receive(request, USUAL_NAME, self.cpu_budget)
        try:
            async with self._decoding:  # one at a time: each may take 256 MiB
                return path, await asyncio.to_thread(self._picture_facts, path)
        except NeuralShadeError as error:
            self.uploads.forget(path)
            raise RefusedError(422, str(error).replace(str(path), path.name)) from error

    async def _answered(
        self, what: str, form: Callable[[Any], Response], **arguments: Any
    ) -> Response:
        """Return the training thread's answer; requests are serialized."""
        if self._waiting >= MOST_WAITING:
            return refuse(503, "got too many requests at once. Try again.", again=AGAIN_SECONDS)
        self._waiting += 1
        try:
            return form(await asyncio.wait_for(self._request(what, arguments), ANSWER_SECONDS))
        except BusyError as error:
            return refuse(503, str(error), again=error.seconds)
        except NeuralShadeError as error:
            return refuse(409, str(error))
        except asyncio.TimeoutError:
            reason = f"got no answer in {ANSWER_SECONDS:.0f} s. Try again."
            return refuse(503, reason, again=AGAIN_SECONDS)
        finally:
            self._waiting -= 1

    async def _request(self, what: str, arguments: dict[str, Any]) -> Any:
        async with self._request_lock:
            answer = self.channel.ask(what, **arguments)
            if answer is None:
                raise BusyError("got too many requests at once. Try again.", AGAIN_SECONDS)
            return await asyncio.wrap_future(answer)

    def _picture_facts(self, path: Path) -> dict[str, Any]:
        """Read a picture in a worker thread, and charge its time to the CPU budget."""
        begin = time.thread_time()
        try:
            return read_picture_facts(path)
        finally:
            self.cpu_budget.charge(time.thread_time() - begin)

    async def events(self, socket: WebSocket) -> None:
        try:
            client = self.channel.connect()
        except TooManyPagesError:
            await socket.accept()  # otherwise the page does not see the close code
            await socket.close(TRY_LATER)
            return
        await socket.accept()
        sending = asyncio.create_task(self._send(socket, client))
        try:
            await self._listen(socket, client)
        except (WebSocketDisconnect, RuntimeError):  # RuntimeError: the socket was closed meanwhile
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
            await self.cpu_budget.wait()
            if message["type"] == "websocket.disconnect":
                return
            text = message.get("text") or ""
            try:
                if not self.channel.receive(client, parse(text)):
                    raise ConfigError("got too many requests at once. Try again.")
            except ConfigError as error:
                refusals += 1
                about = kind_of(text)
                self.channel.send(client, {"type": "refused", "text": str(error), "about": about})
        await socket.close(POLICY_VIOLATION)


async def _upload_response(keep: Callable[[], Awaitable[Response]]) -> Response:
    try:
        return await keep()
    except RefusedError as error:
        return refuse(error.status, error.reason, close=True, again=error.again)
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
