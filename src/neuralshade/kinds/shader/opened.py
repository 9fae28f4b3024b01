"""Opened asset of a user's task: its module, with trained members as stored."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from neuralshade.asset.asset import Asset
from neuralshade.asset.schema import Form
from neuralshade.base.lazy_import import lazy_type
from neuralshade.errors import AssetError, NeuralShadeError
from neuralshade.fitting.facts import MOST_SHOWN
from neuralshade.fitting.scene import Scene
from neuralshade.kinds.hints import InMemory, Numbers
from neuralshade.kinds.kind import Notice, ignore
from neuralshade.kinds.picture import OpenedPicture, Titled
from neuralshade.kinds.shader import KIND
from neuralshade.kinds.shader.inputs import (
    Input,
    input_of,
    listed_inputs,
    picture_of,
    with_inputs,
)
from neuralshade.kinds.shader.recipe import ShaderRecipe
from neuralshade.kinds.shader.schema import RULES, member_forms
from neuralshade.kinds.shader.source import ShaderSource
from neuralshade.kinds.shader.trust import check_trusted, is_known
from neuralshade.kinds.shader.unused_pictures import unused_pictures
from neuralshade.measure.table import Table
from neuralshade.source.crop import WHOLE, Crop, check_pixels
from neuralshade.source.picture import Picture

if TYPE_CHECKING:
    from neuralshade.kinds.shader.program import TaskProgram
    from neuralshade.kinds.shader.renderer import RenderRequest, TaskRenderer
else:  # for tools that read type hints at run time
    TaskProgram = lazy_type("neuralshade.kinds.shader.program:TaskProgram")
    RenderRequest = lazy_type("neuralshade.kinds.shader.renderer:RenderRequest")
    TaskRenderer = lazy_type("neuralshade.kinds.shader.renderer:TaskRenderer")

log = logging.getLogger("neuralshade")


@dataclass(frozen=True)
class OpenedShader(OpenedPicture):
    """A task; ``values`` replace the stored values of its members, by name.

    ``trusted``: the user vouches for its module. A module that no fit of this user had is compiled
    only then, and only where it does nothing but arithmetic.

    Its header's ``module`` has ``text`` and ``name`` of the user's file, ``files`` (text by name of
    the user's files that it includes), ``values`` (of untrained members, and sizes of textures)
    and ``pictures`` (path and digest: the file holds none of them); its ``picture`` is the form of
    what the task renders, or None; its ``quality`` has ``loss`` in place of a PSNR. Its tensors
    are the trained members, float32 in their shapes.
    """

    recipe: ShaderRecipe
    offered = ("members",)
    values: Mapping[str, Any] = field(default_factory=dict)
    trusted: bool = False
    kind = KIND
    draws_view = True  # a function of u and v, evaluated at pixel centers
    parts = RULES
    rated = False  # drawn by text of any size: bytes mean nothing
    curve_note = "The mean loss over the threads of a step."
    report_titles = {"grids": "Trained textures"}  # noqa: RUF012

    @classmethod
    def of(
        cls, asset: Asset, values: Mapping[str, Any] | None = None, *, trust: bool = False
    ) -> OpenedShader:
        """Return an asset of this kind opened; AssetError for an incomplete header."""
        return replace(super().of(asset), values=values or {}, trusted=trust)

    def forms(self) -> Mapping[str, Form]:
        """Return the forms of trained members."""
        return member_forms(self.asset)

    @property
    def shipped(self) -> Mapping[str, Any]:
        """Return the header's facts of the user's module."""
        found: Mapping[str, Any] = self.header.own["module"]
        return found

    @property
    def shows(self) -> bool:
        """Return whether the task renders something."""
        return self.header.picture is not None

    @property
    def picture(self) -> Mapping[str, Any]:
        """Return the form of what the task renders. Raises AssetError for a task without render."""
        if self.header.picture is None:
            raise AssetError(f"{self.path}: got a task without render(float2 uv), need one "
                             "that shows something. Its numbers: "
                             "neuralshade.load(path).tensors.")  # fmt: skip
        return self.header.picture

    def recipe_flags(self) -> dict[str, Any]:
        """Return the values of its members as --set of its fit takes them.

        Without pictures in memory, and initial values and rates of trained members, which the
        asset does not hold.
        """
        pictures = {name: one["path"] for name, one in self.shipped["pictures"].items()}
        pairs = [f"{name}={path}" for name, path in pictures.items() if path is not None]
        for name, value in self.shipped["values"].items():
            numbers = value if isinstance(value, list) else [value]
            between = "x" if name.endswith(".size") else ","
            pairs.append(f"{name}={between.join(map(str, numbers))}")
        return {"set": pairs} if pairs else {}

    def _request(self) -> RenderRequest:
        """Return the task with its trained members as stored.

        A missing picture that its render does not read is replaced by a black one.

        Raises: AssetError where its module is not trusted, or a member's picture is missing or
            differs; PictureError for an unreadable one among ``values``.
        """
        from neuralshade.kinds.shader.renderer import RenderRequest

        foreign = check_trusted(self._source, self.path, self.trusted)
        values = {**self.shipped["values"], **self.tensors, **self.values}
        for name, facts in self.shipped["pictures"].items():
            try:
                values[name] = self._picture_of(name, facts)[0]
            except AssetError:
                channels = unused_pictures(self._source).get(name)
                if channels is None:
                    raise
                log.info("%s: Task.%s is missing; render does not read it.", self.path, name)
                values[name] = Picture(np.zeros((1, 1, channels), np.uint8), "srgb", name)
        shown = self.header.picture
        return RenderRequest(replace(self._source, foreign=foreign), values, self.recipe,
                      int(self.header.training["steps"]), 0 if shown is None else shown["channels"],
                      self.path)  # fmt: skip

    def _picture_of(self, name: str, facts: Mapping[str, Any]) -> tuple[Any, Path | None]:
        """Return a member's current picture, and its file."""
        return picture_of(name, facts, self.values.get(name), self.path)

    def _inputs(self) -> list[Input]:
        """Return the pictures that its render reads."""
        unused = unused_pictures(self._source)
        return [
            input_of(name, *self._picture_of(name, facts))
            for name, facts in self.shipped["pictures"].items()
            if name not in unused
        ]

    @property
    def _source(self) -> ShaderSource:
        module = self.shipped  # older assets have no files
        return ShaderSource(module["text"], module["name"], module.get("files", {}))

    def scene(self, reference: Any = None) -> Scene:
        """Return the scene of a live page; see Opened. Raises AssetError too where not trusted."""
        check_trusted(self._source, self.path, self.trusted)
        return super().scene(reference)

    @property
    def numbers(self) -> int:
        """Return how many trained numbers there are."""
        return sum(array.size for array in self.tensors.values())

    def grids(self) -> Titled:
        """Return the trained textures."""
        textures = {f"{name}.size" for name in self.tensors} & set(self.shipped["values"])
        return [(n, a) for n, a in self.tensors.items() if f"{n}.size" in textures]

    def evaluate(self, reference: Any = None, notice: Notice = ignore) -> Table:
        """Return its quality as a picture; without one, its mean loss over new random numbers."""
        if reference is not None:
            return super().evaluate(reference, notice)
        from neuralshade.kinds.shader.evaluate import loss_table

        for name, facts in self.shipped["pictures"].items():  # the loss needs all of them
            self._picture_of(name, facts)
        self.close()  # an open renderer may have started without some of them
        with self:
            return loss_table(self._renderer.row())

    def in_memory(self) -> InMemory:
        """Return how a GPU holds it: its render is evaluated at any position."""
        from neuralshade.measure.quality_rows import InMemory

        return InMemory(random_access=True)

    def rows(self, target: Numbers, result: Numbers, rivals: Any = None) -> Table:
        """Return the table of its picture, with the bytes of its inputs."""
        table = super().rows(target, result, rivals)
        resized = any(name.endswith(".size") for name in self.values)
        return with_inputs(table, self._inputs(), None if resized else self.numbers)

    def reached(self) -> list[tuple[str, str]]:
        """Return a line on the loss, and one on the inputs besides its asset."""
        lines = [("Loss in its last step", f"{self.header.quality['loss']:.4g}")]
        inputs = self._inputs()
        return [*lines, ("Also reads", listed_inputs(inputs))] if inputs else lines

    def members(self) -> list[tuple[str, str]]:
        """Return the trained members: the numbers of small ones, the shapes of others."""
        return [
            (name, np.array2string(array, precision=6, separator=", ")
             if array.size <= MOST_SHOWN else f"{array.dtype} {list(array.shape)}")
            for name, array in self.tensors.items()
        ]  # fmt: skip

    def same_reference(self, reference: Any) -> Any:
        """Return None: a fit has no reference for its task's picture."""
        return None

    def quality_summary(self) -> dict[str, str]:
        """Return lines for users: the module, its members' values, the loss."""
        values = self.shipped["values"] | {
            name: picture["path"] for name, picture in self.shipped["pictures"].items()
        }
        return {"module": ", ".join([self.shipped["name"], *self.shipped.get("files", {})]),
                **{f"  {name}": str(value) for name, value in values.items()},
                "quality": f"loss {self.header.quality['loss']:.4g} in its last step"}  # fmt: skip

    def draw(self, width: int, height: int, crop: Crop = WHOLE) -> npt.NDArray[Any]:
        """Return float32 [height, width, C] at pixel centres of ``crop``, not clamped."""
        check_pixels(width, height)
        try:
            return self._renderer.draw(width, height, crop)
        except NeuralShadeError:  # a lost process or device cannot be used again
            self.close()
            raise

    @property
    def untrusted(self) -> bool:
        """Return whether no fit of this user had its module."""
        return not is_known(self._source)

    def program(self, name: str) -> TaskProgram:
        """Return its render as a function ``NAME_rendered`` of a Slang module."""
        unused = unused_pictures(self._source)
        return self._renderer.program(name, sorted(unused))

    def compiled(self, *what: Any) -> bytes:
        """Return its kernels as ``compile_in_process`` does; AssetError for unsafe ones."""
        return self._renderer.compiled(*what)

    def close(self) -> None:
        """Close the renderer; the next drawing opens a new one."""
        renderer: TaskRenderer | None = vars(self).pop("_renderer", None)
        if renderer is not None:
            renderer.close()

    @cached_property
    def _renderer(self) -> TaskRenderer:
        request = self._request()
        if not request.source.foreign:
            from neuralshade.kinds.shader.renderer import LocalRenderer

            return LocalRenderer(request)
        from neuralshade.kinds.shader.sandbox.renderer import SandboxRenderer

        return SandboxRenderer(request)
