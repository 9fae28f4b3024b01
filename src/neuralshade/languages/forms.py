"""Parts of shader forms that all kinds share: header, footprints, positions of checks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.errors import AssetError
from neuralshade.languages.numbers import number
from neuralshade.model.shader_form import (
    Function,
    Golden,
    Parameter,
    ShaderForm,
    Struct,
    Texture,
)

IN_HALVES = 5e-3  # of full scale, or of (abs(value) + a least): networks in float16
GOLDEN = 256  # positions of a check
SEED = 50
LEVEL_TOLERANCE = 3.2e-5  # of levels: logarithms
UV = Parameter("float2", "uv", "u to the right, v down, 0 to 1; pixel centers at (i + 0.5) / size")
AREA = 2  # samples along each side of a footprint

LARGEST = float(np.finfo(np.float32).max)

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Header:
    """Header of a file: facts about its asset."""

    opened: Any  # an Opened
    name: str
    about: str
    facts: dict[str, str]

    def form(
        self,
        structs: Sequence[Struct],
        functions: Sequence[Function],
        words: npt.NDArray[np.uint32],
        answers: Callable[[], Sequence[Golden]],
        textures: Sequence[Texture] = (),
    ) -> ShaderForm:
        """Return the form with this header.

        Raises: AssetError where a network has numbers beyond float32.
        """
        form = ShaderForm(self.name, (), tuple(structs), tuple(functions), words, answers)
        layers = [layer for network in form.networks for layer in network.layers]
        numbers = [part for layer in layers for part in (layer.weight, layer.bias)]
        if not all(np.abs(part).max(initial=0) <= LARGEST for part in numbers):
            raise AssetError(f"{self.opened.path}: got a network with numbers beyond float32, need "
                             "finite ones. Fit it again.")  # fmt: skip
        quality = self.opened.header.quality.get("psnr_db")
        fitted = Path(self.opened.path).name
        source = self.opened.header.own.get("source")
        facts = {"asset": f"{fitted}, {self.opened.byte_count:,} bytes, kind "
                          f"{self.opened.kind.name}",
                 **({} if quality is None else {"PSNR": f"{quality:.2f} dB"}),
                 **({} if source is None else {"source": source}),
                 **self.facts,
                 **({"cost": f"{form.multiply_adds:,} multiply-adds in networks"}
                    if form.networks else {}),
                 "license": "yours: this text and its numbers are output of your fit"
                 if source is None else "that of the network that was imported"}  # fmt: skip
        lines = (f"{self.name}: {self.about}",
                 *(f"{title}: {fact}" for title, fact in facts.items()),
                 "Written by neuralshade export.")  # fmt: skip
        return ShaderForm(self.name, lines, form.structs, form.functions, words, answers, facts,
                          textures=tuple(textures))  # fmt: skip


def calling_functions(
    name: str, result: str, about: str, space: str
) -> tuple[Function, Function, Function]:
    """Return a program's function, and the form's two that call it: the usual one, and its area.

    ``about``: the result of the usual one; ``space``: srgb or linear.
    """
    program = Function(result, f"{name}_rendered", (UV,), ())
    main = Function(result, name, (UV,), (f"return {program.name}(uv);",), about, public=True,
                    meaning="color", space=space)  # fmt: skip
    return program, main, area_function(name, result)


def area_function(name: str, kind: str) -> Function:
    """Return ``NAME_area``: the mean of a few samples of a pixel's footprint."""
    uv = Parameter("float2", "uv", "center of the footprint")
    steps = [f"({(i + 0.5) / AREA - 0.5})" for i in range(AREA)]
    samples = [f"{name}(uv + dx * {x} + dy * {y})" for y in steps for x in steps]
    return Function(
        kind, f"{name}_area",
        (uv, Parameter("float2", "dx", "step of uv to the next pixel along x, as dFdx has it"),
         Parameter("float2", "dy", "likewise along y")),
        (f"return ({' + '.join(samples)}) * {1 / AREA**2};",),
        f"Return the mean of {AREA**2} samples of a footprint, which aliases less.", public=True,
    )  # fmt: skip


def golden_positions() -> Floats:
    """Return positions in the unit square, its corners among them: float32 [GOLDEN, 2]."""
    rng = np.random.default_rng(SEED)
    at = rng.random((GOLDEN, 2), np.float32)
    at[:4] = [(0, 0), (1, 0), (0, 1), (1, 1)]
    return at


def level_function(name: str, size: tuple[int, int]) -> Function:
    """Return ``NAME_level``: of a map whose finest level has ``size`` texels across and down."""
    texels = f"float2({number(size[0])}, {number(size[1])})"
    return Function(
        "float", f"{name}_level",
        (Parameter("float2", "dx", "step of uv to the next pixel across, as dFdx has it; dy: down"),
         Parameter("float2", "dy")),
        (f"const float2 across = dx * {texels};", f"const float2 down = dy * {texels};",
         "const float square = max(max(dot(across, across), dot(down, down)), 1.0);",
         "return 0.72134752 * log(square);"),
        "Return the level whose texels are as large as the longer side of a footprint.",
        public=True, meaning="level",
    )  # fmt: skip


def level_rows(name: str, size: tuple[int, int]) -> Golden:
    """Return golden rows of ``level_function``: footprints of all sizes and directions."""
    rng = np.random.default_rng(SEED)
    drawn = np.exp2(rng.uniform(-12, 1, (GOLDEN, 1))) * rng.normal(size=(GOLDEN, 4))
    steps: Floats = drawn.astype(np.float32)
    texels = steps.astype(np.float64).reshape(GOLDEN, 2, 2) * size
    level = np.log2(np.maximum(np.linalg.norm(texels, axis=2).max(1), 1))
    return Golden(f"{name}_level", steps, level[:, None].astype(np.float32), LEVEL_TOLERANCE)
