"""Output of `neuralshade bench`: progress, then five tables."""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from neuralshade.base.progress_scope import part
from neuralshade.cli.work_lines import shown_work

PLAIN_COLUMNS = 110  # without a terminal


@contextmanager
def stages() -> Iterator[Callable[[str], None]]:
    """Yield an observer that shows the current measurement on standard error."""
    if not sys.stderr.isatty():
        with shown_work("opening the device"), ExitStack() as begun:

            def show(stage: str) -> None:
                begun.close()
                begun.enter_context(part(stage))

            yield show
        return
    with Console(stderr=True).status("opening the device") as status:
        yield status.update


def print_bench(found: dict[str, Any]) -> None:
    """Print the result of ``bench()``."""
    console = Console(width=None if sys.stdout.isatty() else PLAIN_COLUMNS, highlight=False)
    adapter, torch = found["adapter"], found["torch"]
    beside = "" if torch is None else f", beside PyTorch {torch['version']} on {torch['device']}"
    networks = {row["network"]: row["about"] for row in found["training"]}
    named = (f"{name}: {about}" for name, about in networks.items())
    for line in (f"{adapter['name']} ({adapter['api']}){beside}", *found["notes"], *named):
        console.print(Text(line), soft_wrap=True)
    console.print("", _training(found["training"]), "", sep="\n")
    console.print(_inference(found["inference"]), "", _epochs(found["epoch"]), "", sep="\n")
    console.print(_host(found["host"]), "", sep="\n")
    memory = found["memory"]
    console.print(f"memory of a fit of {memory['network']}: {memory['bytes'] / 2**20:.1f} MiB "
                  f"({memory['source']})", soft_wrap=True)  # fmt: skip
    if found["ceilings"] is not None:
        half, copy = found["ceilings"]["half_flops"], found["ceilings"]["copy_bytes"]
        console.print(f"ceilings measured here: {half / 1e12:.0f} TFLOP/s of a float16 product, "
                      f"{copy / 1e9:.0f} GB/s of a copy", soft_wrap=True)  # fmt: skip


def _table(title: str, *headings: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(title, no_wrap=True)
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    return table


def _training(rows: list[dict[str, Any]]) -> Table:
    table = _table("training", "batch", "kernels", "step", "samples/s", "PyTorch", "ratio",
                   "flop/sample", "MB/step", "of ceiling")  # fmt: skip
    for row in rows:
        table.add_row(
            row["network"], f"{row['batch']:,}", row["kernels"], f"{row['step_us']:.1f} us",
            rate(row["samples_per_second"]), rate(row["torch"]), ratio(row["ratio"]),
            f"{row['flops_per_sample']:,}", f"{row['bytes_per_step'] / 1e6:.2f}", share(row),
        )  # fmt: skip
    return table


def _inference(rows: list[dict[str, Any]]) -> Table:
    table = _table("inference", "batch", "kernels", "samples/s", "PyTorch", "ratio")
    for row in rows:
        table.add_row(row["network"], f"{row['batch']:,}", row["kernels"],
                      rate(row["samples_per_second"]), rate(row["torch"]),
                      ratio(row["ratio"]))  # fmt: skip
    return table


def _epochs(rows: list[dict[str, Any]]) -> Table:
    table = _table("epoch", "steps", "batch", "wall", "PyTorch", "ratio")
    for row in rows:
        theirs = "-" if row["torch"] is None else f"{row['torch']:.1f} ms"
        table.add_row(row["network"], str(row["steps"]), f"{row['batch']:,}",
                      f"{row['milliseconds']:.2f} ms", theirs, ratio(row["ratio"]))  # fmt: skip
    return table


def _host(rows: list[dict[str, Any]]) -> Table:
    table = _table("one step alone", "batch", "wall", "GPU", "rest", "submitted", "among many")
    for row in rows:
        kinds = ("wall_us", "gpu_us", "host_us", "submit_us", "record_us")
        times = [f"{row[kind]:.1f} us" for kind in kinds]
        table.add_row(row["network"], f"{row['batch']:,}", *times)
    return table


def rate(samples_per_second: float | None) -> str:
    """Return a rate in G, M or k; '-' for none."""
    if samples_per_second is None:
        return "-"
    for unit, size in (("G", 1e9), ("M", 1e6)):
        if samples_per_second >= size:
            return f"{samples_per_second / size:.3g} {unit}"
    return f"{samples_per_second / 1e3:.3g} k"


def ratio(value: float | None) -> str:
    """Return a speed ratio; '-' without one."""
    return "-" if value is None else f"{value:.3g} x"


def share(row: dict[str, Any]) -> str:
    """Return the larger share of a ceiling, with the ceiling's name; '-' without one."""
    if row["limit"] is None:
        return "-"
    reached = max(row["product_share"], row["memory_share"])
    return f"{100 * reached:.1f} % {row['limit']}"
