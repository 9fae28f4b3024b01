"""Check of names against the rules of all shading languages."""

from __future__ import annotations

import re

from neuralshade.base.message_text import shown
from neuralshade.errors import ConfigError
from neuralshade.languages.names import RESERVED

LONGEST = 48
IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)*")


def check_name(name: str) -> None:
    """Raise ConfigError unless ``name`` is a valid prefix of names in every language."""
    if (not isinstance(name, str) or len(name) > LONGEST or not IDENTIFIER.fullmatch(name)
            or name.lower() in RESERVED or name.startswith("gl_")):  # fmt: skip
        raise ConfigError(f"name: got {shown(name)}, need a letter, then letters, digits and "
                          f"single underscores, {LONGEST} at most, and no word of a shading "
                          "language. Write for example bark.")  # fmt: skip


def asset_name(stem: str) -> str:
    """Return the default name from an asset's file name: bark-2k.nsh gives bark_2k."""
    name = re.sub(r"[^A-Za-z0-9]+", "_", stem).strip("_")[:LONGEST].strip("_")
    if not name or not name[0].isalpha():
        name = f"asset_{name}".strip("_")[:LONGEST].strip("_")
    if name.lower() in RESERVED or name.startswith("gl_"):
        name = f"my_{name}"
    return name
