"""What a person sees of mip levels: notes, and the error of each level beside other filters'."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from neuralshade.kinds.mipmaps.asset import CHANNELS
from neuralshade.kinds.mipmaps.family.fit import FamilyResult
from neuralshade.kinds.mipmaps.fit import MipmapsResult
from neuralshade.kinds.mipmaps.judge import ENVIRONMENT, KEPT, STORED

FILTERS = {"box": "box", "toksvig": "Toksvig", "lean": "LEAN"}
LIGHTS = {"mirror": "one at a time, near where a mirror reflects it to the eye",
          "cosine": "one at a time, anywhere above, by the cosine",
          ENVIRONMENT: "a sun and a sky together"}  # fmt: skip
ERROR = ("error: mean of 2 |x - y| / (x + y + 0.01), from 0 (equal) to 2; every column as stored, "
         "in 8 bits")  # fmt: skip
MISSED = "0: all is learned, 1: nothing"  # of corrections
PLAIN_COLUMNS = 120  # of a table where there is no terminal


def print_mipmaps(result: MipmapsResult, report: str | None) -> None:
    """Print what a fit reached."""
    for note in result.notes:
        print(note)
    rows = [
        {"level": i + 1, "width": width, "height": height, "light": light, "kept": result.kept[i],
         "ours": errors[KEPT][i], **{name: errors[STORED[name]][i] for name in FILTERS}}
        for i, (width, height) in enumerate(result.sizes[1:])
        for light, errors in result.errors.items()
    ]  # fmt: skip
    print_levels(rows)
    print(f"{result.asset}: {result.asset_bytes:,} bytes")
    print(f"{result.steps:,} steps in {result.seconds:.1f} s on {result.device}, "
          f"loss {result.loss:.4g}")  # fmt: skip
    print(*result.files, sep="\n")
    if report is not None:
        print(report)


def print_family(result: FamilyResult, report: str | None) -> None:
    """Print what fits of a family reached, set by set."""
    for one in result.sets:
        print(f"\n{one.asset}")
        print_mipmaps(one, report)
    taught = ", ".join(f"{name} {left:.2f}" for name, left in result.left.items())
    done = f"trained in {result.seconds:.1f} s" if result.trained else "used, and left as it was"
    print(f"\n{result.share}: {result.share_bytes:,} bytes, {done}")
    print(f"share of each set's corrections that it misses ({MISSED}): {taught}")


def print_levels(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print tables of symmetric errors, one for each kind of lights, a line for each level."""
    person = sys.stdout is not None and sys.stdout.isatty()
    console = Console(width=None if person else PLAIN_COLUMNS)
    for light, told in LIGHTS.items():
        print(f"held-out error, {light} lights: {told}")
        table = Table(box=None, pad_edge=False)
        for title in ("level", "size"):
            table.add_column(title, justify="right", no_wrap=True)
        table.add_column("kept", no_wrap=True)
        for title in ("error", *FILTERS.values()):
            table.add_column(title, justify="right", no_wrap=True)
        for row in rows:
            if row["light"] == light:
                numbers = [f"{row[name]:.4f}" for name in ("ours", *FILTERS)]
                size = f"{row['width']} x {row['height']}"
                kept = FILTERS.get(row["kept"], row["kept"])
                table.add_row(str(row["level"]), size, kept, *numbers)
        console.print(table)
    print(ERROR)


def told_levels(facts: Mapping[str, Any]) -> dict[str, str]:
    """Return what ``info`` prints of mip levels in place of a picture."""
    maps, quality = facts["maps"], facts["quality"]
    lines = {"size": f"{facts['bytes']:,} bytes", "maps": maps["name"]}
    lines |= {f"  note {i + 1}": note for i, note in enumerate(maps["notes"])}
    lines["levels"] = (f"{len(maps['sizes'])}; held-out errors of what is kept and of a box filter "
                       f"beside, under {', '.join(quality)} lights")  # fmt: skip
    for i, (width, height) in enumerate(maps["sizes"]):
        line = f"{width} x {height}"
        if i:
            lit = [_errors(quality[light], i - 1) for light in quality]
            kept = maps["kept"][i - 1]
            line += f", {FILTERS.get(kept, kept)}: {'; '.join(lit)}"
        lines[f"  {i}"] = line
    return lines


def told_family(facts: Mapping[str, Any]) -> dict[str, str]:
    """Return what ``info`` prints of a family's network in place of a picture."""
    left, network = facts["quality"]["left"], facts["family"]["network"]
    lines = {"size": f"{facts['bytes']:,} bytes",
             "network": f"{network['hidden_layers']} x {network['hidden_width']}, batches of "
             f"{network['batch']:,} texels",
             "family": f"{len(left)} sets, share of their corrections that the network misses "
             f"beside ({MISSED})"}  # fmt: skip
    for one in facts["family"]["sets"]:
        size = f"{one['width']} x {one['height']}"
        lines[f"  {one['name']}"] = f"{size}, {left[one['name']]:.2f}"
    return lines


def told_maps(facts: Mapping[str, Any]) -> dict[str, str]:
    """Return what ``info`` prints of the numbers of mip levels, a line for each map."""
    last = len(facts["maps"]["sizes"]) - 1
    form = "uint8, levels 0 to {}, channels: {}"
    return {f"  {name}": form.format(last, channels) for name, channels in CHANNELS.items()}


def _errors(errors: Mapping[str, Any], index: int) -> str:
    kept, box = (errors[name][index]["symmetric"] for name in (KEPT, STORED["box"]))
    return f"{kept:.4f}, box {box:.4f}"
