"""Concatenation of several encodings of one position. Device half: composite.slang."""

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy.typing as npt
import torch

from neuralshade.model.encoding import Encoding, position_type
from neuralshade.model.parameters import SlangType, Table, check_count


class Composite(Encoding):
    """Concatenation of ``parts`` in this order; the width is the sum of theirs.

    Each part takes as many of a position's coordinates as it has dimensions, from number
    ``firsts`` on; from the first on where that is None.
    """

    def __init__(self, parts: Sequence[Encoding], firsts: Sequence[int] | None = None):
        super().__init__()
        self.parts = torch.nn.ModuleList(parts)
        self.members = tuple(parts)  # the same, typed
        self.width = sum(part.width for part in parts)
        firsts = [0] * len(parts) if firsts is None else firsts
        self.shares = [
            slice(first, first + part.dimensions) for first, part in zip(firsts, parts, strict=True)
        ]
        self.dimensions = max(share.stop for share in self.shares)
        self._prepared_widths: tuple[list[int], list[int]] | None = None

    def forward(self, at: torch.Tensor) -> torch.Tensor:
        parts = zip(self.members, self.shares, strict=True)
        return torch.cat([part(at[:, share]) for part, share in parts], dim=1)

    def along(self, axis: int, x: torch.Tensor) -> torch.Tensor:
        return torch.cat(self._prepared(axis, x), dim=1)

    def _prepared(self, axis: int, x: torch.Tensor) -> list[torch.Tensor]:
        """Return ``along`` of each part; no column for a part without that axis."""
        parts = zip(self.members, self.shares, strict=True)
        return [
            part.along(axis, x) if share.start <= axis < share.stop else x.new_empty(len(x), 0)
            for part, share in parts
        ]

    def combine(
        self, along_u: torch.Tensor, along_v: torch.Tensor, compute: torch.dtype | None = None
    ) -> torch.Tensor:
        of_u = along_u.split(self.prepared_widths(0), dim=1)
        of_v = along_v.split(self.prepared_widths(1), dim=1)
        parts = zip(self.members, of_u, of_v, strict=True)
        return torch.cat([part.combine(u, v, compute) for part, u, v in parts])

    def prepared_widths(self, axis: int) -> list[int]:
        """Return the columns of each part's ``along``, computed once."""
        if self._prepared_widths is None:
            probe = torch.zeros(1)
            widths = [[columns.shape[1] for columns in self._prepared(a, probe)] for a in (0, 1)]
            self._prepared_widths = (widths[0], widths[1])
        return self._prepared_widths[axis]

    def slang(self, name: str) -> SlangType:
        """Return ``Composite<A, Composite<B, C>>`` for three parts; one part is itself."""
        return self._joined(name, [part.slang for part in self.members])

    def sized_slang(self, name: str) -> SlangType:
        return self._joined(name, [part.sized_slang for part in self.members])

    def _joined(self, name: str, parts: Sequence[Callable[[str], SlangType]]) -> SlangType:
        if self._is_single():
            return parts[0](name)
        check_count(type(self).__name__, self.number_count())
        halves = [part(f"{name}Part{i}") for i, part in enumerate(parts)]
        position = position_type(self.dimensions)
        types = [
            f"From<{share.start}, {half.type}, {position}>" if share.start else half.type
            for half, share in zip(halves, self.shares, strict=True)
        ]
        nested = types[-1]
        for part in reversed(types[:-1]):
            nested = f"Composite<{part}, {nested}{', ' + position if self.dimensions != 2 else ''}>"
        modules = frozenset({"neuralshade.model.composite"}).union(*(h.modules for h in halves))
        uniforms = {key: value for half in halves for key, value in half.uniforms.items()}
        return SlangType(nested, modules, "".join(half.declarations for half in halves), uniforms)

    def fixed_buffers(self, name: str) -> Mapping[str, npt.NDArray[Any]]:
        found: dict[str, npt.NDArray[Any]] = {}
        for i, part in enumerate(self.members):
            found |= part.fixed_buffers(name if self._is_single() else f"{name}Part{i}")
        return found

    def _is_single(self) -> bool:
        """Return whether the device half is that of the only part."""
        return len(self.members) == 1 and self.shares[0].start == 0

    def number_count(self) -> int:
        return sum(part.number_count() for part in self.members)

    def views(self, flat: torch.Tensor) -> list[torch.Tensor]:
        parts = flat.split([part.number_count() for part in self.members])
        return [v for part, own in zip(self.members, parts, strict=True) for v in part.views(own)]

    def tables(self) -> list[Table]:
        tables, first = list[Table](), 0
        for part in self.members:
            own = part.tables()
            tables += [dataclasses.replace(table, first=first + table.first) for table in own]
            first += part.number_count()
        return tables


def members_of(encoding: Encoding, first: int = 0) -> Iterator[tuple[Encoding, int]]:
    """Yield every encoding that contains no others, with its first column."""
    if not isinstance(encoding, Composite):
        yield encoding, first
        return
    for member in encoding.members:
        yield from members_of(member, first)
        first += member.width


def placed_members(encoding: Encoding) -> Iterator[tuple[Encoding, int, list[Table]]]:
    """Yield ``members_of`` with the tables of each, by their place among all numbers."""
    tables = iter(encoding.tables())
    for member, first in members_of(encoding):
        yield member, first, [next(tables) for _ in member.tables()]
