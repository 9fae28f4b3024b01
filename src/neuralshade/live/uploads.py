"""What pages send: streamed into files, limited, named by us."""

from __future__ import annotations

import re
from pathlib import Path

from starlette.requests import ClientDisconnect, Request

from neuralshade.base.held import ScratchFolder

MOST_BYTES = 256 * 2**20  # of an upload
MOST_KEPT = 16  # pictures of a session; the oldest is forgotten
LONGEST_NAME = 80


class RefusedError(Exception):
    """An upload that is refused: status and reason."""

    def __init__(self, status: int, reason: str):
        super().__init__(reason)
        self.status, self.reason = status, reason


class Uploads:
    """A folder of what was sent, gone with the session."""

    def __init__(self) -> None:
        self._folder = ScratchFolder()
        self._count = 0
        self.pictures: dict[str, Path] = {}
        self._asset: Path | None = None

    def close(self) -> None:
        """Delete everything."""
        self._folder.close()

    def path(self, name: str) -> Path:
        """Return a new place for a file that somebody calls ``name``, in a folder of its own."""
        self._count += 1
        folder = self._folder.path / str(self._count)
        folder.mkdir()
        return folder / plain_name(name)

    def keep(self, path: Path) -> str:
        """Return by what the picture at ``path`` is known from now on."""
        key = f"p{path.parent.name}"
        self.pictures[key] = path
        if len(self.pictures) > MOST_KEPT:
            oldest = next(iter(self.pictures))
            self.pictures.pop(oldest).unlink(missing_ok=True)
        return key

    def keep_asset(self, path: Path) -> None:
        """Keep the asset that is shown, and forget the one before."""
        if self._asset is not None:
            self._asset.unlink(missing_ok=True)
        self._asset = path

    async def receive(self, request: Request, usual_name: str) -> Path:
        """Return the file that a request's body was written to. Raises RefusedError."""
        declared = request.headers.get("content-length", "0")
        if not _is_size(declared) or int(declared) > MOST_BYTES:
            raise RefusedError(413, f"got {declared[:20]} bytes, need {MOST_BYTES} at most.")
        path = self.path(request.query_params.get("name", usual_name))
        try:
            size = 0
            with path.open("wb") as file:
                async for piece in request.stream():
                    size += len(piece)
                    if size > MOST_BYTES:
                        raise RefusedError(413, f"got more than {MOST_BYTES} bytes, need fewer.")
                    file.write(piece)
        except (RefusedError, ClientDisconnect):
            path.unlink(missing_ok=True)
            raise
        except OSError as error:
            path.unlink(missing_ok=True)
            raise RefusedError(507, f"got '{error.strerror}', need room for the upload.") from error
        return path


def _is_size(declared: str) -> bool:
    return re.fullmatch("[0-9]{1,20}", declared) is not None


def plain_name(name: str) -> str:
    """Return a file name out of what somebody calls a file: no folders, no odd characters."""
    plain = re.sub(r"[^\w.() -]", "_", Path(name.replace("\\", "/")).name, flags=re.ASCII)
    return plain.strip(". ")[-LONGEST_NAME:] or "upload"
