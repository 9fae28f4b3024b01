"""Copies of Slang modules with everything they import."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from neuralshade.gpu.device import SOURCE_FOLDER
from neuralshade.gpu.foreign_slang import OWN, package_folders
from neuralshade.gpu.screening import is_within
from neuralshade.gpu.slang_text import spellings


def with_modules(
    files: Mapping[str, str], folder: str, instead: Mapping[str, str]
) -> dict[str, str]:
    """Return files of ``folder``, together with their imports from packages.

    Imports from packages are redirected there: ``import FOLDER.neuralshade.X;``.

    Args:
        files: text by path, which begins with ``folder``.
        instead: replacement text for files of packages, by path.
    """
    packages = {OWN: SOURCE_FOLDER, **package_folders()}
    names = "|".join(map(re.escape, packages))
    imported = re.compile(rf"\b(import|__include|implementing)(\s+)((?:{names})(?:\s*\.\s*\w+)+)")
    quoted = re.compile(rf'\b(import|__include|include)(\s*")((?:{names})/[^"\n]*)"')
    found: dict[str, str] = {}
    waiting = dict(files)
    while waiting:
        place, text = waiting.popitem()
        dotted = [re.sub(r"\s", "", one[3]).replace(".", "/") for one in imported.finditer(text)]
        for name in (*dotted, *(one[3] for one in quoted.finditer(text))):
            for path, content in _files(name, packages, instead).items():
                if f"{folder}/{path}" not in found:
                    waiting[f"{folder}/{path}"] = content
        text = imported.sub(rf"\g<1>\g<2>{folder}.\g<3>", text)
        found[place] = quoted.sub(rf'\g<1>\g<2>{folder}/\g<3>"', text)
    return found


def _files(name: str, packages: Mapping[str, Path], instead: Mapping[str, str]) -> dict[str, str]:
    """Return the package file that a name refers to, by its path; empty where none does."""
    path = PurePosixPath(name)
    if not is_within(path):
        return {}
    for spelled in spellings(path):
        if spelled in instead:
            return {spelled: instead[spelled]}
        file = packages[path.parts[0]] / spelled
        if file.suffix == ".slang" and os.path.isfile(file):
            return {spelled: file.read_text("utf-8")}
    return {}
