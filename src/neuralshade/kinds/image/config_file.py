"""Configuration files in instant-ngp's format: JSON with comments and inherited parents.

Source: instant-ngp, merge_parent_network_config; a child overrides its parent's keys, at any
depth, and null removes one (RFC 7396, JSON Merge Patch).
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

from neuralshade.base.message_text import read_failure, shown
from neuralshade.base.regular_file import check_regular
from neuralshade.errors import ConfigError

PARENT = "parent"
# A string is matched whole, so that // in it is no comment. An unterminated one matches to the end
# of the file: looking for another beginning in it would take quadratic time.
STRING_OR_COMMENT = re.compile(r'"(?:[^"\\]|\\.)*(?:"|\\?\Z)|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
OF_FOLDER = "need a file beside it, by its name. Copy it there."


class Inherited(dict[str, Any]):
    """A JSON object merged over its parent's; ``others``: keys of a parent with another otype.

    instant-ngp keeps those, and the object's own otype does not read them.
    """

    others: frozenset[str] = frozenset()


def read_config(path: str | os.PathLike[str]) -> Any:
    """Return a file's values merged over its parents'; ConfigError where one cannot be read."""
    chain = [Path(path)]
    configs = [_read(chain[0])]
    while isinstance(configs[-1], dict) and PARENT in configs[-1]:
        parent = _beside(chain[-1], configs[-1].pop(PARENT))
        if any(parent.samefile(one) for one in chain):
            raise ConfigError(f"{chain[-1]}: got parent {shown(parent.name)}, which goes on from "
                              "this one, need parents that end. Leave it out.")  # fmt: skip
        chain.append(parent)
        configs.append(_read(parent))
    merged = configs.pop()
    try:
        while configs:
            merged = merge(merged, configs.pop())
    except RecursionError as error:
        raise _unlike(path, error) from error
    return merged


def merge(parent: Any, child: Any) -> Any:
    """Return a JSON value merged over its parent's: objects key by key, others replaced."""
    if not isinstance(child, dict):
        return child
    parent = parent if isinstance(parent, dict) else {}
    merged = Inherited(parent)
    for key, value in child.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = merge(parent.get(key), value)
    others: frozenset[str] = getattr(parent, "others", frozenset())
    if _otype(merged) != _otype(parent):
        others = frozenset(parent)
    merged.others = others - child.keys()
    return merged


def _otype(values: dict[str, Any]) -> str:
    return str(values.get("otype")).lower()


def _beside(path: Path, name: Any) -> Path:
    """Return the parent that a file names; ConfigError for what is not in the same folder.

    A configuration from someone else must not choose which other files are opened.
    """
    label = shown(name)
    plain = isinstance(name, str) and name not in ("", ".", "..") and Path(name).name == name
    if not plain or "\\" in name or "\0" in name:
        raise ConfigError(f"{path}: got parent {label}, {OF_FOLDER}")
    parent = path.with_name(name)
    try:
        inside = parent.resolve(strict=True).parent == path.resolve().parent
    except (OSError, RuntimeError, ValueError) as error:  # not there, or a link in a circle
        raise ConfigError(f"{path}: got parent {label}, which is not there, {OF_FOLDER}") from error
    if not inside:
        raise ConfigError(f"{path}: got parent {label}, a link to another folder, {OF_FOLDER}")
    return parent


def _read(path: Path) -> Any:
    try:
        check_regular(path)
        text = path.read_text(encoding="utf-8")
        return json.loads(STRING_OR_COMMENT.sub(_blank, text))
    except OSError as error:
        raise ConfigError(f"{path}: got {read_failure(error)}, need a JSON file in tiny-cuda-nn's "
                          "form. Check the path.") from error  # fmt: skip
    # ValueError: no UTF-8, no JSON, or a number of thousands of digits; nesting may be too deep
    except (ValueError, RecursionError) as error:
        raise _unlike(path, error) from error


def _unlike(path: str | os.PathLike[str], error: Exception) -> ConfigError:
    return ConfigError(f"{path}: got {error}, need a JSON file in tiny-cuda-nn's form. "
                       "See docs/recipes.md.")  # fmt: skip


def _blank(found: re.Match[str]) -> str:
    """Return a string as it is, a comment as blanks, which keeps lines and columns of errors."""
    text = found.group()
    return text if text.startswith('"') else re.sub(r"[^\n]", " ", text)
