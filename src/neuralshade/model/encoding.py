"""Base class of encodings: position to numbers. Device half: encoding.slang."""

import inspect
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy.typing as npt
import torch

from neuralshade.base.deprecated import warn_renamed
from neuralshade.errors import ShapeError
from neuralshade.model.parameters import SlangType, Table

NOT_SETTINGS = ("self", "rng", "dimensions")  # constructor parameters that texts cannot set


class Encoding(torch.nn.Module):
    """Map from a position of ``dimensions`` numbers in [0, 1] to ``width`` numbers.

    Subclasses set ``width`` and write ``forward``, the reference for any set of positions.
    If the numbers of a column and of a row of a picture's pixels (u, v) can be
    prepared separately, subclasses also write ``along`` and ``combine``; then a lattice
    of R rows and C columns costs R + C preparations instead of R * C.

    ``slang`` returns the device half. Subclasses with trained numbers also write
    ``number_count``, ``views`` and ``tables``, which locate those on the device.

    ``limits`` is for other packages: the smallest and the largest value of every
    setting of the constructor, whole numbers with defaults.
    """

    width: int
    dimensions: int = 2
    limits: ClassVar[Mapping[str, tuple[int, int]]] = {}

    def forward(self, at: torch.Tensor) -> torch.Tensor:
        """Return the encoding: float32 [N, dimensions] in [0, 1] -> float32 [N, width]."""
        raise AssertionError(f"{type(self).__name__} has no forward")

    def along(self, axis: int, x: torch.Tensor) -> torch.Tensor:
        """Prepare coordinates ``x`` [n] of axis 0 (u) or 1 (v): -> [n, any]; no gradient."""
        return x[:, None]

    def combine(
        self, along_u: torch.Tensor, along_v: torch.Tensor, compute: torch.dtype | None = None
    ) -> torch.Tensor:
        """Return the encoding of the lattice of prepared columns and rows: [width, R, C].

        ``compute`` is what the network multiplies in; products may be made in it already.
        None keeps the dtype that was prepared.
        """
        rows, cols = len(along_v), len(along_u)
        u = along_u[:, 0].expand(rows, cols)
        v = along_v[:, 0, None].expand(rows, cols)
        uv = torch.stack([u, v], dim=-1).reshape(-1, 2)
        return self(uv).t().reshape(self.width, rows, cols)

    def on_lattice(self, u: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        """Return the encoding at every (u, v) of ``u`` [C] and ``v`` [R]: [width, R, C]."""
        return self.combine(self.along(0, u), self.along(1, v))

    def slang(self, name: str) -> SlangType:
        """Return the Slang type of this encoding, which implements ``IEncoding``.

        ``name`` is an identifier, unique in the program, and the prefix of all structs declared
        for the type.

        Raises: ConfigError if the trained numbers are too many for the shader's index.
        """
        raise AssertionError(f"{type(self).__name__} has no slang")

    def sized_slang(self, name: str) -> SlangType:
        """Return ``slang`` with sizes in uniforms: kernels then serve encodings of all sizes."""
        return self.slang(name)

    def fixed_buffers(self, name: str) -> Mapping[str, npt.NDArray[Any]]:
        """Return untrained buffers for the declarations of ``slang(name)``, by name."""
        return {}

    def number_count(self) -> int:
        """Return ``PARAMETERS`` of the device half: trained numbers, filled up to even."""
        return 0

    def views(self, flat: torch.Tensor) -> list[torch.Tensor]:
        """Return the parts of ``flat`` [number_count] that hold each parameter, in its shape.

        They share memory with ``flat``, and come in the order of ``parameters()``.
        """
        return []

    def tables(self) -> list[Table]:
        """Return the location of every grid level in the result of ``flatten``."""
        return []

    def flatten(self, values: Sequence[torch.Tensor]) -> torch.Tensor:
        """Return numbers in the order in which the device half reads them.

        Args:
            values: float, any dtype, shaped like ``list(self.parameters())``: the parameters
                themselves, their gradients, or their moments.

        Returns:
            float32 [number_count], on the device of ``values``; the filling is 0. No gradient.

        Raises: ShapeError if number or shapes of ``values`` differ from the parameters'.
        """
        got, need = ([list(v.shape) for v in many] for many in (values, self.parameters()))
        if got != need:
            raise ShapeError(f"{type(self).__name__}.flatten: got shapes {got}, need {need}. "
                             "Pass one tensor per parameter, in their order.")  # fmt: skip
        place = values[0].device if values else None
        flat = torch.zeros(self.number_count(), dtype=torch.float32, device=place)
        for view, value in zip(self.views(flat), values, strict=True):
            view.copy_(value.detach())
        return flat

    def unflatten(self, flat: torch.Tensor) -> list[torch.Tensor]:
        """Return copies of ``flat``'s numbers, shaped like ``list(self.parameters())``.

        Undoes ``flatten``; keeps dtype and device.

        Args:
            flat: any dtype, [number_count].

        Raises: ShapeError for another shape.
        """
        if flat.shape != (self.number_count(),):
            got, need = list(flat.shape), [self.number_count()]
            raise ShapeError(f"{type(self).__name__}.unflatten: got shape {got}, need {need}. "
                             "Pass what flatten returned.")  # fmt: skip
        return [v.clone(memory_format=torch.contiguous_format) for v in self.views(flat.detach())]


class AxisEncoding(Encoding):
    """Encoding that treats each coordinate alone, by one function ``axis_features``."""

    def __init__(self, per_axis: int, dimensions: int = 2):
        super().__init__()
        self.width, self.dimensions = dimensions * per_axis, dimensions

    def axis_features(self, x: torch.Tensor) -> torch.Tensor:
        """Return the features of one coordinate: [...] -> [..., per_axis]."""
        raise AssertionError(f"{type(self).__name__} has no axis_features")

    def forward(self, at: torch.Tensor) -> torch.Tensor:
        """Return all features of the first coordinate, then of the next: [N, D] -> [N, width]."""
        return self.axis_features(at).flatten(-2)

    def along(self, axis: int, x: torch.Tensor) -> torch.Tensor:
        return self.axis_features(x)

    def combine(
        self, along_u: torch.Tensor, along_v: torch.Tensor, compute: torch.dtype | None = None
    ) -> torch.Tensor:
        along_u, along_v = along_u.to(dtype=compute), along_v.to(dtype=compute)
        rows, cols = len(along_v), len(along_u)
        of_u = along_u.t()[:, None, :].expand(-1, rows, cols)
        of_v = along_v.t()[:, :, None].expand(-1, rows, cols)
        return torch.cat([of_u, of_v])

    def slang_type(self, stem: str, kind: str, *settings: int) -> SlangType:
        """Return ``kind`` <settings, position type>; the type of (u, v) is the default.

        ``stem``: of the Slang file beside this one; with a dot, the full name of a Slang
        module, such as ``__name__`` for one beside the caller.
        """
        listed = [str(setting) for setting in settings]
        if self.dimensions != 2:
            listed.append(position_type(self.dimensions))
        name = f"{kind}<{', '.join(listed)}>" if listed else kind
        module = stem if "." in stem else f"neuralshade.model.{stem}"
        return SlangType(name, frozenset({module}))

    def slang_half(self, stem: str, kind: str, *settings: int) -> SlangType:
        """Return ``slang_type``; the old name."""
        warn_renamed("AxisEncoding.slang_half", "AxisEncoding.slang_type")
        return self.slang_type(stem, kind, *settings)


def settings_of(encoding: type[Encoding]) -> dict[str, int]:
    """Return the settings of an encoding and their defaults."""
    parameters = inspect.signature(encoding.__init__).parameters.values()
    return {p.name: p.default for p in parameters if p.name not in NOT_SETTINGS}


def is_drawn(encoding: type[Encoding]) -> bool:
    """Return whether its trained numbers are drawn from a generator, the argument ``rng``."""
    return "rng" in inspect.signature(encoding.__init__).parameters


def position_type(dimensions: int) -> str:
    """Return the Slang type of a position of so many numbers: an ``IPosition``."""
    return f"float{dimensions}" if dimensions <= 4 else f"Coordinates<{dimensions}>"
