"""Quality charts of a texture set as SVG: PSNR by bytes, and by mip."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator
from matplotlib.transforms import Bbox

from neuralshade.measure.curves import ACCENT, INK, OTHERS, RULE, STYLE, svg_text
from neuralshade.measure.map_psnr import EQUAL_DB

SIZE_IN = (6.2, 3.6)
PLAIN = {"text.parse_math": False}  # names of maps may hold any characters
LABEL_PT = 11  # from one line of labels to the next
AWAY_PT, MARK_PT = 9, 6  # from a point's middle to its label, and to the edge of its mark
MOST_LINES = 24  # label positions up or down
# Dashes distinguish lines without color
LOOKS = [(color, dashes) for dashes, color in product(("-", "--", "-.", ":"), (ACCENT, *OTHERS))]
Point = tuple[str, float, float, bool]  # name, bytes, dB, random access


def rate_chart(points: Sequence[Point]) -> str:
    """Return the SVG of mean PSNR against bytes, on a log axis; the first point is the asset.

    Those with random access are filled.
    """
    with rc_context(STYLE | PLAIN):
        figure = Figure(SIZE_IN, layout="constrained")
        axes = figure.add_subplot(xlabel="bytes on disk", ylabel="mean PSNR [dB]", xscale="log")
        for index, (_, size, quality, random) in enumerate(points):
            color = ACCENT if index == 0 else OTHERS[0] if random else INK
            axes.plot([size], [quality], "o", color=color, markersize=8 if index == 0 else 6,
                      fillstyle="full" if random else "none")  # fmt: skip
        axes.margins(y=0.14)
        low, high = (function(size for _, size, _, _ in points) for function in (min, max))
        axes.set_xlim(low / 1.35, high * max(2.2, (high / low) ** 0.35))
        axes.grid(color=RULE, linewidth=0.6)
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5), numticks=12))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: short_bytes(value)))
        axes.xaxis.set_minor_locator(LogLocator(subs=()))
        axes.yaxis.set_major_locator(MaxNLocator(6))
        _label(figure, axes, points)
        return svg_text(figure)


def _label(figure: Figure, axes: Axes, points: Sequence[Point]) -> None:
    """Label each point where no other label or mark lies; see ``_spots``."""
    figure.draw_without_rendering()  # computes the layout
    figure.set_layout_engine("none")
    pt = figure.dpi / 72
    spots = {point: axes.transData.transform(point[1:3]) for point in points}
    taken = [Bbox.from_extents(*(spot - MARK_PT * pt), *(spot + MARK_PT * pt))
             for spot in spots.values()]  # fmt: skip
    inside = Bbox.from_extents(*axes.bbox.min, *figure.bbox.max)
    for point in sorted(points, key=lambda each: each[2]):
        text = axes.annotate(f"{point[0]}, {point[2]:.1f}", point[1:3], (0, 0), va="center",
                             textcoords="offset points", fontsize=8.5)  # fmt: skip
        size = text.get_window_extent()
        for right, up in _spots():
            x, y = spots[point] + pt * np.array([right * AWAY_PT, up * LABEL_PT])
            left = x if right > 0 else x - size.width
            box = Bbox.from_bounds(left, y - size.height / 2, size.width, size.height)
            if not box.count_overlaps(taken) and _holds(inside, box):
                break
        taken.append(box)
        text.set_position((right * AWAY_PT, up * LABEL_PT))
        text.set_horizontalalignment("left" if right > 0 else "right")
        if abs(up) > 1:  # far from its point
            line = {"arrowstyle": "-", "color": INK, "linewidth": 0.5}
            axes.annotate("", point[1:3], text.get_position(), textcoords="offset points",
                          arrowprops=line)  # fmt: skip


def _spots() -> Iterator[tuple[int, float]]:
    """Yield label positions, the best first: 1 right of the point or -1 left, lines up."""
    for line in range(MOST_LINES):
        for up in (line, -line) if line else (0,):
            yield from ((1, up), (-1, up))


def _holds(outer: Bbox, inner: Bbox) -> bool:
    wide = outer.x0 <= inner.x0 and inner.x1 <= outer.x1
    return bool(wide and outer.y0 <= inner.y0 and inner.y1 <= outer.y1)


def short_bytes(byte_count: float) -> str:
    """Return bytes abbreviated for an axis."""
    for unit, name in ((1e6, "MB"), (1e3, "kB")):
        if byte_count >= unit:
            return f"{byte_count / unit:g} {name}"
    return f"{byte_count:g}"


def mips_chart(lines: Mapping[str, Sequence[float]]) -> str:
    """Return the SVG of each map's PSNR by mip, without mips that are equal."""
    with rc_context(STYLE | PLAIN):
        figure = Figure(SIZE_IN, layout="constrained")
        axes = figure.add_subplot(xlabel="mip", ylabel="PSNR [dB]")
        for index, (name, values) in enumerate(lines.items()):
            color, dashes = LOOKS[index % len(LOOKS)]
            drawn = [value if value < EQUAL_DB else math.nan for value in values]
            axes.plot(range(len(values)), drawn, dashes, marker="o", markersize=3.5, color=color,
                      linewidth=1.6, label=name)  # fmt: skip
        axes.margins(y=0.1)
        axes.grid(color=RULE, linewidth=0.6)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.yaxis.set_major_locator(MaxNLocator(6))
        figure.legend(loc="outside upper center", ncols=5, frameon=False, handlelength=2.4,
                      columnspacing=1.2)  # fmt: skip
        return svg_text(figure)
