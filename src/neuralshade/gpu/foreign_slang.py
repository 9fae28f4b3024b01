"""Slang files of other packages: where kernels find their encodings and losses."""

from __future__ import annotations

import hashlib
import inspect
import os
import pathlib
import re
import sys
from collections.abc import Sequence
from typing import Any

from neuralshade.errors import ConfigError

IMPORTED = re.compile(r"\bimport\s+(\w+)\s*\.")
OWN = "neuralshade"

_known: dict[str, pathlib.Path] = {}  # package -> the folder that it lies in


def register_package(thing: Any, place: str) -> None:
    """Let kernels import Slang files in the package of a class or function.

    ``import package.stem;`` in their text finds package/stem.slang, as Python's import does the
    file beside it.

    Raises: ConfigError, naming ``place``, for something outside of a package.
    """
    module = thing.__module__
    package, _, below = module.partition(".")
    try:
        file = pathlib.Path(inspect.getfile(sys.modules[module])).absolute()
    except (KeyError, TypeError):  # built in, or created dynamically
        file = pathlib.Path()
    depth = len(module.split(".")) - (file.name != "__init__.py")
    is_package = below or file.name == "__init__.py"
    folder = file.parents[depth] if len(file.parents) > depth else file
    if not is_package or not os.path.isdir(folder / package):
        raise ConfigError(f"{place}: got module {module}, which lies in no package, need one: its "
                          "Slang files lie in its folder. Make a folder with "
                          "__init__.py.")  # fmt: skip
    if package != OWN:
        _known[package] = folder


def foreign_packages(text: str) -> tuple[str, ...]:
    """Return the other packages whose Slang files a kernel's text imports."""
    return tuple(sorted(_known.keys() & set(IMPORTED.findall(text))))


def package_folders() -> dict[str, pathlib.Path]:
    """Return the folders of known packages, by name."""
    return dict(_known)


def folders_of(packages: Sequence[str]) -> list[pathlib.Path]:
    """Return the include folders for Slang files of known packages."""
    return list(dict.fromkeys(_known[package] for package in packages))


def foreign_digest(packages: Sequence[str]) -> str:
    """Return a digest of every Slang file of known packages: each may import others."""
    every = sorted(_known) if packages else []
    return "\0".join(files_digest(_known[name] / name, "*.slang") for name in every)


def files_digest(folder: pathlib.Path, pattern: str) -> str:
    """Return a digest of names and contents of files in a folder and below."""
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob(pattern) if os.path.isfile(path)):
        name = path.relative_to(folder).as_posix().encode()
        digest.update(name + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()
