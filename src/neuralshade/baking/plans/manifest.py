"""Manifests: TOML or JSON files that list assets. See docs/bake.md for their form."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from neuralshade.baking.job import Job
from neuralshade.baking.plans.entries import JobBuilder
from neuralshade.baking.plans.faults import Faults
from neuralshade.baking.plans.manifest_lines import Lines
from neuralshade.baking.plans.settings import Recipes
from neuralshade.base.did_you_mean import did_you_mean
from neuralshade.base.message_text import named, shown
from neuralshade.base.strict_json import strict_json
from neuralshade.base.text_file import read_text
from neuralshade.base.toml_file import parse_toml
from neuralshade.errors import ConfigError

SUFFIXES = (".toml", ".json")
TABLES = ("defaults", "asset")
NEED = "a manifest of assets"
MOST_BYTES = 1 << 27
MOST_ASSETS = 1_000_000


def read_manifest(path: str, faults: Faults, recipes: Recipes, kind: str | None = None,
                  settings: Mapping[str, Any] | None = None) -> tuple[Job, ...]:  # fmt: skip
    """Return the jobs of a manifest; each wrong entry is noted in ``faults`` and left out.

    Args:
        kind: of entries that name none, in place of the manifest's default.
        settings: over the manifest's defaults, under those of an entry.

    Raises: ConfigError for a file that cannot be read, or is not TOML or JSON.
    """
    text = _text(path)
    tables = _tables(path, text)
    entries = tables.get("asset", [])
    listed = isinstance(entries, list) and all(isinstance(each, dict) for each in entries)
    lines = Lines(path, text, "asset", len(entries) if listed else 0)
    for name in tables:
        if name not in TABLES:
            faults.add(lines.top(name), f"{named(name)}: unknown table, need one of "
                       f"{', '.join(TABLES)}.{did_you_mean(name, TABLES)}")  # fmt: skip
    defaults = tables.get("defaults", {})
    if not isinstance(defaults, dict):
        faults.add(lines.top("defaults"), f"defaults: got {shown(defaults)}, need a table. Write "
                   "[defaults] above settings.")  # fmt: skip
        defaults = {}
    if not listed:
        faults.add(lines.top("asset"), f"asset: got {shown(entries)}, need a list of tables. Write "
                   "[[asset]] above each.")  # fmt: skip
    elif not entries and not faults.count:
        faults.add(path, "got no asset, need at least one. Write [[asset]] and "
                   'input = "bricks".')  # fmt: skip
    elif len(entries) > MOST_ASSETS:
        faults.add(path, f"got {len(entries):,} assets, need {MOST_ASSETS:,} at most. "
                   "Make several manifests.")  # fmt: skip
    else:
        builder = JobBuilder(faults, lines, os.path.dirname(os.path.abspath(path)),
                             recipes)  # fmt: skip
        builder.set_defaults(defaults, kind, settings or {})
        for index, values in enumerate(entries):
            builder.add(index, values)
        return builder.finished()
    return ()


def _text(path: str) -> str:
    try:
        size = os.path.getsize(path)
    except (OSError, ValueError):
        size = 0  # read_text says what is wrong
    if size > MOST_BYTES:
        raise ConfigError(f"{path}: got {size:,} bytes, need {MOST_BYTES:,} at most. Make several "
                          "manifests.")  # fmt: skip
    return read_text(path, NEED, NEED)


def _tables(path: str, text: str) -> dict[str, Any]:
    """Return what a file has at the top, unchecked."""
    if Path(path).suffix.lower() == ".toml":
        return parse_toml(text, path, NEED, "[[asset]]")
    try:
        found = strict_json(text)
    except ValueError as error:
        raise ConfigError(f"{path}: got {error}, need {NEED} as JSON. Check its commas and "
                          "quotes.") from error  # fmt: skip
    if not isinstance(found, dict):
        raise ConfigError(f"{path}: got {shown(found)}, need {NEED} as an object. Write "
                          '{"asset": [...]}.')  # fmt: skip
    return found
