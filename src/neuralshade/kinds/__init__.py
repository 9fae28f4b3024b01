"""Registry of kinds, one folder each; and the opening of their assets.

Installed packages may add more, each a package with a KIND, as an entry point of the group
neuralshade.kinds.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from neuralshade.base.lazy_import import import_object
from neuralshade.base.message_text import shown
from neuralshade.base.plugins import checked_plugins, names, plugin_named
from neuralshade.errors import AssetError, ConfigError
from neuralshade.fitting.command import CommandLine, FitCall
from neuralshade.kinds.kind import Kind, Opened

if TYPE_CHECKING:
    from neuralshade.asset.asset import Asset
    from neuralshade.asset.file import AssetFile

# kind of asset -> its package, which has a KIND; the first fits pictures sent to a live page
KINDS = {
    "image": "neuralshade.kinds.image",
    "splats": "neuralshade.kinds.splats",
    "mipmaps": "neuralshade.kinds.mipmaps",
    "mip_family": "neuralshade.kinds.mipmaps.family",
    "textures": "neuralshade.kinds.textures",
    "material": "neuralshade.kinds.material",
    "shader": "neuralshade.kinds.shader",
}

# verbs of ``fit`` that make several assets of a kind above -> their package, which has a KIND
SEVERAL = {"materials": "neuralshade.kinds.material.family"}


log = logging.getLogger("neuralshade")


def kind_named(name: str) -> Kind | None:
    """Return a kind of the registry or of an installed package; imports only its package.

    None for an unknown name.

    Raises: ConfigError for a name of several packages, and for one that does not load or is no
        kind.
    """
    if name in KINDS:
        ours: Kind = import_object(f"{KINDS[name]}:KIND")
        return ours
    plugin = plugin_named("kind", name, KINDS)
    if plugin is None:
        return None
    found = plugin.load()
    if not isinstance(found, Kind) or found.name != name:
        got = f"a kind named {found.name!r}" if isinstance(found, Kind) else type(found).__name__
        raise plugin.unfit(got, f"a neuralshade.kinds.kind.Kind named {name!r}")
    return found


def all_kinds() -> Iterator[Kind]:
    """Yield every kind, those of packages last; logs a line for each that fails to load."""
    for name in KINDS:
        yield import_object(f"{KINDS[name]}:KIND")
    for plugin, fault in checked_plugins("kind", KINDS):
        try:
            kind = None if fault is not None else kind_named(plugin.name)
        except ConfigError as error:
            log.warning("%s", error)
            continue
        if kind is not None:
            yield kind


def fit_verb(name: str) -> Kind | None:
    """Return the kind of a verb of ``fit``, also of one for several; None for an unknown verb.

    Raises: what ``kind_named`` raises.
    """
    if name in SEVERAL:
        several: Kind = import_object(f"{SEVERAL[name]}:KIND")
        return several
    return kind_named(name)


def fit_call(kind: Kind, line: CommandLine) -> FitCall:
    """Return the call of a command line: by the kind's function, or by the names of its flags."""
    if kind.calls is not None:
        call: FitCall = import_object(kind.calls)(line)
        return call
    preset = {} if not kind.presets else {"preset": line.preset}
    return FitCall(kind.fit, (line.subject, line.output),
                   {**preset, **line.flags, **line.settings})  # fmt: skip


def fit_verbs() -> list[str]:
    """Return the verbs of ``fit``, those for several last."""
    return [*(kind.name for kind in all_kinds() if kind.fits is not None), *SEVERAL]


def usual_kind() -> Kind:
    """Return the default kind for a picture."""
    return next(all_kinds())


def open_asset(
    asset: Any, values: Mapping[str, Any] | None = None, *, trust: bool = False
) -> Opened:
    """Return an asset ready to be drawn, evaluated, reported and shown.

    Args:
        asset: path of a file, or what ``load`` returned.
        values: values for the members of a task, by name, in place of its own.
        trust: code in the asset may run even if no fit of this user had it.

    Raises: AssetError with the reason why a file is refused; ConfigError for values that its kind
        does not accept.
    """
    from neuralshade.base.argument_checks import check_values

    check_values(values)
    if isinstance(asset, Opened):
        if not values and not trust:
            return asset
        asset, trust = asset.asset, trust or asset.trusted
    file = _read(asset) if isinstance(asset, (str, os.PathLike)) else asset
    if not hasattr(file, "kind"):  # an Asset, whose class is expensive to import
        raise AssetError(f"asset: got {shown(asset)}, need a path or what load returned. "
                         "Name a file.")  # fmt: skip
    kind = kind_named(file.kind)
    assert kind is not None, file.kind  # checked while reading
    if values and not kind.valued:
        fits = " or ".join(f"fit {other.name}" for other in all_kinds() if other.valued)
        raise ConfigError(f"set: got {next(iter(values))} for {file.path}, need an asset that "
                          f"{fits} made. Leave it out.")  # fmt: skip
    return kind.opened.of(file, values, trust=trust)


def load(path: str | os.PathLike[str], *, trust: bool = False) -> Opened:
    """Return an asset that a fit wrote, opened: its header, tensors, and what it draws.

    The class is its kind's, which adds to ``Opened``: OpenedImage a ``field``, OpenedSplats a
    ``cloud``, OpenedShader, OpenedMipmaps and OpenedFamily their own.

    ``trust``: Slang code in the asset may run even if no fit of yours had it, and so may code of a
    MaterialX document that it is compared with; code that does more than arithmetic is refused all
    the same. See docs/security.md.

    Raises: AssetError with the reason why a file is refused.
    """
    return open_asset(path, trust=trust)


def checkpoint_facts(path: str | os.PathLike[str]) -> dict[str, Any] | None:
    """Return a checkpoint's facts of its fit, see ``unfinished_facts``; None for other files.

    Raises: AssetError for a damaged file.
    """
    header = _read_file(path).header
    begun = _begun_kind(header["kind"])
    if begun is None:
        return None
    from neuralshade.kinds.unfinished import unfinished_facts

    return unfinished_facts(path, header, begun)


def _begun_kind(name: str) -> Kind | None:
    from neuralshade.asset.file import CHECKPOINT

    whole = name.removesuffix(CHECKPOINT)
    return kind_named(whole) if whole != name and whole in names("kind", KINDS) else None


def _read(path: str | os.PathLike[str]) -> Asset:
    from neuralshade.asset.asset import asset_of
    from neuralshade.asset.plugin_provenance import missing_package

    file = _read_file(path)
    kind = file.header["kind"]
    if kind in KINDS or kind_named(kind) is not None:
        return asset_of(file, path)
    if (begun := _begun_kind(kind)) is not None:
        from neuralshade.kinds.unfinished import unfinished

        raise unfinished(path, file.header, begun)
    if (missing := missing_package(os.fspath(path), file.header)) is not None:
        raise missing
    known = sorted(names("kind", KINDS))
    raise AssetError(f"{path}: got an asset of kind {kind!r}, need one of {known}. "
                     "Upgrade neuralshade.")  # fmt: skip


def _read_file(path: str | os.PathLike[str]) -> AssetFile:
    """Return a file's contents; AssetError, which recognizes a material's source."""
    from neuralshade.asset.file import read_asset_file
    from neuralshade.base.argument_checks import check_path

    check_path("asset", path, AssetError)
    try:
        return read_asset_file(path)
    except AssetError as error:
        from neuralshade.kinds.unfinished import unfitted

        if (unfitted_error := unfitted(path)) is None:
            raise
        raise unfitted_error from error
