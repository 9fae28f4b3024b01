"""Encodings in the dialect of shader forms. Their values: the modules of model/."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from neuralshade.errors import ConfigError
from neuralshade.languages.columns import Columns
from neuralshade.languages.grids import GridReader
from neuralshade.languages.numbers import number
from neuralshade.model.cell_wave import CellWave
from neuralshade.model.composite import Composite
from neuralshade.model.dense_grid import DenseGrid
from neuralshade.model.encoding import Encoding
from neuralshade.model.frequency import Frequency
from neuralshade.model.hash_grid import HashGrid
from neuralshade.model.identity import Identity
from neuralshade.model.mlp import MLP
from neuralshade.model.one_blob import OneBlob
from neuralshade.model.shader_form import Function, Layer, Parameter
from neuralshade.model.staggered_grid import StaggeredGrid
from neuralshade.model.tile_grid import TileGrid
from neuralshade.model.triangle_wave import TriangleWave


def add_encoding(
    columns: Columns, grids: GridReader, encoding: Encoding, at: Sequence[str]
) -> None:
    """Add the columns of an encoding at the position whose numbers are ``at``.

    Raises: ConfigError for an encoding of another package.
    """
    if isinstance(encoding, Composite):
        for part, share in zip(encoding.members, encoding.shares, strict=True):
            add_encoding(columns, grids, part, at[share])
        return
    if isinstance(encoding, GRIDS) and type(encoding) in GRIDS:
        grids.add(columns, encoding, at)
        return
    for kind, add in WAVES.items():
        if type(encoding) is kind:
            columns.parts += 1
            add(columns, encoding, at)
            return
    raise ConfigError(f"export: got encoding {type(encoding).__name__} of another package, need "
                      "those of this one. Fit with another encoding.")  # fmt: skip


def is_ours(encoding: Encoding) -> bool:
    """Return whether ``add_encoding`` takes an encoding: all of its parts are this package's."""
    if isinstance(encoding, Composite):
        return all(map(is_ours, encoding.members))
    return type(encoding) in (*GRIDS, *WAVES)


def _identity(columns: Columns, encoding: Identity, at: Sequence[str]) -> None:
    columns.add(list(at))


def _frequency(columns: Columns, encoding: Frequency, at: Sequence[str]) -> None:
    for axis, x in enumerate(at):
        for octave in range(encoding.octaves):
            name = f"angle{columns.parts}_{axis}_{octave}"
            _turned(columns, name, f"{x} * {number(0.5 * 2.0**octave)}")
            columns.add([f"sin({name})", f"cos({name})"])


def _turned(columns: Columns, name: str, turns: str) -> None:
    """Declare an angle in radians of so many turns, whole ones taken off first."""
    columns.lines += [f"const float {name}t = {turns};",
                      f"const float {name} = ({name}t - floor({name}t + 0.5)) * "
                      f"{number(2 * math.pi)};"]  # fmt: skip


def _triangle_wave(columns: Columns, encoding: TriangleWave, at: Sequence[str]) -> None:
    for axis, x in enumerate(at):
        for octave in range(encoding.octaves):
            name = f"wave{columns.parts}_{axis}_{octave}"
            shift = f" + {number(0.25 * octave)}" if encoding.shifted and octave else ""
            columns.lines.append(f"const float {name} = {x} * {number(0.5 * 2.0**octave)}{shift};")
            columns.add([f"abs(2.0 * ({name} - floor({name})) - 1.0)"])


def _cell_wave(columns: Columns, encoding: CellWave, at: Sequence[str]) -> None:
    for axis, cells in enumerate(encoding.cells):
        name = f"cell{columns.parts}_{axis}"
        _turned(columns, name, f"{at[axis]} * {number(cells)}")
        columns.add([f"sin({name})"])


