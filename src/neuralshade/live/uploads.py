"""Uploads from pages: streamed into files, with limits on size, rate and count."""

from __future__ import annotations

import asyncio
import os
import re
import time
from pathlib import Path

from starlette.requests import Request

from neuralshade.base.temp_files import TempFolder
from neuralshade.live.cpu_budget import CpuBudget
from neuralshade.live.map_sets import MapSets
from neuralshade.live.source_sets import SourceSets
from neuralshade.live.upload_checks import RefusedError, plain_name

MOST_BYTES = 256 * 2**20  # of one upload
MOST_KEPT = 16  # pictures of a session; the oldest is deleted
MOST_KEPT_BYTES = 2**30  # of all pictures
MOST_AT_ONCE = 4  # concurrent uploads
AGAIN_SECONDS = 10  # for Retry-After
PATIENCE_SECONDS = 10.0  # allowed to any upload, besides its time at the slowest rate
SLOWEST_BYTES = 2**15  # per second


class Uploads:
    """Folder of uploaded files, deleted with the session.

    ``run_shaders``: pages may upload code and run it.
    """

    def __init__(self, run_shaders: bool = False) -> None:
        self._folder = TempFolder()
        self._count = 0
        self._arriving = 0
        self.pictures: dict[str, Path] = {}
        self.maps = MapSets(self.path)
        self.sources = SourceSets(self.path, run_shaders)
        self._own: set[Path] = set()
        self._asset: Path | None = None

    def close(self) -> None:
        """Delete everything."""
        self._folder.close()

    def public_text(self, text: str) -> str:
        """Return ``text`` with upload paths reduced to file names."""
        return re.sub(
            re.escape(f"{self._folder.path}{os.sep}") + rf"\d+{re.escape(os.sep)}", "", text
        )

    def name_of(self, place: str) -> str | None:
        """Return the name of an uploaded file; None for a local path."""
        path = Path(place)
        return path.name if self._folder.path in path.parents else None

    def path(self, name: str) -> Path:
        """Return a new path for a file named ``name``, in its own folder."""
        self._count += 1
        folder = self._folder.path / str(self._count)
        folder.mkdir()
        return folder / plain_name(name)

    def keep(self, path: Path, *, own: bool = False) -> str:
        """Return the key under which the picture at ``path`` is kept.

        ``own``: the page drew it, and the user has no file of it.
        """
        key = f"p{path.parent.name}"
        self.pictures[key] = path
        self._own |= {path} if own else set()
        while len(self.pictures) > 1 and self._are_many():
            self.forget(self.pictures.pop(next(iter(self.pictures))))
        return key

    def drawn(self, key: str) -> Path | None:
        """Return the path of a picture that a page drew itself; None for a user's file."""
        path = self.pictures[key]
        return path if path in self._own else None

    def _are_many(self) -> bool:
        size = sum(path.stat().st_size for path in self.pictures.values())
        return len(self.pictures) > MOST_KEPT or size > MOST_KEPT_BYTES

    def forget(self, path: Path) -> None:
        """Delete a file and its folder."""
        path.unlink(missing_ok=True)
        path.parent.rmdir()

    def keep_asset(self, path: Path) -> None:
        """Keep the asset that is shown, and delete the previous one."""
        if self._asset is not None:
            self.forget(self._asset)
        self._asset = path

    async def receive(self, request: Request, usual_name: str, cpu_budget: CpuBudget) -> Path:
        """Write a request's body to a file and return its path. Raises RefusedError."""
        declared = request.headers.get("content-length", "0")
        if not _is_size(declared) or int(declared) > MOST_BYTES:
            raise RefusedError(413, f"got {declared[:20]} bytes, need {MOST_BYTES} at most.")
        if self._arriving >= MOST_AT_ONCE:
            raise RefusedError(503, f"got {MOST_AT_ONCE} uploads already, need one to end. "
                               "Try again.", AGAIN_SECONDS)  # fmt: skip
        path = self.path(request.query_params.get("name", usual_name))
        self._arriving += 1
        try:
            await _write(path, request, cpu_budget)
        except BaseException:
            self.forget(path)
            raise
        finally:
            self._arriving -= 1
        return path


async def _write(path: Path, request: Request, cpu_budget: CpuBudget) -> None:
    """Write a request's body; refuse one that arrives too slowly. Raises RefusedError."""
    begin, size = time.perf_counter(), 0
    pieces = request.stream()
    try:
        with path.open("wb") as file:
            while True:
                await cpu_budget.wait()
                left = begin + PATIENCE_SECONDS + size / SLOWEST_BYTES - time.perf_counter()
                piece = await asyncio.wait_for(anext(pieces, None), max(left, 0.0))
                if piece is None:
                    return
                size += len(piece)
                if size > MOST_BYTES:
                    raise RefusedError(413, f"got more than {MOST_BYTES} bytes, need fewer.")
                file.write(piece)
    except asyncio.TimeoutError as error:
        raise RefusedError(408, f"got {size} bytes in {time.perf_counter() - begin:.0f} s, need "
                           "more. Send them faster.") from error  # fmt: skip
    except OSError as error:
        raise RefusedError(507, f"got '{error.strerror}', need room for the upload.") from error


def _is_size(declared: str) -> bool:
    return re.fullmatch("[0-9]{1,20}", declared) is not None
