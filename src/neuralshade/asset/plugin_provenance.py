"""Plug-in provenance: the header's note on packages of encodings and losses, and its reader.

The note is information for people: nothing is searched, loaded or installed because of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from neuralshade.asset.schema import ListOf, ObjectOf, Text, check_header
from neuralshade.base.message_text import plain_name, shown
from neuralshade.base.plugins import GROUPS, LOADED, plugin_named
from neuralshade.errors import AssetError, ConfigError

PART = "plugins"  # of the header
NOTES = ListOf(
    ObjectOf({"what": Text(choices=tuple(GROUPS)), "name": Text(64), "package": Text(128),
           "version": Text(64)}), most=64,
)  # fmt: skip


def plugin_notes(named: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Return the header's note on the packages that provide these (group, name) pairs, if any."""
    found = (LOADED.get(pair) for pair in named)
    notes = [{"what": p.what, "name": p.name, "package": p.package[:128],
              "version": p.version[:64]} for p in found if p is not None]  # fmt: skip
    return {PART: notes} if notes else {}


def package_facts(header: Mapping[str, Any]) -> dict[str, str]:
    """Return a line on the packages of plug-ins, by its title; empty without any."""
    notes = header.get(PART, ())
    line = "; ".join(f"{n['what']} {n['name']} of {n['package']} {n['version']}" for n in notes)
    return {"packages": line} if line else {}


# An Asset is typed Any below: asset.py imports this file.


def losses_of(asset: Any) -> list[str]:
    """Return the losses of plug-ins: a fitted asset no longer needs them."""
    return [note["name"] for note in asset.header.own.get(PART, ()) if note["what"] == "loss"]


def unreadable_recipe(asset: Any, error: ConfigError) -> AssetError:
    """Return the error for an unreadable recipe: a package is missing, or the file is newer."""
    return missing_package(asset.path, asset.header.own) or AssetError(
        f"{asset.path}: got a recipe that this version cannot read ({error}), need one it knows. "
        "Upgrade neuralshade."
    )


def missing_package(path: str, header: Mapping[str, Any]) -> AssetError | None:
    """Return the error for the first noted package that is not installed; None if all are."""
    notes = header.get(PART, [])
    check_header(path, notes, NOTES, "asset", "Fit it again.")
    for note in notes:
        if note["what"] != "loss" and plugin_named(note["what"], note["name"], ()) is None:
            package = plain_name(f"{note['package']} {note['version']}")
            return AssetError(f"{path}: got {note['what']} {shown(note['name'])} of package "
                              f"{package}, as the file says, which is not installed, need it. "
                              "Install it if you trust it.")  # fmt: skip
    return None
