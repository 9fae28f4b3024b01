"""Evaluation of a texture set: against its maps, block compression and picture files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain
from typing import Any

import numpy as np

from neuralshade.base.message_text import plain, plain_name
from neuralshade.engine.threads import side_by_side
from neuralshade.errors import ConfigError
from neuralshade.kinds.kind import Notice, ignore
from neuralshade.kinds.textures.corner_psnr import corner_psnr
from neuralshade.kinds.textures.engine import latent_grids
from neuralshade.kinds.textures.reference import (
    TexturesAsset,
    byte_maps,
    decoded_maps,
    is_fitted,
    reference_set,
    varying,
)
from neuralshade.measure.baselines import to_uint8
from neuralshade.measure.codec_rivals import codec_rivals
from neuralshade.measure.map_psnr import EQUAL_DB, Bytes, db_text, map_psnr_db
from neuralshade.measure.plane.lit_sphere import Floats, lights, lit_sphere
from neuralshade.measure.plane.lit_texels import lit_errors
from neuralshade.measure.quality import flip
from neuralshade.measure.table import Column, Row, Table, bits_column, print_lines, print_rows
from neuralshade.measure.texture_rivals import ByteMaps, TextureRival, block_rivals
from neuralshade.source.material_set import MaterialSet

MEAN_NOTED = ("Mean, of any mip: over the maps, of which one of 99 dB or more, equal perhaps, "
              "counts as 99.")  # fmt: skip
OURS = "neuralshade"
HALF_BYTES = 2  # of a number in float16
NOTED = (
    "PSNR: in 8 bits, of mip 0 where methods are compared; normals by x, y and the z that is "
    f"rebuilt. {MEAN_NOTED}",
    "FLIP: of a sphere lit with the maps of mip 0, 256 pixels wide; lower is better.",
    "Lit L1: of texels of mip 0 under 16 lights, as a screen shows them; lower is better.",
    "GPU bytes: with all mips, as a shader reads them; of picture files plain texels.",
    "Random access: whether a shader reads any texel of what lies on disk. The others are mip 0 "
    "alone; they are decoded whole, and mips are made, before anything is sampled.",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Comparison:
    """The varying maps as targets and decoded, and the alternatives to keep them."""

    textures: MaterialSet  # of all maps
    target: ByteMaps
    decoded: Mapping[str, Sequence[Bytes]]  # levels by map, as in ``target``
    psnr_db: Mapping[str, Sequence[float]]  # the same
    rivals: Sequence[TextureRival]  # the asset first
    sphere: Floats | None  # lit with the target maps; None where no map is visible on it
    spheres: Mapping[str, Floats]  # the same for each possible rival, by name
    lit: Mapping[str, float]  # by rival, the mean difference of lit texels

    @property
    def ours(self) -> TextureRival:
        """Return the asset as a rival among others."""
        return self.rivals[0]

    def flip_of(self, name: str) -> float | None:
        """Return the FLIP of a rival's lit sphere; None where there is none."""
        return self._flips.get(name)

    @cached_property
    def _flips(self) -> Mapping[str, float | None]:
        """Return FLIP by name, cached: table, verdict and pictures use it."""
        if self.sphere is None:
            return {}
        return {name: flip(self.sphere, sphere) for name, sphere in self.spheres.items()}


