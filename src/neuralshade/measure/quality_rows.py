"""Table of quality at equal bytes, as plain rows."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

from neuralshade.base.progress_scope import part
from neuralshade.measure.astc import missing_astc
from neuralshade.measure.baselines import Baseline, baselines
from neuralshade.measure.block_baselines import block_baselines
from neuralshade.measure.light import light_facts
from neuralshade.measure.pair import Pixels, unit_float
from neuralshade.measure.quality import measure_quality, missing_flip
from neuralshade.measure.table import Column, Row, Table, bits_column
from neuralshade.measure.verdict import is_astc, verdict
from neuralshade.source.picture import Picture

COLUMNS = (
    Column("", "name", right=False),
    Column("bytes", "bytes", ",d"),
    bits_column("bits/pixel", "bits_per_pixel", 3),
    Column("GPU bytes", "memory_bytes", ",d"),
    Column("random access", lambda row: "yes" if row["random_access"] else "no"),
    Column("PSNR dB", "psnr_db", ".2f"),
    Column("SSIM", "ssim", ".4f"),
    Column("FLIP", "flip", ".4f"),
    Column("setting", "setting", right=False),
)
LINEAR_COLUMNS = (
    *COLUMNS[:6],
    Column("log-PSNR dB", "log_psnr_db", ".2f"),
    Column("light", "light_kept", ".1%"),
    *COLUMNS[6:],
)
CROPPED = "SSIM and FLIP: centre of the picture only"
NOTED = (
    "Bytes in a GPU's memory: as a shader reads it, without mips; of picture files plain texels.",
    "Random access: whether a shader reads any texel of what lies in the file. The others are "
    "decoded or drawn whole before anything is sampled.",
)  # fmt: skip
ALPHA_NOTED = (
    "Alpha: errors of color count by alpha, in PSNR; SSIM and FLIP see both pictures over grey."
)
ASTC_NOTED = "ASTC: most phones and Apple's chips sample it, hardly any desktop GPU does."


@dataclass(frozen=True)
class InMemory:
    """GPU memory of an asset."""

    memory_bytes: int | None = None  # None: unknown
    random_access: bool = False  # whether a shader can evaluate any place
    setting: str = ""  # further remarks


def all_baselines(
    target: Pixels, color_space: str, byte_count: int, *, alpha_weighted: bool = False
) -> Iterator[Baseline]:
    """Yield the results of picture files and textures at ``byte_count`` bytes, one at a time.

    ``alpha_weighted``: color under alpha 0 need not be kept, and reductions weight color by
    alpha.

    Raises: ShapeError, PictureError for NaN or infinity, ConfigError for another color space.
    """
    return chain(baselines(target, color_space, byte_count, alpha_weighted),
                 block_baselines(target, color_space, byte_count, alpha_weighted))  # fmt: skip


def quality_row(
    target: Pixels, result: Pixels, byte_count: int, color_space: str, name: str,
    alpha_weighted: bool = False,
) -> Row:  # fmt: skip
    """Return one row: name, setting, bytes, bits_per_pixel, psnr_db, ssim, flip, cropped.

    For linear pictures also log_psnr_db and light_kept, see ``Light``. ``memory_bytes`` is None and
    ``random_access`` False until a caller fills them in.

    ``psnr_db`` is ``inf`` for equal pictures; ``ssim`` and ``flip`` are None where they do not
    apply or cannot be measured (see measure_quality). ``setting`` is empty.
    """
    quality = measure_quality(target, result, color_space, alpha_weighted=alpha_weighted)
    pixels = target.shape[0] * target.shape[1]
    light = {}
    if color_space == "linear":
        light = light_facts(Picture(unit_float(target), color_space, name), unit_float(result))
    return {
        "name": name,
        "setting": "",
        "bytes": byte_count,
        "bits_per_pixel": byte_count * 8 / pixels,
        "psnr_db": quality.psnr_db,
        **light,
        "ssim": quality.ssim,
        "flip": quality.flip,
        "cropped": quality.cropped,
        "memory_bytes": None,
        "random_access": False,
    }


def rows_for(
    target: Pixels,
    result: Pixels,
    byte_count: int,
    color_space: str,
    name: str = "neuralshade",
    rivals: Iterable[Baseline] | None = None,
    in_memory: InMemory | None = None,
    alpha_weighted: bool = False,
) -> Table:
    """Return the quality table: ``result`` first, then rivals at the same bytes.

    Args:
        target: floats, uint8 or uint16 [H, W, C], C in 1..4, finite; sRGB in [0, 1] or linear.
        result: [H, W, C], the same kinds.
        byte_count: size of the file behind ``result``, and the budget of the others.
        color_space: "srgb" or "linear".
        name: of the first row.
        rivals: measured instead of ``all_baselines(target, color_space, byte_count)``.
        in_memory: GPU memory of the asset behind ``result``; None: unknown.
        alpha_weighted: all are compared as they look, see ``measure_quality``.

    Returns:
        Rows as of quality_row. An impossible rival has None in every number, and the reason in
        ``setting``. ``bytes`` are those on disk, ``memory_bytes`` those of a GPU.

    Raises: ShapeError, PictureError for NaN or infinity, ConfigError for another color space.
    """
    in_memory = in_memory or InMemory()
    rows = [
        quality_row(target, result, byte_count, color_space, name, alpha_weighted)
        | {"memory_bytes": in_memory.memory_bytes, "random_access": in_memory.random_access}
        | {"setting": in_memory.setting}
    ]
    if rivals is None:
        rivals = all_baselines(target, color_space, byte_count, alpha_weighted=alpha_weighted)
    for rival in rivals:
        if rival.result is None:
            row: Row = dict.fromkeys(rows[0]) | {"name": rival.name, "cropped": False}
        else:
            with part(f"comparing with {rival.name}"):
                row = quality_row(target, rival.result, rival.byte_count, color_space, rival.name,
                                  alpha_weighted)  # fmt: skip
            row["memory_bytes"] = rival.memory_bytes
        rows.append(row | {"setting": rival.setting, "random_access": rival.random_access})
    noted_alpha = ALPHA_NOTED if alpha_weighted else None
    cropped = CROPPED if any(row["cropped"] for row in rows) else None
    missing = missing_astc() if any(map(is_astc, rows)) else None
    lines = [cropped, noted_alpha, missing_flip(), missing, *noted(rows), *verdict(rows)]
    columns = COLUMNS if color_space == "srgb" else LINEAR_COLUMNS
    return Table(rows, columns, lines=[line for line in lines if line])


def noted(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return notes on the columns of such rows and, with ASTC, on its hardware support."""
    return [*NOTED, ASTC_NOTED] if any(map(is_astc, rows)) else [*NOTED]


def sentences(table: Table) -> list[str]:
    """Return the lines of a ``rows_for`` table other than notes on its columns."""
    notes = {CROPPED, ALPHA_NOTED, missing_flip(), missing_astc(), *noted(table)}
    return [line for line in table.lines if line not in notes]
