"""Evaluation of mip levels against their references, beside other filters."""

from __future__ import annotations

from contextlib import closing
from typing import Any

from neuralshade.engine.engine_choice import choose_engine
from neuralshade.kinds.mipmaps.asset import KEPT, STORED, LevelsAsset
from neuralshade.kinds.mipmaps.build import base_maps, build_mip_engine, numbers_of
from neuralshade.kinds.mipmaps.judge import (
    HELD_OUT,
    LIT_BY,
    Judged,
    as_stored,
    bias_of,
    judge,
)
from neuralshade.kinds.mipmaps.kernels import LevelSizes
from neuralshade.kinds.mipmaps.levels_table import LevelsTable
from neuralshade.measure.plane.mip_filters import FILTERS
from neuralshade.measure.table import Row


def evaluate_mipmaps(opened: LevelsAsset, source: Any, device: str | None = None) -> LevelsTable:
    """Return the errors of each level under the held-out lights of its fit.

    Args:
        opened: the asset.
        source: a folder, a manifest or a TextureSet: the maps that it was trained from.
        device: API; by default the best available.

    Returns:
        Rows with level, width, height, light (of LIT_BY), kept (the level's method in the asset);
        box, toksvig, lean and ours (the level in the asset), symmetric relative errors, 0 to 2,
        lower is better, all of levels in 8 bits; bias and the filters' box_bias, toksvig_bias
        and lean_bias, mean color over that of the reference; and drift, bias - 1.

    Raises: AssetError for other maps, DeviceError without a GPU and without software Vulkan;
        errors of ``load_texture_set``.
    """
    base = base_maps(opened.same_textures(source), opened.weighted)
    levels = LevelSizes(tuple((w, h) for w, h in opened.maps["sizes"]))
    chains = {STORED[name]: as_stored(make(base, len(levels.sizes) - 1))
              for name, make in FILTERS.items()}  # fmt: skip
    chains[KEPT] = opened.chain[1:]
    numbers = {name: numbers_of(chain) for name, chain in chains.items()}
    with closing(choose_engine("gpu", device)) as chosen:
        assert chosen.gpu is not None
        engine = build_mip_engine(opened.recipe, base, levels, numbers[KEPT], chosen.gpu)
        judged = judge(engine, numbers, opened.recipe, HELD_OUT)
    return LevelsTable(rows_of(judged, levels, opened.maps["kept"]))


def rows_of(judged: Judged, levels: LevelSizes, kept: list[str]) -> list[Row]:
    """Return a row for each level and kind of lights."""
    rows: list[Row] = []
    for i, (width, height) in enumerate(levels.sizes[1:]):
        for light in LIT_BY:
            error = {name: found[i] for name, found in judged.errors[light].items()}
            ours = error[KEPT]
            rows.append({
                "level": i + 1, "width": width, "height": height, "light": light, "kept": kept[i],
                **{name: error[stored]["symmetric"] for name, stored in STORED.items()},
                "ours": ours["symmetric"],
                "drift": bias_of(ours) - 1,
                "bias": bias_of(ours),
                **{f"{name}_bias": bias_of(error[stored]) for name, stored in STORED.items()},
            })  # fmt: skip
    return rows
