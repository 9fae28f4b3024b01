"""Draw the charts of docs/compare.md and docs/benchmarks.md from the results in the repository.

    python examples/charts.py

Reads benchmarks/results/*.json and writes docs/images/compare.png and docs/images/benchmarks.png:
nothing is measured here.
"""

import json
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

ROOT = Path(__file__).parent.parent
RESULTS, IMAGES = ROOT / "benchmarks/results", ROOT / "docs/images"
DPI = 144
OURS, OTHER, THIRD, FOURTH, SOFT = "#0a66c2", "#b4530a", "#1a7f37", "#8250df", "#6b7280"
UNITS = {"G": 1e9, "M": 1e6, "k": 1e3}
NETWORKS = {"A24": "24-64x4-3", "B": "dense grid, 32x2", "C": "hash grid, 64x2"}
RIVAL = "tiny-cuda-nn 2.0 on an H200, another run"


def main() -> None:
    """Draw both."""
    compare().savefig(IMAGES / "compare.png", dpi=DPI)
    training().savefig(IMAGES / "benchmarks.png", dpi=DPI)


def results(name: str) -> dict[str, Any]:
    """Return a file of results."""
    return dict(json.loads((RESULTS / f"{name}.json").read_text()))


def compare() -> Figure:
    """Return PSNR against bits per pixel: full lines are sampled at random, dotted ones are not."""
    figure = Figure((8, 4.6), layout="constrained")
    axes = figure.add_subplot(
        xscale="log", xlabel="bits per pixel on disk", ylabel="mean PSNR of 12 Kodak pictures [dB]"
    )
    blocks = results("kodak_blocks")["Means"]
    cpu = results("fit_image_cpu")["Kodak, 12 pictures, 10 s each"]
    splats = results("splats_kodak")["Mean PSNR"]

    def line(label: str, points: list[tuple[float, Any]], color: str, form: str) -> None:
        shown = sorted(point for point in points if point[1] != "-")
        axes.plot(*zip(*shown, strict=True), form, color=color, label=label, markersize=5)

    def of(rows: list[dict[str, Any]], bits: str, value: str) -> list[tuple[float, Any]]:
        return [(row[bits], row[value]) for row in rows]

    def texture(*names: str) -> list[tuple[float, Any]]:
        rows = [row for row in blocks if row["texture"].startswith(names)]
        return of(rows, "bits per pixel", "PSNR dB")

    gpu = of(results("kodak_fits_cuda")["Means"], "bits per pixel", "tiles dB")
    line("fit image, about 1 s on an H200", gpu, OURS, "o-")
    line("fit image, 10 s on 2 CPU cores", of(cpu, "bits/pixel", "neuralshade dB"), OURS, "s--")
    line("ASTC", texture("ASTC"), THIRD, "^-")
    line("BC1 and BC1 reduced", texture("BC1"), OTHER, "v-")
    line("BC7 and BC7 reduced", texture("BC7"), FOURTH, "D-")
    line("fit splats (drawn whole)", of(splats, "bits per pixel", "splats dB"), OURS, "o:")
    for name in ("JPEG", "WebP"):
        files = of(splats, "bits per pixel", f"{name} dB")
        files += of([row for row in cpu if row["bpp asked"] > 2], "bits/pixel", f"{name} dB")
        mark = "x:" if name == "JPEG" else "+:"
        line(f"{name} (decoded whole)", files, SOFT, mark)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.set_xticks([0.1, 0.2, 0.5, 1, 2, 4, 8], minor=False)
    axes.set_xticks([], minor=True)
    finish(axes)
    return figure


def training() -> Figure:
    """Return samples a second against the batch: a panel for each network."""
    figure = Figure((10, 3.5), layout="constrained")
    panels = figure.subplots(1, len(NETWORKS), sharex=True, sharey=True)
    cuda, vulkan = (results(f"gpu_train_{api}")["Training"] for api in ("cuda", "vulkan"))
    for axes, (name, title) in zip(panels, NETWORKS.items(), strict=True):
        for label, rows, column, color, form in (
            ("neuralshade, CUDA", cuda, "samples/s", OURS, "o-"),
            ("neuralshade, Vulkan", vulkan, "samples/s", OURS, "s--"),
            ("tiny-cuda-nn 2.0", cuda, RIVAL, OTHER, "v-"),
            ("PyTorch", cuda, "PyTorch samples/s", SOFT, "x:"),
        ):
            own = [row for row in rows if row["network"] == name]
            values = [number(row[column]) for row in own]
            axes.loglog([row["batch"] for row in own], values, form, color=color, label=label,
                        markersize=5)  # fmt: skip
        axes.set(title=title, xlabel="batch")
        axes.set_xticks([2**14, 2**16, 2**18, 2**20], ["$2^{14}$", "$2^{16}$", "$2^{18}$",
                                                       "$2^{20}$"], minor=False)  # fmt: skip
        axes.set_xticks([], minor=True)
        finish(axes, legend=name == "A24")
    panels[0].set_ylabel("training samples a second")
    panels[0].yaxis.set_major_formatter(FuncFormatter(lambda value, _: engineering(value)))
    return figure


def finish(axes: Any, *, legend: bool = True) -> None:
    """Draw the grid and the legend."""
    axes.grid(color="#d9dce0", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    if legend:
        axes.legend(fontsize=8, frameon=False)


def number(text: str) -> float:
    """Return what a table writes as 1.64 G."""
    value, _, unit = text.partition(" ")
    return float(value) * UNITS[unit]


def engineering(value: float) -> str:
    """Return a number as a table writes it."""
    unit, scale = next((each for each in UNITS.items() if value >= each[1]), ("", 1.0))
    return f"{value / scale:g} {unit}"


if __name__ == "__main__":
    main()
