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
    """Write NAME.json and NAME.md: ``facts`` beside the machine's, then a table of equal-keyed
    rows per section. Into ``results`` where no ``folder`` is named. ``quiet``: print nothing.
    """
    folder = FOLDER if folder is None else folder
    folder.mkdir(exist_ok=True)
    about = {**machine(), **(facts or {})}
    data = {"machine": about, **sections}
    (folder / f"{name}.json").write_text(json.dumps(data, indent=1) + "\n")
    lines = [f"# {name}", "", *(f"- {key}: {value}" for key, value in about.items()), ""]
    for title, rows in sections.items():
        lines += [f"## {title}", "", *table(rows), ""]
    (folder / f"{name}.md").write_text("\n".join(lines))
    if not quiet:
        print("\n".join(lines))


def table(rows: list[dict[str, Any]]) -> list[str]:
    """Return rows as the lines of a Markdown table."""
    keys = list(rows[0])
    head = ["| " + " | ".join(keys) + " |", "|" + "---|" * len(keys)]
    return head + ["| " + " | ".join(str(row[key]) for key in keys) + " |" for row in rows]
