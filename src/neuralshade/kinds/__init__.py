"""What can be fitted: one folder a kind, and one line of the registry below."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from neuralshade.base.place import loaded
from neuralshade.errors import AssetError, ConfigError
from neuralshade.kinds.kind import Kind, Opened

if TYPE_CHECKING:
    from neuralshade.asset.asset import Asset

# kind of asset -> the package whose KIND says the rest; the first fits what a live page is given
KINDS = {
    "image": "neuralshade.kinds.image",
    "splats": "neuralshade.kinds.splats",
    "mipmaps": "neuralshade.kinds.mipmaps",
    "mip_family": "neuralshade.kinds.mipmaps.family",
    "textures": "neuralshade.kinds.textures",
    "material": "neuralshade.kinds.material",
    "shader": "neuralshade.kinds.shader",
}


def kind_named(name: str) -> Kind:
    """Return a kind of the registry; only its package is loaded."""
    kind: Kind = loaded(f"{KINDS[name]}:KIND")
    return kind


def all_kinds() -> list[Kind]:
    """Return every kind."""
    return [kind_named(name) for name in KINDS]


def usual_kind() -> Kind:
    """Return the kind that a picture is fitted as where nothing else is said."""
    return kind_named(next(iter(KINDS)))


def open_asset(
    asset: Any, given: Mapping[str, Any] | None = None, *, trust: bool = False
) -> Opened:
    """Return an asset ready to be drawn, evaluated, reported and shown.

    Args:
        asset: path of a file, or what ``load`` returned.
        given: values for the members of a task, by name, in place of those that it has.
        trust: code that came with it may run though no fit of this user had it.

    Raises: AssetError, saying why a file is refused; ConfigError for values that no asset of
        its kind takes.
    """
    if isinstance(asset, Opened):
        if not given and not trust:
            return asset
        asset, trust = asset.asset, trust or asset.trusted
    file = _read(asset) if isinstance(asset, (str, os.PathLike)) else asset
    kind = kind_named(file.kind)
    if given and not kind.valued:
        fits = " or ".join(f"fit {other.name}" for other in all_kinds() if other.valued)
        raise ConfigError(f"set: got {next(iter(given))} for {file.path}, need an asset that "
                          f"{fits} made. Leave it out.")  # fmt: skip
    return kind.opened.of(file, given, trust=trust)


def load(path: str | os.PathLike[str], *, trust: bool = False) -> Opened:
    """Return an asset that a fit wrote, opened: its header, tensors, and what it draws.

    It is of its kind's class, which adds to ``Opened``: OpenedImage a ``field``, OpenedSplats a
    ``cloud``, OpenedShader, OpenedMipmaps and OpenedFamily what is theirs.

    ``trust``: Slang code that came with it may run though no fit of yours had it; it is refused
    all the same where it does more than arithmetic. See docs/security.md.

    Raises: AssetError, saying why a file is refused.
    """
    return open_asset(path, trust=trust)


def _read(path: str | os.PathLike[str]) -> Asset:
    from neuralshade.asset.asset import asset_of
    from neuralshade.asset.file import CHECKPOINT, read_asset_file

    file = read_asset_file(path)
    kind = file.header["kind"]
    if kind in KINDS:
        return asset_of(file, path)
    remedy = "Upgrade neuralshade."
    if kind.removesuffix(CHECKPOINT) in KINDS:
        remedy = "Finish it with neuralshade fit --resume."
    known = sorted(KINDS)
    raise AssetError(f"{path}: got an asset of kind {kind!r}, need one of {known}. {remedy}")
