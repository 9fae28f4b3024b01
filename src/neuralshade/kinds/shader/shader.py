"""Shader form of a user's task: its render, with the trained numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from neuralshade.kinds.shader.program import program_files
from neuralshade.languages.forms import Header, calling_functions
from neuralshade.model.shader_form import Golden, ShaderForm, SlangProgram

if TYPE_CHECKING:
    from neuralshade.kinds.shader.opened import OpenedShader

SPACES = {"srgb": "sRGB-encoded, not clamped", "linear": "linear, not clamped"}
SIDE = 16  # golden positions along a side
VIEW = (0.013, 0.007, 0.981, 0.993)  # their region: no texel centers
TOLERANCE = 2e-4  # of full scale: a user's text may hold any mathematics, which the devices of
# reference and port round differently


def task_shader(opened: OpenedShader, name: str) -> ShaderForm:
    """Return ``NAME(uv)`` and ``NAME_area(uv, dx, dy)``; see ``Opened.shader``.

    Raises: AssetError for a task without render, or one that is not trusted.
    """
    space = SPACES[opened.picture["color_space"]]
    program = opened.program(name)
    module, files = program_files(program, opened.shipped.get("files", {}), name)
    about = f"Return what the task renders at uv: {space}."
    function, main, area = calling_functions(name, program.result, about,
                                             opened.picture["color_space"])  # fmt: skip
    what = f"What {opened.shipped['name']} renders, with what was trained."
    header = Header(opened, name, what, {
        "color space": space, "loss": f"{opened.header.quality['loss']:.4g} in its last step",
    })  # fmt: skip

    def answers() -> list[Golden]:
        found = opened.draw(SIDE, SIDE, VIEW)
        columns = 1 if program.result == "float" else int(program.result[-1])
        rows = np.ascontiguousarray(found.reshape(SIDE**2, -1)[:, :columns], np.float32)
        scale = max(1.0, float(np.abs(rows).max()))
        return [Golden(name, golden_places(), rows, TOLERANCE * scale)]

    form = header.form((), (main, area), program.words, answers)
    ported = SlangProgram(function, module, files, opened.compiled, opened.untrusted)
    return replace(form, program=ported)


def golden_places() -> npt.NDArray[np.float32]:
    """Return the positions of ``answers``: float32 [SIDE^2, 2], as its kernel has them."""
    start, end = np.array(VIEW, np.float32).reshape(2, 2)
    rows, columns = np.mgrid[0:SIDE, 0:SIDE]
    share = (np.stack([columns, rows], axis=-1).astype(np.float32) + np.float32(0.5)) / SIDE
    places: npt.NDArray[np.float32] = start + (end - start) * share.astype(np.float32)
    return places.reshape(-1, 2)
