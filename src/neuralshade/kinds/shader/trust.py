"""Whose code a task's asset carries: this user's own, or somebody else's."""

from __future__ import annotations

import logging
import os
from pathlib import Path

import platformdirs

from neuralshade.base.own import make_own_folder, why_not_own
from neuralshade.errors import AssetError
from neuralshade.kinds.shader.source import ShaderSource

log = logging.getLogger("neuralshade")
_noted: set[str] = set()  # in this process, should the folder not be writable


def remember(source: ShaderSource) -> None:
    """Note that this user had the module trained: assets that carry it are drawn unasked.

    Where the note cannot be kept, they ask for trust in other processes, as a stranger's do.
    """
    folder = _folder()
    _noted.add(source.digest)
    try:
        make_own_folder(folder)
        if why_not_own(folder) is None:
            (folder / source.digest).touch(mode=0o600)
    except OSError as error:
        log.info("trust: assets of %s will need --trust, since %s cannot be written (%s)",
                 source.name, folder, error)  # fmt: skip


def is_known(source: ShaderSource) -> bool:
    """Return whether this user had the module trained, its text and all files that it takes in."""
    if source.digest in _noted:
        return True
    folder = _folder()
    return why_not_own(folder) is None and os.path.isfile(folder / source.digest)


def check_trusted(source: ShaderSource, place: str, trusted: bool) -> bool:
    """Return whether no fit of this user had the module. ``place``: of the asset.

    Raises: AssetError for such a one, unless it is ``trusted``.
    """
    foreign = not is_known(source)
    if foreign and not trusted:
        raise AssetError(f"{place}: got Slang code that no fit of yours made, need your word that "
                         "it may run here. Read it (neuralshade info --json), then add --trust, or "
                         "trust=True.")  # fmt: skip
    return foreign


def _folder() -> Path:
    return Path(platformdirs.user_data_dir("neuralshade")) / "own-modules"
