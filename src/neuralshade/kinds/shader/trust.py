"""Trust store: the modules that this user has trained, which may run without a question."""

from __future__ import annotations

import logging
import os
from pathlib import Path

import platformdirs

from neuralshade.base.private_dirs import make_private_dir, why_not_private
from neuralshade.errors import AssetError
from neuralshade.kinds.shader.source import ShaderSource

log = logging.getLogger("neuralshade")
_noted: set[str] = set()  # of this process, in case the folder is not writable


def remember(source: ShaderSource) -> None:
    """Remember that this user trained the module: assets with it are drawn without a question.

    Where the folder is not writable, other processes treat them as a stranger's.
    """
    folder = _folder()
    _noted.add(source.digest)
    try:
        make_private_dir(folder)
        if why_not_private(folder) is None:
            (folder / source.digest).touch(mode=0o600)
    except OSError as error:
        log.info("trust: assets of %s will need --trust, since %s cannot be written (%s)",
                 source.name, folder, error)  # fmt: skip


def is_known(source: ShaderSource) -> bool:
    """Return whether this user trained the module, with all files that it includes."""
    if source.digest in _noted:
        return True
    folder = _folder()
    return why_not_private(folder) is None and os.path.isfile(folder / source.digest)


def check_trusted(source: ShaderSource, place: str, trusted: bool) -> bool:
    """Return whether the module is a stranger's. ``place``: the asset, for errors.

    Raises: AssetError for a stranger's that is not ``trusted``.
    """
    foreign = not is_known(source)
    if foreign and not trusted:
        raise AssetError(f"{place}: got Slang code that no fit of yours made, need your word that "
                         "it may run here. Read it (neuralshade info --json), then add --trust, or "
                         "trust=True.")  # fmt: skip
    return foreign


def _folder() -> Path:
    return Path(platformdirs.user_data_dir("neuralshade")) / "own-modules"
