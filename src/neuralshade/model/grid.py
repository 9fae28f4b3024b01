"""Base class of dense and hash grids: their trained numbers on the device."""

import itertools
from collections.abc import Sequence

import torch

from neuralshade.model.bilinear import smooth_share
from neuralshade.model.encoding import Encoding
from neuralshade.model.level_table import table_type
from neuralshade.model.parameters import SlangType, Table, check_count

LEVELS = """public struct {name}Levels : ILevels
{{
    public static const int COUNT = {count};
    public static const uint ENTRIES = {entries}u;
    static const int2 SIZES[COUNT] = {{ {sizes} }};
    static const uint FIRSTS[COUNT] = {{ {firsts} }};
    public static int2 size(int level) {{ return SIZES[level]; }}
    public static uint first(int level) {{ return FIRSTS[level]; }}
}}
"""


class Grid(Encoding):
    """Encoding by levels of table entries; each parameter holds one level.

    On the device the levels follow each other, and the features of an entry lie together.
    ``bits``: per number in the asset; ``smooth``: whether entries are interpolated by
    ``smooth_share``.
    """

    bits: int = 32
    smooth: bool = False
    fixed: tuple[str, ...] = ()  # buffers that an asset stores beside the numbers
    features_axis: int  # the axis of each parameter along which its features lie

    def sizes(self) -> list[tuple[int, int]]:
        """Return (across, down) of each level, in texels or in cells."""
        raise AssertionError(f"{type(self).__name__} has no sizes")

    def share(self, x: torch.Tensor) -> torch.Tensor:
        """Return the weight of the next entry at fraction ``x`` towards it."""
        return smooth_share(x) if self.smooth else x

    def slang_type(self, name: str, stem: str, kind: str, *settings: int) -> SlangType:
        """Return ``kind`` <levels, features, settings> with its levels declared after ``name``."""
        check_count(type(self).__name__, self.number_count())
        tables = self.tables()
        declaration = LEVELS.format(
            name=name,
            count=len(tables),
            entries=sum(table.entries for table in tables),
            sizes=", ".join(f"int2({across}, {down})" for across, down in self.sizes()),
            firsts=", ".join(f"{table.first // table.features}u" for table in tables),
        )
        modules = frozenset({"neuralshade.model.bilinear", f"neuralshade.model.{stem}"})
        return SlangType(self._kind(kind, f"{name}Levels", settings), modules, declaration)

    def sized_type(self, name: str, stem: str, kind: str, *settings: int,
                   levels: str = "LevelTable", extra: Sequence[int] = ()) -> SlangType:  # fmt: skip
        """Return the same with levels in a uniform, of Slang type ``levels``.

        ``extra``: the numbers of the encoding's own in the table, one a level.
        """
        check_count(type(self).__name__, self.number_count())
        tables = self.tables()
        own = extra or [0] * len(tables)
        rows = [
            (table.first // table.features, *size, number)
            for table, size, number in zip(tables, self.sizes(), own, strict=True)
        ]
        entries = sum(table.entries for table in tables)
        of_type = self._kind(kind, f"{levels}<{name}Table>", settings)
        return table_type(name, of_type, rows, entries, frozenset({f"neuralshade.model.{stem}"}))

    def _kind(self, kind: str, levels: str, settings: Sequence[int]) -> str:
        features = next(iter(self.parameters())).shape[self.features_axis]
        listed = ", ".join(map(str, (levels, features, *settings)))
        return f"{kind}<{listed}{', true' * self.smooth}>"

    def number_count(self) -> int:
        count = sum(level.numel() for level in self.parameters())
        return count + count % 2

    def views(self, flat: torch.Tensor) -> list[torch.Tensor]:
        views, first = [], 0
        for level in self.parameters():
            shape = level.movedim(self.features_axis, -1).shape
            view = flat[first : first + level.numel()].view(shape)
            views.append(view.movedim(-1, self.features_axis))
            first += level.numel()
        return views

    def tables(self) -> list[Table]:
        levels = list(self.parameters())
        counts = [level.numel() for level in levels]
        firsts = itertools.accumulate(counts, initial=0)
        features = levels[0].shape[self.features_axis]
        return [
            Table(first, count // features, features, self.bits)
            for first, count in zip(firsts, counts, strict=False)
        ]
