"""Self-contained HTML pages, rendered from the templates beside this file."""

import math
import os
import platform
import re
import shlex
import sys
from base64 import b64encode
from collections.abc import Mapping
from datetime import datetime, timezone
from hashlib import sha256
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from neuralshade.base.atomic import whole_file
from neuralshade.base.commit import version_with_commit
from neuralshade.base.cores import core_count
from neuralshade.base.message_text import decimals, plain_lines
from neuralshade.measure.warning_facts import split_warnings

TEMPLATES = Path(__file__).parent / "template"


def write_page(path: str | os.PathLike[str], template: str, content: Mapping[str, Any]) -> None:
    """Write a template filled with ``content`` to ``path``, whole or not at all.

    Raises: OutputError where the file cannot be written.
    """
    loader = FileSystemLoader(TEMPLATES)
    templates = Environment(loader=loader, autoescape=True, undefined=StrictUndefined,
                            finalize=_visible)  # fmt: skip
    templates.filters["number"] = number
    templates.filters["bits"] = bits
    values = {**split_warnings(dict(content)), "provenance": provenance()}
    page = _confined(templates.get_template(template).render(values))
    with whole_file(path) as unfinished:
        # replaced: file names may be invalid text
        unfinished.write_bytes(page.encode("utf-8", "replace"))


def _confined(page: str) -> str:
    """Return a page with the policy that nothing is loaded and no other script runs."""
    hashes = [b64encode(sha256(script.encode("utf-8", "replace")).digest()).decode()
              for script in re.findall("<script>(.*?)</script>", page, re.DOTALL)]  # fmt: skip
    scripts = " ".join(f"'sha256-{each}'" for each in hashes) or "'none'"
    policy = ("default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; "
              f"style-src 'unsafe-inline'; script-src {scripts}")  # fmt: skip
    meta = f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    return page.replace('<meta charset="utf-8">', f'<meta charset="utf-8">\n{meta}', 1)


def provenance() -> dict[str, str]:
    """Return the origin of a page by label: version, UTC, machine, and the command as typed."""
    program = Path(sys.argv[0]).name
    typed = ["neuralshade" if program == "__main__.py" else program, *sys.argv[1:]]
    return {
        "Written by": f"neuralshade {version_with_commit()}",
        "At": datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "On": _machine(),
        "Command": shlex.join(typed),
    }


def _machine() -> str:
    """Return processor, cores and system in one line."""
    from neuralshade.engine.engine_choice import cpu_description  # loads PyTorch

    named = re.search(r"model name\s*:\s*(.+)", cpu_description())
    processor = named[1] if named else platform.processor() or "processor not known"
    cores = core_count()
    return (f"{processor}, {cores} core{'s' if cores > 1 else ''}, "
            f"{platform.system()} {platform.machine()}")  # fmt: skip


def _visible(value: Any) -> Any:
    """Return text with control characters escaped as in Python; other values unchanged."""
    return plain_lines(value) if type(value) is str else value  # not markup, which is ours


def bits(value: float | None, places: int) -> str:
    """Return bits per pixel as a page writes them: a dash for None, thousands without decimals."""
    return number(None, "") if value is None else decimals(value, places)


def number(value: float | None, form: str) -> str:
    """Return ``value`` as a page writes it: a dash for None, a sign for infinity."""
    if value is None:
        return "\N{EN DASH}"
    return "\N{INFINITY}" if math.isinf(value) else form.format(value)
