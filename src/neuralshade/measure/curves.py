"""Training curves as SVG text with colors from the surrounding page."""

import io
import itertools
import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator

CurvePoint = tuple[int, float, float, float | None]  # step, seconds, loss, PSNR in dB
MOST_POINTS = 400  # per curve; more are thinned evenly along the log axis
SIZE_IN = (4.6, 2.7)  # at this size the text is readable on a phone and on a wide screen
# Matplotlib cannot write CSS names, so it draws in these colors and they are replaced.
CSS_COLORS = {
    "#010101": "currentColor", "#020202": "var(--rule)", "#030303": "var(--accent)",
    "#040404": "var(--second)", "#050505": "var(--third)", "#060606": "var(--fourth)",
}  # fmt: skip
INK, RULE, ACCENT, *OTHERS = CSS_COLORS
STYLE: Any = {
    "svg.fonttype": "none",  # real text: selectable, and in the page's font
    "svg.hashsalt": "neuralshade",  # equal curves give equal bytes
    "font.family": "sans-serif",
    "font.size": 9,
    "text.color": INK,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "path.simplify_threshold": 0.3,
}


def curve_charts(curve: Sequence[CurvePoint], breaks: Sequence[int] = ()) -> list[tuple[str, str]]:
    """Return (title, SVG) of PSNR and loss, each against time and against steps.

    Args:
        curve: (step, seconds, loss, PSNR in dB or None), in order. Points that a log axis
            cannot show (time, step or loss <= 0) and non-finite values are left out.
        breaks: steps after which the loss changes its meaning: its line is broken there.

    Returns:
        Charts with at least two points; time, steps and loss have log axes. The PSNR of the last
        row is that of the file, after rounding and code refinement, not of a step: it is drawn
        separately from those measured during training.
    """
    points = np.array(
        [[math.nan if v is None else v for v in point] for point in curve], np.float64
    ).reshape(-1, 4)
    axes = ((1, "seconds of training"), (0, "steps"))
    values = ((3, "PSNR [dB]", "linear"), (2, "loss", "log"))
    charts = []
    for value, name, scale in values:
        for axis, label in axes:
            x, y, picked = _drawable(points[:, axis], points[:, value], scale)
            steps = points[picked, 0]
            starts: list[int] = []
            if value == 2:
                starts = np.searchsorted(steps, breaks, side="right").tolist()
            if len(x) >= 2:
                title = f"{name.split(' ')[0]} against {label.split(' ')[0]}"
                apart = value == 3 and math.isfinite(points[-1, value])
                charts.append((title, _chart(x, y, label, name, apart, starts)))
    return charts


def _drawable(x: Any, y: Any, scale: str) -> tuple[Any, Any, Any]:
    """Return the drawable points, and a mask of them."""
    kept = np.flatnonzero(np.isfinite(y) & (x > 0) & ((y > 0) | (scale == "linear")))
    if len(kept) > MOST_POINTS:
        marks = np.geomspace(x[kept[0]], x[kept[-1]], MOST_POINTS)
        kept = kept[np.unique(np.searchsorted(x[kept], marks).clip(0, len(kept) - 1))]
    return x[kept], y[kept], kept


def _chart(x: Any, y: Any, x_label: str, y_label: str, apart: bool, starts: Sequence[int]) -> str:
    """Draw a curve, restarted at each of ``starts``; ``apart``: its last point is separate."""
    scale = "linear" if "dB" in y_label else "log"
    with rc_context(STYLE):
        figure = Figure(SIZE_IN, layout="constrained")
        axes = figure.add_subplot(xlabel=x_label, ylabel=y_label, xscale="log", yscale=scale)
        steps = len(x) - 1 if apart else len(x)
        for begin, end in itertools.pairwise([0, *starts, steps]):
            mark = "." if end - begin == 1 else ""  # a line of one point is invisible
            axes.plot(x[begin:end], y[begin:end], mark + "-", color=ACCENT, linewidth=1.6,
                      solid_joinstyle="round")  # fmt: skip
        if apart:
            axes.plot(x[-2:], y[-2:], ":", color=ACCENT, linewidth=1.2)
        axes.plot(x[-1:], y[-1:], "D" if apart else "o", color=ACCENT, markersize=4)
        last = f"{y[-1]:.2f}" if scale == "linear" else f"{y[-1]:.3g}"
        label = f"{last} in the file" if apart else last
        # above the axes: a noisy curve, such as the loss, covers everything inside
        axes.annotate(label, (x[-1], 1.0), (0, 5), xycoords=axes.get_xaxis_transform(),
                      textcoords="offset points", ha="right")  # fmt: skip
        axes.margins(x=0.02, y=0.06)
        axes.grid(color=RULE, linewidth=0.6)
        _plain_ticks(axes.xaxis, x)
        if scale == "log":
            _plain_ticks(axes.yaxis, y)
        else:
            axes.yaxis.set_major_locator(MaxNLocator(6))
        return svg_text(figure)


def _plain_ticks(axis: Any, values: Any) -> None:
    """Label a log axis with plain numbers, and within few decades at 2 and 5 as well."""
    decades = math.log10(values.max() / values.min())
    axis.set_major_locator(LogLocator(subs=(1, 2, 5) if decades < 2 else (1,), numticks=12))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
    axis.set_minor_locator(LogLocator(subs=()))


def svg_text(figure: Figure) -> str:
    """Return a figure drawn in STYLE, with the keys of CSS_COLORS replaced by their values."""
    file = io.StringIO()
    nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
    figure.savefig(file, format="svg", transparent=True, metadata=nothing)
    svg = file.getvalue()
    svg = svg[svg.index("<svg") :]  # HTML allows no prolog and no doctype inside
    svg = re.sub('<g id="[^"]*">', "<g>", svg)  # every chart would repeat these ids
    for drawn, css in CSS_COLORS.items():
        svg = svg.replace(drawn, css)
    return svg
