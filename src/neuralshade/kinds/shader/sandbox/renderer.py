"""Sandboxed renderer of a stranger's task. Process half: serve.py."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from neuralshade.base.message_text import shown
from neuralshade.base.sandbox.sandbox import Sandbox, SandboxWording
from neuralshade.base.sandbox.wire import Array
from neuralshade.base.strict_json import strict_json
from neuralshade.errors import ConfigError
from neuralshade.fitting.recipe import to_dict
from neuralshade.kinds.shader.renderer import RenderRequest
from neuralshade.source.crop import Crop
from neuralshade.source.picture import Picture

if TYPE_CHECKING:
    from neuralshade.kinds.shader.program import TaskProgram

START_SECONDS = 120.0  # to start, and to compile
PIECE_SECONDS = 60.0  # for each PIECE_PIXELS, rounded up
PIECE_PIXELS = 2**20
ROW_SECONDS = 300.0  # for the mean loss
MOST_BYTES = 4 * 2**30  # of memory, besides the picture
BYTES_PER_PIXEL = 64  # of the picture: float4 in the process, copied once or twice
LEVEL_BYTES = 2**16  # of the levels of encodings
MOST_TEXT = 2**24  # bytes of a program's text
SERVES = "neuralshade.kinds.shader.sandbox.serve:TaskServer"


class SandboxRenderer:
    """Draws in another process: see TaskRenderer.

    Raises: AssetError where that process ends, exceeds its time or memory, or sends an invalid
        answer; errors that it raises itself.
    """

    def __init__(self, request: RenderRequest):
        self.request = request
        self._sandbox = Sandbox(SERVES, SandboxWording(request.place), MOST_BYTES)
        try:
            message, arrays = _message(request)
            self._sandbox.request(message, arrays, seconds=START_SECONDS, memory=MOST_BYTES)
        except BaseException:
            self.close()
            raise

    def draw(self, width: int, height: int, crop: Crop) -> npt.NDArray[np.float32]:
        """Return float32 [height, width, C] at pixel centers of ``crop``, not clamped."""
        pixels = width * height
        query = {"ask": "draw", "width": width, "height": height, "crop": list(crop)}
        seconds = START_SECONDS + PIECE_SECONDS * -(-pixels // PIECE_PIXELS)
        memory = MOST_BYTES + BYTES_PER_PIXEL * pixels
        _, arrays = self._sandbox.request(
            query, seconds=seconds, memory=memory, most_bytes=16 * pixels
        )
        shape = (height, width, self.request.channels)
        if [(array.dtype.name, array.shape) for array in arrays] != [("float32", shape)]:
            raise self._sandbox.violation("another picture than requested")
        return arrays[0]

    def row(self) -> dict[str, Any]:
        """Return the row of ``loss_row``."""
        found, _ = self._sandbox.request({"ask": "row"}, seconds=ROW_SECONDS, memory=MOST_BYTES)
        row = found.get("row")
        kinds = {"loss": float, "standard_error": float, "steps": int, "threads": int}
        if not isinstance(row, dict) or any(type(row.get(n)) is not k for n, k in kinds.items()):
            raise self._sandbox.violation("no mean loss")
        return {"name": self.request.source.name, **{name: row[name] for name in kinds}}

    def program(self, name: str, unused: Sequence[str]) -> TaskProgram:
        """Return the program of ``task_program``."""
        from neuralshade.kinds.shader.program import RESULTS, TaskProgram  # few export

        query = {"ask": "program", "name": name, "unused": list(unused)}
        numbers = sum(np.size(getattr(value, "pixels", value))
                      for value in self.request.values.values())  # fmt: skip
        found, arrays = self._sandbox.request(query, seconds=START_SECONDS, memory=MOST_BYTES,
                                          most_bytes=4 * numbers + LEVEL_BYTES,
                                          most_json=MOST_TEXT)  # fmt: skip
        text, result = found.get("text"), found.get("result")
        if (
            not isinstance(text, str)
            or result not in RESULTS.values()
            or [(array.dtype.name, array.ndim) for array in arrays] != [("uint32", 1)]
        ):
            raise self._sandbox.violation("no function")  # fmt: skip
        return TaskProgram(text, str(result), arrays[0])

    def compiled(
        self, text: str, files: Mapping[str, str], target: str, entries: Sequence[str]
    ) -> bytes:
        """Return the code of ``compile_in_process``."""
        query = {"ask": "compiled", "text": text, "files": dict(files), "target": target,
                 "entries": list(entries)}  # fmt: skip
        _, arrays = self._sandbox.request(query, seconds=START_SECONDS, memory=MOST_BYTES,
                                      most_bytes=MOST_TEXT)  # fmt: skip
        if [(array.dtype.name, array.ndim) for array in arrays] != [("uint8", 1)]:
            raise self._sandbox.violation("no text")
        return arrays[0].tobytes()

    def close(self) -> None:
        """Kill the process."""
        self._sandbox.close()


def _message(request: RenderRequest) -> tuple[dict[str, Any], tuple[Array, ...]]:
    """Return the first message to the process: plain data, and the arrays it refers to."""
    source = request.source
    values: dict[str, Any] = {}
    arrays: dict[str, Array] = {}
    pictures: dict[str, list[str]] = {}
    for name, value in request.values.items():
        if isinstance(value, Picture):
            pictures[name], arrays[name] = [value.name, value.color_space], value.pixels
        elif isinstance(value, np.ndarray):
            arrays[name] = value.astype(np.float32)
        else:
            values[name] = _json_value(name, value)
    message = {
        "place": request.place, "text": source.text, "source": source.place,
        "files": dict(source.files), "values": values, "arrays_of": list(arrays),
        "pictures": pictures, "recipe": to_dict(request.recipe), "steps": request.steps,
    }  # fmt: skip
    return message, tuple(arrays.values())


def _json_value(name: str, value: Any) -> Any:
    """Return a member's value as strict JSON allows it."""
    try:
        if not isinstance(value, (str, int, float, tuple, list)):
            value = float(value)  # NumPy's scalars
        strict_json(json.dumps(value), file_names=True)
    except (TypeError, ValueError) as error:
        raise ConfigError(f"set: got {name}={shown(value)}, need a finite number. Write for "
                          f"example {name}=0.5.") from error  # fmt: skip
    return value
