"""neuralshade info: facts about an asset."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neuralshade.errors import AssetError
from neuralshade.kinds import open_asset
from neuralshade.kinds.kind import AssetLike

if TYPE_CHECKING:
    from neuralshade.measure.table import Table


def info(asset: AssetLike) -> dict[str, Any]:
    """Return the facts about an asset, as plain JSON data.

    Keys: path, kind, format, bytes (on disk), bits_per_pixel (of the file, for a pixel or a texel
    of the largest level; None without pixels), memory_bytes (in a GPU's memory, as a shader
    reads it, mip levels in the formats of their files; None for a user's task), parameters, picture
    (None without one), recipe, training, quality (measured after fitting), tensors
    (name -> dtype and shape); and keys of single kinds: cloud for Gaussians, maps for mip levels,
    network for a family's network, module for a user's task; plugins, where other packages define
    the encoding, loss or kind.

    Raises: AssetError.
    """
    return open_asset(asset).facts()


def unopened_facts(path: str | os.PathLike[str]) -> dict[str, Any] | None:
    """Return the header's facts of an asset whose package is missing; None for any other.

    Keys: path, kind, bytes, and from the header: plugins, recipe, training, quality.

    Raises: AssetError for an incomplete file.
    """
    from neuralshade.asset.file import read_asset_file
    from neuralshade.asset.plugin_provenance import PART, missing_package

    file = read_asset_file(path)
    if missing_package(os.fspath(path), file.header) is None:
        return None
    parts = (PART, "recipe", "training", "quality")
    return {"path": os.fspath(path), "kind": file.header["kind"], "bytes": os.stat(path).st_size,
            **{name: file.header[name] for name in parts if name in file.header}}  # fmt: skip


def assets_in(folder: str | os.PathLike[str]) -> Table:
    """Return a row for each asset in a folder, by name, and for other files named .nsh.

    Keys: path, kind, bytes, memory_bytes, psnr_db (measured after fitting; None where the kind
    has none), obstacle (why a file cannot be opened, else empty; all else is None then).

    Raises: AssetError where there is none.
    """
    from neuralshade.measure.table import Column, Table  # not needed for one asset

    rows = [_row(path) for path in sorted(Path(folder).glob("*.nsh"))]
    if not rows:
        raise AssetError(f"{folder}: got a folder, need an asset, or a folder that has .nsh files "
                         "in it. Check the path.")  # fmt: skip
    return Table(rows, (
        Column("", lambda row: Path(row["path"]).name, right=False),
        Column("kind", "kind", right=False), Column("bytes", "bytes", ",d"),
        Column("GPU bytes", "memory_bytes", ",d"), Column("PSNR dB", "psnr_db", ".2f"),
        Column("", "obstacle", right=False),
    ))  # fmt: skip


def _row(path: Path) -> dict[str, Any]:
    row: dict[str, Any] = {"path": str(path), "kind": None, "bytes": None, "memory_bytes": None,
                           "psnr_db": None, "obstacle": ""}  # fmt: skip
    try:
        with open_asset(path) as opened:
            facts = opened.facts()
    except AssetError as error:
        return row | {"obstacle": str(error).removeprefix(f"{path}: ")}
    known = {name: facts[name] for name in ("kind", "bytes", "memory_bytes")}
    return row | known | {"psnr_db": facts["quality"].get("psnr_db")}