def compare(opened: TexturesAsset, reference: Any, notice: Notice = ignore) -> Comparison:
    """Return the asset beside blocks of full and half size, and picture files of its bytes.

    ``notice`` is called first where these are not the maps of the fit.

    Raises: ConfigError without a reference; AssetError for other maps; what ``load_material_set``
        raises.
    """
    textures = reference_set(opened, reference)
    if not is_fitted(opened, textures):
        fitted, other = (plain_name(name) for name in (opened.textures["name"], textures.name))
        notice(f"{opened.path}: fitted to {fitted}, compared with {other}: its maps have other "
               "numbers than those that it was fitted to.")  # fmt: skip
    target, decoded = byte_maps(opened, textures), decoded_maps(opened)
    quality = {
        name: [
            map_psnr_db(*pair, target.weights(name, mip))
            for mip, pair in enumerate(zip(levels, decoded[name], strict=True))
        ]
        for name, levels in target.levels.items()
    }
    others = chain(block_rivals(target), codec_rivals(target, opened.byte_count))
    rivals = [as_rival(opened, decoded, quality), *others]
    maps = {name: levels[0] for name, levels in target.levels.items()}
    constant = {
        coding.name: to_uint8(coding.coded(textures[coding.name].values))
        for coding in opened.codings
        if not coding.count
    }
    if not lights(maps):
        return Comparison(textures, target, decoded, quality, rivals, None, {}, {})
    sets = {each.name: constant | dict(each.maps) for each in rivals if each.maps}
    whole = constant | maps
    sphere, *spheres = side_by_side(lit_sphere, [whole, *sets.values()])
    errors = lit_errors(whole, list(sets.values()), target.weights("albedo"))
    return Comparison(textures, target, decoded, quality, rivals, sphere,
                      dict(zip(sets, spheres, strict=True)),
                      dict(zip(sets, errors, strict=True)))  # fmt: skip


def half_latents_bytes(opened: TexturesAsset) -> int:
    """Return the bytes in memory with each latent unpacked to a half float."""
    stored = [t.nbytes for name, t in opened.tensors.items() if name.startswith("latents.")]
    numbers = sum(
        width * height * grid.features
        for grid in latent_grids(opened.field)
        for width, height in grid.sizes
    )
    return opened.memory_bytes - sum(stored) + HALF_BYTES * numbers


def as_rival(
    opened: TexturesAsset, decoded: Mapping[str, Sequence[Bytes]],
    quality: Mapping[str, Sequence[float]],
) -> TextureRival:  # fmt: skip
    """Return the asset as a rival among others."""
    setting = f"all mips; with half-float latents {half_latents_bytes(opened):,} bytes of memory"
    latents = "BC1" if opened.recipe.latents == "bc1" else "packed"
    return TextureRival(
        OURS, opened.byte_count, opened.memory_bytes,
        f"{latents} latents, half-float decoder", True,
        float(opened.header.training["seconds"]), setting,
        {name: levels[0] for name, levels in decoded.items()},
        {name: values[0] for name, values in quality.items()},
    )  # fmt: skip


def evaluate_textures(
    opened: TexturesAsset, reference: Any, notice: Notice = ignore
) -> TexturesTable:
    """Return the quality of the decoded maps, beside the alternatives.

    Args:
        opened: the asset.
        reference: a folder, a manifest, files of maps or a MaterialSet: the maps of the fit.
        notice: called first where they differ.

    Returns:
        Rows of plain JSON data, of two kinds. ``section`` "ways", the asset first: name, setting,
        bytes (on disk), memory_bytes (in a GPU's memory, all mips), memory_format,
        bits_per_texel (of mip 0), random_access, seconds (to make it; the fit's for the asset),
        psnr_db (by map, of mip 0), mean_psnr_db, flip of a lit sphere and lit_l1 of texels under
        other lights, None where no map is visible on these; the asset's also half_latents_bytes,
        its memory with latents as half floats, and corner_psnr_db (by map; where latents are BC1
        textures: filtered, half a texel off, see ``corner_psnr``). An impossible alternative has
        no psnr_db, and its ``setting`` has the reason. ``section`` "mips": mip, width, height,
        psnr_db and mean_psnr_db, of the asset. Means are over the maps, and a map of 99 dB or
        more, even an equal one, counts as 99. Constant maps are in neither.

    Raises: AssetError for other maps; what ``load_material_set`` raises.
    """
    if reference is None:
        raise ConfigError(f"{opened.path}: got no maps, need those that it was fitted to. "
                          "Give their folder as the second argument.")  # fmt: skip
    return table_of(opened, compare(opened, reference, notice))


