"""Paths that may not be one: inputs are read, never written, and outputs are files each."""

import os
from pathlib import Path
from typing import Any

from neuralshade.asset.file import is_asset_file
from neuralshade.errors import OutputError
from neuralshade.source.map_files import SUFFIXES as PICTURES

# What files of other kinds are called; any other name may be an asset's.
OTHER_SUFFIXES = {*PICTURES, ".csv", ".dds", ".gif", ".html", ".json", ".jsonl", ".ktx2", ".md",
                  ".mp4", ".pdf", ".py", ".slang", ".toml", ".txt", ".zip"}  # fmt: skip


def check_no_input(output: Any, *inputs: Any) -> None:
    """Raise OutputError where the path ``output`` is the same file as one of ``inputs``.

    Inputs that are no paths but data in memory are fine, and so is no output (None).
    """
    for given in inputs:
        paths = [path for path in (output, given) if isinstance(path, (str, os.PathLike))]
        if len(paths) == 2 and all(map(os.path.exists, paths)) and os.path.samefile(*paths):
            raise OutputError(f"{output}: got the input {given} itself as output, need another "
                              "file. Choose another path.")  # fmt: skip


def check_asset_place(output: str | os.PathLike[str]) -> None:
    """Raise OutputError where an asset's path is named as, or is, a file of another kind.

    An asset or a checkpoint may be there, and an empty file: these are replaced.
    """
    path = Path(output)
    if path.suffix.lower() in OTHER_SUFFIXES:
        raise OutputError(f"{output}: got suffix '{path.suffix}' for an asset, need a name that "
                          "ends in .nsh. Choose another path.")  # fmt: skip
    try:
        replaced = not path.is_file() or path.stat().st_size == 0 or is_asset_file(path)
    except OSError:  # what cannot be read is not known to be ours
        replaced = False
    if not replaced:
        raise OutputError(f"{output}: got a file that is no asset, need one that may be replaced. "
                          "Choose another path.")  # fmt: skip


def check_apart(**outputs: str | os.PathLike[str] | None) -> None:
    """Raise OutputError where two of the outputs, named by what they are, have one path."""
    taken: dict[str, str] = {}
    for name, path in outputs.items():
        if path is None:
            continue
        before = taken.setdefault(os.path.realpath(path), name)
        if before != name:
            raise OutputError(f"{path}: got the path of the {before} for the {name} too, need "
                              "one for each. Choose another path.")  # fmt: skip
