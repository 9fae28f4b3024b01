"""Plug-in provenance: the header's note on packages of encodings and losses, and its reader.

The note is for people: nothing is looked for, loaded or installed by it.
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
    """Return the header's part for names by what they are of; none where no package brought one."""
    found = (LOADED.get(pair) for pair in named)
    notes = [{"what": p.what, "name": p.name, "package": p.package[:128],
              "version": p.version[:64]} for p in found if p is not None]  # fmt: skip
    return {PART: notes} if notes else {}


def package_facts(header: Mapping[str, Any]) -> dict[str, str]:
    """Return a line for people on what packages brought, by its title; none where none did."""
    notes = header.get(PART, ())
    told = "; ".join(f"{n['what']} {n['name']} of {n['package']} {n['version']}" for n in notes)
    return {"packages": told} if told else {}


# An Asset is Any in the next two: what it is made of imports this file.


def losses_of(asset: Any) -> list[str]:
    """Return the losses of packages that may be missing: what was fitted needs them no more."""
    return [note["name"] for note in asset.header.own.get(PART, ()) if note["what"] == "loss"]


def unreadable_recipe(asset: Any, error: ConfigError) -> AssetError:
    """Return what to raise for a recipe that cannot be read: a package is missing, or is newer."""
    return missing_package(asset.path, asset.header.own) or AssetError(
        f"{asset.path}: got a recipe that this version cannot read ({error}), need one it knows. "
        "Upgrade neuralshade."
    )


def missing_package(path: str, header: Mapping[str, Any]) -> AssetError | None:
    """Return what to raise for the first noted package that is not there; None where all are."""
    notes = header.get(PART, [])
    check_header(path, notes, NOTES, "asset", "Fit it again.")
    for note in notes:
        if note["what"] != "loss" and plugin_named(note["what"], note["name"], ()) is None:
            package = plain_name(f"{note['package']} {note['version']}")
            return AssetError(f"{path}: got {note['what']} {shown(note['name'])} of package "
                              f"{package}, as the file says, which is not installed, need it. "
                              "Install it if you trust it.")  # fmt: skip
    return None
