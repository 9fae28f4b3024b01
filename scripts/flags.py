"""Write docs/flags.md: every flag of every fit, from what --help-all says.

python scripts/flags.py
"""

import re
from collections import defaultdict
from pathlib import Path

import click

from neuralshade.cli.fit import command_of
from neuralshade.kinds import fit_verb
from neuralshade.kinds.kind import Kind

PAGE = Path(__file__).parents[1] / "docs/flags.md"
VERBS = ("image", "splats", "textures", "mipmaps", "material", "materials", "shader")
HEAD = """# Flags of the fits

Written by `scripts/flags.py` from the command line. `neuralshade fit image --help-all` prints
the same for one kind.
"""


def main() -> None:
    """Write the page."""
    PAGE.write_text(page())


def page() -> str:
    """Return the page: flags that all fits share, then those of each kind."""
    rows = {verb: rows_of(fit_verb(verb)) for verb in VERBS}
    counts: dict[tuple[str, str], int] = defaultdict(int)
    for found in rows.values():
        for row in found:
            counts[row] += 1
    shared = {row for row, count in counts.items() if count >= len(VERBS) - 2}
    parts = [HEAD, section("Most fits", [row for row in counts if row in shared])]
    for verb, found in rows.items():
        parts.append(section(f"fit {verb}", [row for row in found if row not in shared]))
    return "\n".join(parts)


def rows_of(kind: Kind) -> list[tuple[str, str]]:
    """Return each flag of a kind with its description."""
    command = command_of(kind)
    return [(flag.strip(), " ".join(about.split()))
            for found in command.sections(click.Context(command)).values()
            for flag, about in found]  # fmt: skip


def section(title: str, rows: list[tuple[str, str]]) -> str:
    """Return a heading and a table."""
    lines = [f"| `{escaped(flag)}` | {escaped(about)} |" for flag, about in rows]
    return "\n".join([f"## {title}", "", "| flag | meaning |", "|---|---|", *lines, ""])


def escaped(text: str) -> str:
    """Return text as a cell has it; brackets of defaults are no links."""
    return re.sub(r"([|])", r"\\\1", text)


if __name__ == "__main__":
    main()