def _one_blob(columns: Columns, encoding: OneBlob, at: Sequence[str]) -> None:
    if encoding.wrapped:
        _wrapped_blob(columns, encoding, at)
        return
    erf = columns.functions.setdefault("erf", _error_function(columns.name)).name
    bins = encoding.bins
    for axis, x in enumerate(at):
        name = f"blob{columns.parts}_{axis}"
        for edge in range(bins + 1):
            place = f"({number(edge)} - {x} * {number(bins)}) * {number(math.sqrt(0.5))}"
            columns.lines.append(f"const float {name}_{edge} = {erf}({place});")
        columns.add([f"({name}_{i + 1} - {name}_{i})" for i in range(bins)],
                    scale=[0.5] * bins)  # fmt: skip


def _wrapped_blob(columns: Columns, encoding: OneBlob, at: Sequence[str]) -> None:
    """Add the columns of a quartic kernel that wraps around; see model/one_blob.py."""
    below = columns.functions.setdefault("quartic", Function(
        "float", f"{columns.name}_quartic", (Parameter("float", "x"),),
        ("const float t = clamp(x, -1.0, 1.0);", "const float square = t * t;",
         "return t * (0.9375 - square * (0.625 - square * 0.1875)) + 0.5;"),
        "The integral of 15/16 (1 - t^2)^2 from -1 to x.",
    )).name  # fmt: skip
    bins = number(encoding.bins)
    for axis, x in enumerate(at):
        name = f"blob{columns.parts}_{axis}"
        columns.lines.append(f"const float {name} = {x} * {bins};")
        for edge in range(encoding.bins + 1):
            place = f"{number(edge)} - {name}"
            columns.lines.append(
                f"const float {name}_{edge} = {below}({place}) + "
                f"{below}({place} - {bins}) + {below}({place} + {bins});"
            )
        columns.add([f"({name}_{i + 1} - {name}_{i})" for i in range(encoding.bins)])


def _error_function(name: str) -> Function:
    """Return the error function, off by less than 2e-7, as model/one_blob.slang has it."""
    above = (2.15311535e-8, 0.564188497, 8.88314980, 66.1191906, 298.635138, 881.952221,
             1712.04761, 2051.07838, 1230.33935)  # fmt: skip
    below = (1.0, 15.7449261, 117.693951, 537.181102, 1621.38957, 3290.79924, 4362.61909,
             3439.36767, 1230.33935)  # fmt: skip
    series = (-1 / 1320, 1 / 216, -1 / 42, 1 / 10, -1 / 3, 1.0)

    def polynomial(factors: Sequence[float], x: str) -> str:
        text = number(factors[0])
        for factor in factors[1:]:
            text = f"({text}) * {x} + {number(factor)}"
        return text

    return Function(
        "float", f"{name}_erf", (Parameter("float", "x"),),
        ("const float size = min(abs(x), 4.0);", "const float square = size * size;",
         f"const float near = 1.1283792 * x * ({polynomial(series, 'square')});",
         "if (size < 0.5) return near;",
         f"const float above = {polynomial(above, 'size')};",
         f"const float below = {polynomial(below, 'size')};",
         "const float rest = exp(-square) * (above / below);",
         "if (x < 0.0) return rest - 1.0;", "return 1.0 - rest;"),
        "The error function: Abramowitz and Stegun 7.1.5 near 0, else Cody 1969.",
    )  # fmt: skip


GRIDS = (DenseGrid, HashGrid, StaggeredGrid, TileGrid)
WAVES: dict[type[Encoding], Callable[..., None]] = {
    Identity: _identity, Frequency: _frequency, TriangleWave: _triangle_wave,
    CellWave: _cell_wave, OneBlob: _one_blob,
}  # fmt: skip


def layers_of(network: MLP) -> list[Layer]:
    """Return the layers of an MLP in double precision."""
    found = []
    for one, kind in zip(network.members, network.kinds, strict=True):
        weight = one.weight.detach().cpu().double().numpy()
        bias = np.zeros(len(weight)) if one.bias is None else one.bias.detach().cpu().numpy()
        found.append(Layer(weight, bias.astype(np.float64), kind))
    return found
