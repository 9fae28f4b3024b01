"""Command neuralshade fit textures --plan: the expected quality of each size, without an asset."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from neuralshade.base.atomic import check_writable
from neuralshade.base.message_text import plain
from neuralshade.errors import ConfigError, OutputError
from neuralshade.fitting.loop import Observer, ignore
from neuralshade.fitting.options import (
    USUAL,
    FitOptions,
    check_left_out,
    check_options,
    check_torch,
    chosen_engine,
)
from neuralshade.fitting.output_checks import check_no_input
from neuralshade.fitting.recipe import make_recipe
from neuralshade.kinds.textures import KIND
from neuralshade.kinds.textures.evaluate import OURS, of_map
from neuralshade.kinds.textures.planner import Expected, Planner, check_no_size
from neuralshade.kinds.textures.probe import Prober, prober_of
from neuralshade.kinds.textures.recipe import TexturesRecipe
from neuralshade.kinds.textures.reference import byte_maps_of, evaluated_set
from neuralshade.kinds.textures.request import MapSetRequest, PathLike, SetLike
from neuralshade.kinds.textures.spectrum import layouts_for
from neuralshade.measure.codec_rivals import codec_rivals
from neuralshade.measure.table import Column, Row, print_rows
from neuralshade.measure.texture_rivals import ByteMaps, TextureRival, block_rivals
from neuralshade.source.map_entry import Entry
from neuralshade.source.material_set import MaterialSet

FILES = "AVIF"  # the best codec on disk
PLOTS = (".svg", ".png")
UNHEEDED = ("report", "resume", "events", "tensorboard", "live")  # without effect on a plan


@dataclass(frozen=True)
class TexturesPlan:
    """Expected quality by size, beside blocks and AVIF files of the same bytes."""

    name: str  # of the set
    width: int
    height: int
    engine: str
    device: str
    steps: int | None  # the whole fit's ends
    fit_seconds: float | None
    seconds: float  # of short fits
    rows: Sequence[Row]  # see plan_textures
    plot: str | None  # path
    notes: tuple[str, ...]  # changes made to the maps while reading

    def print(self) -> None:
        """Print the table to standard output, no wider than the terminal but for numbers."""
        for note in self.notes:
            print(plain(note))
        names = [*self.rows[0]["psnr_db"]]
        maps = [Column(plain(name), partial(of_map, name), ".1f") for name in names]
        print_rows([
            Column("", "name", right=False),
            Column("bytes", "bytes", ",d"),
            Column("bits per texel", "bits_per_texel", ".2f"),
            Column("GPU bytes", "memory_bytes", ",d"),
            Column("mean", "mean_psnr_db", ".1f"),
            *maps,
        ], self.rows)  # fmt: skip
        print(f"PSNR of mip 0 in dB. Rows of {OURS} are expected of whole fits, by short ones that "
              f"took {self.seconds:.1f} s on {self.device}; the others are measured.")  # fmt: skip
        for row in self.rows:
            if row["bytes"] is None:
                print(plain(f"  {row['name']}: {row['setting']}"))
        if not any(row["name"] == FILES for row in self.rows):
            print(f"{FILES}: not tried, this Pillow does not write it")
        if self.plot is not None:
            print(plain(self.plot))


def plan_textures(
    source: SetLike = None,
    output: PathLike | None = None,
    *,
    maps: Mapping[str, Entry | None] | None = None,
    normal_convention: str | None = None,
    byte_count: int | None = None,
    target_psnr: Any = None,
    target: Any = None,
    options: FitOptions = USUAL,
    observer: Observer = ignore,
    **settings: Any,
) -> TexturesPlan:
    """Estimate the quality of each size by short fits of five layouts; write no asset.

    Args:
        source, maps, normal_convention: as for ``fit_textures``.
        output: a plot to write, .svg or .png; none by default.
        byte_count, target_psnr, target: refused, as a plan covers all sizes.
        options: engine, device, kernels, deterministic.
        observer: never called; for the common signature of fits.
        settings: fields of TexturesRecipe for the whole fit, without ``bpp`` and ``grids``.

    Returns:
        ``rows`` are plain JSON data: name, expected (True of ours; others are measured), setting
        (grids, or how it was encoded), bytes (on disk), bits_per_texel (of mip 0), memory_bytes
        (in a GPU's memory), random_access, psnr_db (of mip 0, by map) and mean_psnr_db. An
        impossible one has None for bytes and no psnr_db.

    Raises: what ``fit_textures`` raises before training; FitInterrupted on Ctrl-C.
    """
    check_options(options, KIND.name, KIND.takes)
    check_torch(options)
    check_left_out(options, UNHEEDED, "fit textures --plan")
    for name, value in (("target_psnr", target_psnr), ("target", target)):
        if value is not None:
            raise ConfigError(f"{name}: got it beside plan, which is of all sizes, need one of the "
                              "two. Leave one out.")  # fmt: skip
    check_no_size("plan", settings, byte_count)
    recipe = make_recipe(TexturesRecipe, settings)
    request = MapSetRequest(source, dict(maps or {}), normal_convention)
    textures = evaluated_set(recipe, request.textures(recipe.wrap))
    plot = _checked_plot(output, textures)
    with chosen_engine(options) as chosen:
        prober = prober_of(textures, recipe, chosen, options)
        ours = Planner(prober, layouts_for(textures, prober.codings)).known_results()
    texels = textures.width * textures.height
    rows = [_expected_row(each, texels) for each in ours]
    rows += [_rival_row(each, texels) for each in _rivals(textures, prober, ours)]
    if plot is not None:
        from neuralshade.kinds.textures.plan_chart import save_plan_chart

        save_plan_chart(rows, plot)
    return TexturesPlan(
        textures.name, textures.width, textures.height, chosen.engine, chosen.device_name,
        recipe.steps, recipe.seconds, prober.seconds, rows, None if plot is None else str(plot),
        textures.notes,
    )  # fmt: skip


def _checked_plot(output: PathLike | None, textures: MaterialSet) -> Path | None:
    """Return the path of the plot; OutputError where it cannot be written."""
    if output is None:
        return None
    path = Path(output)
    if path.suffix.lower() not in PLOTS:
        raise OutputError(f"{path}: got suffix {path.suffix!r} for a plot, need "
                          f"{' or '.join(PLOTS)}. Choose another path.")  # fmt: skip
    check_no_input(path, *(one.path for one in textures.maps if one.path is not None))
    check_writable(path)
    return path


def _rivals(
    textures: MaterialSet, prober: Prober, ours: Sequence[Expected]
) -> Iterator[TextureRival]:
    """Yield blocks of full and half size, and AVIF files of as many bytes as each layout."""
    sizes, wraps = prober.texels.sizes, prober.recipe.wrap == "repeat"
    target_maps: ByteMaps = byte_maps_of(prober.codings, len(sizes), wraps, textures)
    yield from block_rivals(target_maps)
    known: set[int] = set()
    for each in ours:
        for rival in codec_rivals(target_maps, each.bytes, only=FILES):
            if rival.maps and rival.disk_bytes in known:  # a small set's next quality is too large
                continue
            known.add(rival.disk_bytes)
            yield replace(rival, setting=f"in {each.bytes:,} bytes: {rival.setting}")


def _expected_row(each: Expected, texels: int) -> Row:
    return {
        "name": OURS, "expected": True, "setting": each.grids, "bytes": each.bytes,
        "bits_per_texel": 8 * each.bytes / texels, "memory_bytes": each.memory_bytes,
        "random_access": True, "psnr_db": dict(each.psnr_db), "mean_psnr_db": each.mean_psnr_db,
    }  # fmt: skip


def _rival_row(each: TextureRival, texels: int) -> Row:
    possible = bool(each.psnr_db)
    return {
        "name": each.name, "expected": False, "setting": each.setting,
        "bytes": each.disk_bytes if possible else None,
        "bits_per_texel": 8 * each.disk_bytes / texels if possible else None,
        "memory_bytes": each.memory_bytes if possible else None,
        "random_access": each.random_access, "psnr_db": dict(each.psnr_db),
        "mean_psnr_db": each.mean_psnr_db,
    }  # fmt: skip
