"""Paths that may not be one: inputs are read, never written, and outputs are files each."""

import os
from typing import Any

from neuralshade.errors import OutputError


def check_no_input(output: Any, *inputs: Any) -> None:
    """Raise OutputError where the path ``output`` is the same file as one of ``inputs``.

    Inputs that are no paths but data in memory are fine, and so is no output (None).
    """
    for given in inputs:
        paths = [path for path in (output, given) if isinstance(path, (str, os.PathLike))]
        if len(paths) == 2 and all(map(os.path.exists, paths)) and os.path.samefile(*paths):
            raise OutputError(f"{output}: got the input {given} itself as output, need another "
                              "file. Choose another path.")  # fmt: skip


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
