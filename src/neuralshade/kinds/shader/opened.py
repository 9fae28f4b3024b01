"""Opening a task that a user wrote: its module, with its trained members as stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy.typing as npt

from neuralshade.asset.shader import ShaderAsset
from neuralshade.engine.draw import WHOLE, Crop
from neuralshade.errors import AssetError, DeviceError, PictureError
from neuralshade.gpu.open import open_gpu
from neuralshade.kinds.shader.build import BuiltTask, build_shader_engine, build_task
from neuralshade.kinds.shader.engine import ShaderEngine
from neuralshade.kinds.shader.recipe import ShaderRecipe
from neuralshade.kinds.shader.source import ShaderSource
from neuralshade.source.image_file import load_picture
from neuralshade.source.picture import Picture
from neuralshade.verbs.opening import Opened, Titled


@dataclass(frozen=True)
class OpenedShader(Opened):
    """A task; ``given`` are values for its members, by name, in place of those that it has."""

    asset: ShaderAsset
    recipe: ShaderRecipe
    given: Mapping[str, Any]
    kind = "shader"

    @cached_property
    def task(self) -> BuiltTask:
        """Return the task with its trained members as stored.

        Raises: AssetError where a picture that a member was given is missing, or another one;
            ConfigError, PictureError for what is ``given``.
        """
        module, place = self.asset.header.module, self.asset.path
        values = {**module["values"], **self.asset.tensors, **self.given}
        for name, facts in module["pictures"].items():
            if name not in self.given:
                values[name] = _same_picture(name, facts, place)
        # assets of before had none
        source = ShaderSource(module["text"], module["name"], module.get("files", {}))
        return build_task(source, values, 0, trained=False)

    @property
    def numbers(self) -> int:
        """Return how many trained numbers there are."""
        return sum(array.size for array in self.asset.tensors.values())

    def grids(self) -> Titled:
        """Return the trained textures."""
        textures = {f"{name}.size" for name in self.asset.tensors} & set(
            self.asset.header.module["values"]
        )
        return [(n, a) for n, a in self.asset.tensors.items() if f"{n}.size" in textures]

    def draw(self, width: int, height: int, crop: Crop = WHOLE) -> npt.NDArray[Any]:
        """Return float32 [height, width, C] at pixel centres of ``crop``, not clamped."""
        try:
            return self._engine.draw(width, height, crop)
        except DeviceError:  # a device that was lost answers no more
            self.close()
            raise

    def close(self) -> None:
        """Give the GPU back that it is drawn on; drawn again, it opens another one."""
        engine: ShaderEngine | None = vars(self).pop("_engine", None)
        if engine is not None:
            engine.gpu.close()

    @cached_property
    def _engine(self) -> ShaderEngine:
        """Return what draws, on a GPU of its own, which the thread that draws opens."""
        task, gpu = self.task, open_gpu("auto")
        try:
            return build_shader_engine(task, self.recipe, gpu)
        except BaseException:
            gpu.close()
            raise


def _same_picture(name: str, facts: Mapping[str, Any], place: str) -> Picture:
    """Return the picture that a member was given when it was trained, from its file.

    Where the path leads to none or to another one, it is looked for from the asset's folder on,
    and in that folder.
    """
    if facts["path"] is None:
        raise _no_picture(name, place, "no picture")
    given, beside = Path(facts["path"]), Path(place).parent
    what, reason = "another picture", None
    for path in dict.fromkeys((given, beside / given, beside / given.name)):
        try:
            picture = load_picture(path)
        except PictureError as error:  # there may be one at the next place
            if path == given:
                what, reason = "no picture", error
            continue
        if picture.digest == facts["digest"]:
            return picture
    raise _no_picture(name, place, f"{what} at {given}") from reason


def _no_picture(name: str, place: str, got: str) -> AssetError:
    return AssetError(f"{place}: got {got} for Task.{name}, need the one it was trained with, or "
                      f"one that is named. Write --set {name}=PICTURE.")  # fmt: skip
