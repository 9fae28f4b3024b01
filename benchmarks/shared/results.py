"""Where benchmark results go, and what must stand beside every number."""

import datetime
import json
import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent.parent / "results"
PACKAGES = ("torch", "numpy", "Pillow", "scikit-image", "flip-evaluator", "slangpy")


def machine() -> dict[str, Any]:
    """Return what the numbers were measured on."""
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "command": " ".join(["python", *sys.argv]),
        "cpu": cpu_name(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
        "versions": {name: installed(name) for name in PACKAGES},
    }


def installed(package: str) -> str:
    """Return a package's version, or that it is missing: not every benchmark needs them all."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def cpu_name() -> str:
    """Return the processor's name and the vector instructions that matter here."""
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return platform.processor()
    fields = dict(line.split(":", 1) for line in text.splitlines() if ":" in line)
    named = {key.strip(): value.strip() for key, value in fields.items()}
    wanted = [f for f in ("avx512_bf16", "amx_bf16") if f in named.get("flags", "").split()]
    family = f"family {named.get('cpu family')}, model {named.get('model')}"
    return f"{named.get('model name', '')} ({family}; {', '.join(wanted) or 'no bf16'})"


def write_results(
    name: str,
    sections: dict[str, list[dict[str, Any]]],
    facts: dict[str, Any] | None = None,
    folder: Path | None = None,
    *,
    quiet: bool = False,
) -> None:
    """Write NAME.json: ``facts`` beside the machine's, then a list of equal-keyed rows per section.

    Into ``results`` where no ``folder`` is named. Prints the same as Markdown, unless ``quiet``.
    """
    folder = FOLDER if folder is None else folder
    folder.mkdir(exist_ok=True)
    about = {**machine(), **(facts or {})}
    data = {"machine": about, **sections}
    (folder / f"{name}.json").write_text(json.dumps(data, indent=1) + "\n")
    if not quiet:
        print(markdown(name, data))


def markdown(name: str, data: dict[str, Any]) -> str:
    """Return a file of results as Markdown: of several runs, one after the other."""
    lines = [f"# {name}", ""]
    for run, one in data.get("runs", {"": data}).items():
        lines += [f"## {run}", ""] if run else []
        lines += [*(f"- {key}: {value}" for key, value in one["machine"].items()), ""]
        for title, rows in one.items():
            if title != "machine":
                lines += [f"##{'#' if run else ''} {title}", "", *table(rows), ""]
    return "\n".join(lines)


def table(rows: list[dict[str, Any]]) -> list[str]:
    """Return rows as the lines of a Markdown table; what a row lacks is empty."""
    keys = list(dict.fromkeys(key for row in rows for key in row))
    cells = [keys, *([row.get(key, "") for key in keys] for row in rows)]
    lines = ["| " + " | ".join(str(c).replace("|", "\\|") for c in line) + " |" for line in cells]
    return [lines[0], "|" + "---|" * len(keys), *lines[1:]]
