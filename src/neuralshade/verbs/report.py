"""neuralshade report: a page that shows what a fit learned."""

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
        asset: path of an asset, or the result of ``load``.
        picture: the reference, which sets the resolution; for mip levels a folder, a manifest or
            a TextureSet, the maps that they were trained from; for texture sets the source as for
            ``fit_textures``; for a user's task the reference of its render.
        output: the page.
        snapshots: the folder that ``fit_image`` filled, or (step, float32 [h, w, C]) pairs.
        facts: further (label, value) lines.
        values, trust: of a user's task, as in ``render``; values also of a material's varied
            inputs.
        speed: of a material: include its network's time on the present GPU, as in ``evaluate``.
        notice: called with a line, before the work, where the picture is not the fitted one.

    Raises: AssetError, PictureError, OutputError; for tasks, and for ``speed`` of another kind,
        also ConfigError and DeviceError.
    """
    check_no_input(output, asset, picture)
    check_page(output)
    check_snapshots(snapshots)
    with open_asset(asset, values, trust=trust) as opened:
        if speed:
            opened.speed(picture, notice)  # the page shows cached timings
        lines = [*facts, *_cut_short(opened)]
        opened.report(picture, output, snapshots=snapshots, facts=lines,
                      notice=ignore if speed else notice)  # once is enough  # fmt: skip


def _cut_short(opened: Opened) -> list[Fact]:
    """Return a warning of few steps, where the recipe's class has a usual number of steps, or may
    end at a plateau.

    Headers contain no warnings of the fit, and no device: a CPU is assumed. A fit that continued
    a finished asset states that: few further steps are normal.
    """
    from neuralshade.fitting.facts import few_steps, usual_steps
    from neuralshade.fitting.picture_result import before_plateau
    from neuralshade.fitting.progress import Progress
    from neuralshade.fitting.time_plan import SEARCH_SHARE

    recipe, training = getattr(opened, "recipe", None), opened.header.training
    counted, plateau = usual_steps(recipe), getattr(type(recipe), "finds_plateau", False)
    if not (counted or plateau) or training.get("begun") or "source" in opened.header.own:
        return []
    assert recipe is not None
    steps, seconds = training["steps"], training["seconds"]
    by_steps = recipe.steps is not None and steps >= recipe.steps
    # the rest of the seconds may have gone into code refinement
    trained = None if recipe.seconds is None else (1 - SEARCH_SHARE) * recipe.seconds
    by_clock = trained is not None and seconds >= trained
    share = 1.0 if by_steps or by_clock else 0.0  # what ended otherwise was not cut off
    progress = Progress(steps, seconds, share=share)
    line = few_steps(progress, recipe, on_cpu=True) if counted else before_plateau(progress, recipe)
    return [] if line is None else warning_facts([line])
