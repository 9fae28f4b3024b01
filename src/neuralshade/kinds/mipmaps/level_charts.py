"""SVG chart of mip chains' errors by level."""

import math
from collections.abc import Mapping, Sequence

from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator

from neuralshade.measure.curves import ACCENT, INK, OTHERS, RULE, SIZE_IN, STYLE, svg_text

# Dashes for readers who cannot distinguish the colors
LOOKS = tuple(zip((*OTHERS, INK), ("--", "-.", ":", "-"), strict=True))


def level_chart(lines: Mapping[str, Sequence[float]], accent: str, label: str) -> str:
    """Return the SVG of errors against the level, on a log axis.

    Args:
        lines: errors of levels 1 and on, by chain; at most one more than LOOKS. Errors of 0 are
            left out.
        accent: name of the thick line.
        label: of the axis.
    """
    looks = iter(LOOKS)
    with rc_context(STYLE):
        figure = Figure(SIZE_IN, layout="constrained")
        axes = figure.add_subplot(xlabel="level", ylabel=label, yscale="log")
        for name, errors in lines.items():
            color, dashes = (ACCENT, "-") if name == accent else next(looks)
            width = 2.2 if name == accent else 1.4
            marks = range(1, len(errors) + 1)
            drawn = [error if error > 0 else math.nan for error in errors]
            axes.plot(marks, drawn, dashes, marker="o", markersize=3, color=color,
                      linewidth=width, label=name)  # fmt: skip
        axes.grid(color=RULE, linewidth=0.6)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5), numticks=12))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
        axes.yaxis.set_minor_locator(LogLocator(subs=()))
        figure.legend(
            loc="outside upper center", ncols=5, frameon=False, handlelength=2.4, columnspacing=1.2
        )
        return svg_text(figure)
