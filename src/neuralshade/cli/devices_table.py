"""Output of `neuralshade devices`: three tables, and the choice of --engine auto."""

import sys
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from neuralshade.base.message_text import plain_lines
from neuralshade.base.terminal_lines import broken, columns_of
from neuralshade.engine.kernel_path import PATH_TITLES

PLAIN_COLUMNS = 100  # without a terminal


def print_devices(found: dict[str, Any]) -> None:
    """Print the result of ``devices()``."""
    console = Console(width=None if sys.stdout.isatty() else PLAIN_COLUMNS, highlight=False)
    adapters = list(enumerate(found["adapters"], start=1))
    opened = [(index, adapter) for index, adapter in adapters if adapter["error"] is None]
    if adapters:
        console.print(_adapters(adapters), "")
    for index, adapter in adapters:
        if adapter["error"] is not None:
            _line(f"{index}: {adapter['error']}\n")
    if opened:
        console.print(_features(opened), "")
    console.print(_torch(found["torch"]), "")
    if found["hint"] is not None:
        _line(found["hint"])
    if found["cuda"] is not None:
        _line(found["cuda"])
    auto = found["auto"]
    taken = {"gpu": f"the GPU engine on {auto['device']}", "torch": "PyTorch on the CPU"}
    _line(f"--engine auto takes {taken[auto['engine']]}: {auto['reason']}.")


def _line(text: str) -> None:
    print(broken(plain_lines(text), columns_of(sys.stdout)))


def _table(*headings: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in headings:
        table.add_column(heading, overflow="fold")
    return table


def _adapters(adapters: list[tuple[int, dict[str, Any]]]) -> Table:
    table = _table("#", "adapter", "API", "kind", "training", "inference")
    for index, adapter in adapters:
        kind = "software" if adapter["software"] else "hardware"
        paths = ["does not open", "-"]
        if adapter["error"] is None:
            paths = [PATH_TITLES[adapter[key]] for key in ("training", "inference")]
        table.add_row(str(index), Text(adapter["name"]), adapter["api"], kind, *paths)
    return table


def _features(adapters: list[tuple[int, dict[str, Any]]]) -> Table:
    names = list(adapters[0][1]["features"])
    table = _table("#", "profile", "multi-\nproc.", "sub-\ngroup", *map(_heading, names))
    for index, adapter in adapters:
        has = ["yes" if adapter["features"][name] else "-" for name in names]
        sizes = "-".join(str(size) for size in dict.fromkeys(adapter["subgroup_size"]) if size)
        count = str(adapter["multiprocessors"] or "-")
        table.add_row(str(index), adapter["profile"] or "-", count, sizes or "-", *has)
    return table


def _heading(feature: str) -> str:
    """Return a feature's name over two lines, short enough for 80 columns."""
    short = feature.replace("cooperative", "coop.").replace("bfloat16", "bfloat_16")
    return short.replace("_", "\n")


def _torch(devices: list[dict[str, Any]]) -> Table:
    table = _table("torch device", "description", "API", "memory", "precision")
    for device in devices:
        api = " ".join(filter(None, (device["api"], device["version"])))
        memory = f"{device['memory_bytes'] / 2**30:.1f} GiB"
        row = [device["name"], Text(device["description"]), api, memory, device["precision"]]
        table.add_row(*row)
    return table
