"""neuralshade report: one page that shows what a fit learned."""

import os
from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from neuralshade.fitting.output_checks import check_no_input, check_page, check_snapshots
from neuralshade.kinds import open_asset
from neuralshade.kinds.kind import AssetLike, Notice, Opened, ignore
from neuralshade.measure.warning_facts import Fact, warning_facts

Snapshot = tuple[int, NDArray[Any]]


def report(
    asset: AssetLike,
    picture: Any,
    output: str | os.PathLike[str],
    *,
    snapshots: str | os.PathLike[str] | Sequence[Snapshot] = (),
    facts: Sequence[tuple[str, str]] = (),
    values: Mapping[str, Any] | None = None,
    trust: bool = False,
    speed: bool = False,
    notice: Notice = ignore,
) -> None:
    """Write one self-contained HTML page: target, result, error, grids, curves, table.

    Args:
        asset: path of an asset, or what ``load`` returned.
        picture: the picture it was fitted to, at whose resolution it is shown; of mip levels
            a folder, a manifest or a TextureSet, the maps that they were trained from; of
            texture sets what ``fit_textures`` takes; of a user's task what its render is to look
            like.
        output: the page.
        snapshots: the folder that ``fit_image`` filled, or (step, float32 [h, w, C]) pairs.
        facts: (label, value) lines to add to those that the asset tells.
        values, trust: of a user's task, as ``render`` takes them; values also of what a material
            varies.
        speed: of a material: tell what its network takes on the GPU at hand, as ``evaluate`` does.
        notice: called with a line, before the work, where that is not what it was fitted to.

    Raises: AssetError, PictureError, OutputError; of tasks also ConfigError, DeviceError, and of
        ``speed`` for another kind.
    """
    check_no_input(output, asset, picture)
    check_page(output)
    check_snapshots(snapshots)
    with open_asset(asset, values, trust=trust) as opened:
        if speed:
            opened.speed(picture, notice)  # the page of what has been timed shows it
        told = [*facts, *_cut_short(opened)]
        opened.report(picture, output, snapshots=snapshots, facts=told,
                      notice=ignore if speed else notice)  # it is told once  # fmt: skip


def _cut_short(opened: Opened) -> list[Fact]:
    """Return a warning of few steps, where the recipe's class says how many are usual, or that a
    fit may end at a plateau.

    No header has what its fit warned of. Whether a CPU ran it is not told either: as if one did.
    One that went on from a finished asset says that: few steps more are as they should be.
    """
    from neuralshade.fitting.facts import few_steps, usual_steps
    from neuralshade.fitting.picture_result import before_plateau
    from neuralshade.fitting.progress import Progress

    recipe, training = getattr(opened, "recipe", None), opened.header.training
    counted, plateau = usual_steps(recipe), getattr(type(recipe), "finds_plateau", False)
    if not (counted or plateau) or training.get("begun") or "source" in opened.header.own:
        return []
    assert recipe is not None
    steps, seconds = training["steps"], training["seconds"]
    by_steps = recipe.steps is not None and steps >= recipe.steps
    by_clock = recipe.seconds is not None and seconds >= recipe.seconds
    share = 1.0 if by_steps or by_clock else 0.0  # what ended otherwise was not cut off
    progress = Progress(steps, seconds, share=share)
    line = few_steps(progress, recipe, on_cpu=True) if counted else before_plateau(progress, recipe)
    return [] if line is None else warning_facts([line])
