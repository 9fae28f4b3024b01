"""Plot of a size plan: PSNR by bytes, as a picture of its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator

from neuralshade.base.atomic import whole_file
from neuralshade.kinds.textures.charts import short_bytes
from neuralshade.measure.table import Row

SIZE_IN = (6.4, 4.0)
DPI = 150  # of a PNG
OURS, FILES, BLOCKS, RULE = "#0b62c4", "#b4530a", "#3f3f46", "#d4d4d8"
STYLE: Any = {
    "svg.fonttype": "none", "svg.hashsalt": "neuralshade", "font.family": "sans-serif",
    "font.size": 9, "text.parse_math": False, "axes.spines.top": False,
    "axes.spines.right": False,
}  # fmt: skip


def save_plan_chart(rows: Sequence[Row], path: Path) -> None:
    """Write mean PSNR against bytes on disk, on a log axis: .svg or .png, on white.

    Args:
        rows: of a TexturesPlan. Expected sizes and files are lines, blocks single points; hollow
            where no shader reads it in place.
        path: the picture, written atomically. Raises OutputError.
    """
    drawn = [row for row in rows if row["bytes"] is not None]
    with rc_context(STYLE):
        figure = Figure(SIZE_IN, layout="constrained")
        axes = figure.add_subplot(xlabel="bytes on disk", ylabel="mean PSNR of mip 0 [dB]",
                                  xscale="log")  # fmt: skip
        _line(axes, [row for row in drawn if row["expected"]], "{}, expected", OURS, "-")
        _line(axes, [row for row in drawn if not row["random_access"]],
              "{}, mip 0 alone, no random access", FILES, "--")  # fmt: skip
        for marker, row in zip("sD", [row for row in drawn if _is_block(row)], strict=False):
            axes.plot([row["bytes"]], [row["mean_psnr_db"]], marker, color=BLOCKS,
                      label=row["name"])  # fmt: skip
        axes.grid(color=RULE, linewidth=0.6)
        axes.set_axisbelow(True)
        axes.margins(x=0.08, y=0.1)
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 3, 5, 7), numticks=12))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: short_bytes(value)))
        axes.xaxis.set_minor_locator(LogLocator(subs=()))
        axes.yaxis.set_major_locator(MaxNLocator(7))
        figure.legend(loc="outside upper left", ncols=2, frameon=False)
        with whole_file(path) as file:
            metadata = {"Date": None} if path.suffix.lower() == ".svg" else {}
            figure.savefig(file, dpi=DPI, metadata=metadata)


def _is_block(row: Row) -> bool:
    return bool(row["random_access"]) and not row["expected"]


def _line(axes: Axes, rows: Sequence[Row], label: str, color: str, dashes: str) -> None:
    if rows:
        # at few bytes two files may be identical
        points = sorted({(row["bytes"], row["mean_psnr_db"]) for row in rows})
        sizes, quality = zip(*points, strict=True)
        hollow = "full" if rows[0]["random_access"] else "none"
        axes.plot(sizes, quality, f"o{dashes}", color=color, linewidth=1.6, fillstyle=hollow,
                  label=label.format(rows[0]["name"]))  # fmt: skip