def table_of(opened: TexturesAsset, found: Comparison) -> TexturesTable:
    """Return the rows of a comparison."""
    methods = [
        _method_row(rival, opened.sizes[0])
        | {"flip": found.flip_of(rival.name), "lit_l1": found.lit.get(rival.name)}
        for rival in found.rivals
    ]
    methods[0]["half_latents_bytes"] = half_latents_bytes(opened)
    corners = corner_psnr(opened, found.textures) if opened.recipe.latents == "bc1" else {}
    methods[0]["corner_psnr_db"] = corners
    constant = [coding.name for coding in opened.codings if not coding.count]
    notes = [note for note in found.textures.notes if note.startswith("maps:")]
    if constant:
        notes.append(f"The same everywhere, and in none of the numbers: {', '.join(constant)}.")
    names = [coding.name for coding in varying(opened.codings)]
    if corners:
        notes.append(_corner_line(corners, methods[0]["mean_psnr_db"]))
    return TexturesTable(names, methods, list(_mip_rows(opened, found.psnr_db)), notes)


def _corner_line(corners: Mapping[str, float], centre_db: float) -> str:
    of_maps = ", ".join(f"{name} {value:.2f}" for name, value in corners.items())
    mean = float(np.mean(list(corners.values())))
    return (f"Half a texel off, where filtered latents are mixed most: {mean:.2f} dB, the mean "
            f"over the maps ({of_maps}) against the bilinear mix of the reference texels; at texel "
            f"centres {centre_db:.2f} dB.")  # fmt: skip


def _method_row(rival: TextureRival, size: tuple[int, int]) -> Row:
    possible = bool(rival.psnr_db)
    return {
        "section": "ways", "name": rival.name, "setting": rival.setting,
        "bytes": rival.disk_bytes if possible else None,
        "memory_bytes": rival.memory_bytes if possible else None,
        "memory_format": rival.memory_format,
        "bits_per_texel": 8 * rival.disk_bytes / (size[0] * size[1]) if possible else None,
        "random_access": rival.random_access, "seconds": rival.seconds,
        "psnr_db": dict(rival.psnr_db), "mean_psnr_db": rival.mean_psnr_db,
    }  # fmt: skip


def _mip_rows(opened: TexturesAsset, quality: Mapping[str, Sequence[float]]) -> Iterator[Row]:
    for mip, (width, height) in enumerate(opened.sizes):
        of_maps = {name: values[mip] for name, values in quality.items()}
        mean = float(np.mean([min(EQUAL_DB, value) for value in of_maps.values()]))
        yield {"section": "mips", "mip": mip, "width": width, "height": height,
               "psnr_db": of_maps, "mean_psnr_db": mean}  # fmt: skip


class TexturesTable(Table):
    """Two tables: the alternatives to keep the maps, and the quality of the asset's mips."""

    def __init__(
        self,
        names: Sequence[str],
        methods: Sequence[Row],
        mips: Sequence[Row],
        notes: Sequence[str],
    ):
        self.names, self.methods, self.mips = names, methods, mips
        super().__init__([*methods, *mips], lines=notes)

    def print(self) -> None:
        """Print everything to standard output, no wider than the terminal but for numbers."""
        maps = [Column(plain(name), partial(_map_column, name)) for name in self.names]
        mean = Column("mean", lambda row: db_text(row["mean_psnr_db"]))
        print_rows([
            Column("", "name", right=False),
            Column("bytes", "bytes", ",d"),
            Column("GPU bytes", "memory_bytes", ",d"),
            bits_column("bits per texel", "bits_per_texel", 2),
            Column("random access", lambda row: "yes" if row["random_access"] else "no"),
            *maps, mean, Column("FLIP", "flip", ".4f"), Column("lit L1", "lit_l1", ".4f"),
        ], self.methods)  # fmt: skip
        for row in self.methods:
            if row["setting"]:
                print_lines([f"  {row['name']}: {row['setting']}"])
        print("\nPSNR of each mip, dB")
        print_rows([
            Column("mip", "mip", "d"),
            Column("texels", lambda row: f"{row['width']} x {row['height']}"),
            *maps, mean,
        ], self.mips)  # fmt: skip
        print_lines((*NOTED, *self.lines))


def _map_column(name: str, row: Row) -> str | None:
    return db_text(of_map(name, row))


def of_map(name: str, row: Row) -> float | None:
    """Return a map's PSNR in a row."""
    value: float | None = row["psnr_db"].get(name)
    return value
