"""A texture set's quality as SVG text: beside its bytes, and by mip."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import product

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator

from neuralshade.measure.curves import ACCENT, INK, OTHERS, RULE, STYLE, svg_text
from neuralshade.measure.map_psnr import EQUAL_DB

SIZE_IN = (6.2, 3.6)
PLAIN = {"text.parse_math": False}  # names of maps are anybody's
LABEL_PT = 11  # between two labels, at least
# Dashes are for those who cannot tell the colors
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
    """Write each point's name right of it, moved up where another name would lie below it."""
    figure.draw_without_rendering()  # or the layout is not known yet
    figure.set_layout_engine("none")
    scale = 72 / figure.dpi
    placed: list[tuple[float, float]] = []
    for name, size, quality, _ in sorted(points, key=lambda point: point[2]):
        x, y = (float(place) * scale for place in axes.transData.transform((size, quality)))
        near = [taken for at, taken in placed if abs(at - x) < SIZE_IN[0] * 72 / 4]
        wanted = max([y, *(taken + LABEL_PT for taken in near)])
        placed.append((x, wanted))
        axes.annotate(f"{name}, {quality:.1f}", (size, quality), (9, wanted - y),
                      textcoords="offset points", va="center", fontsize=8.5)  # fmt: skip


def short_bytes(byte_count: float) -> str:
    """Return bytes as an axis has room for them."""
    for unit, name in ((1e6, "MB"), (1e3, "kB")):
        if byte_count >= unit:
            return f"{byte_count / unit:g} {name}"
    return f"{byte_count:g}"


def mips_chart(lines: Mapping[str, Sequence[float]]) -> str:
    """Return the SVG of each map's PSNR against the mip; mips that are equal are left out."""
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
