"""GPU times of a material beside its network: rows and summary lines.

A network pays off where the graph is expensive; it is slower than a cheap graph.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from statistics import fmean
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.base.progress_scope import counted
from neuralshade.engine.kernel_path import PATH_TITLES
from neuralshade.gpu.clock import Patience
from neuralshade.gpu.gpu import Gpu
from neuralshade.kinds.kind import Notice, ignore
from neuralshade.kinds.material.judging.evaluate import is_unchanged, reference_of
from neuralshade.kinds.material.judging.judge import Judge
from neuralshade.kinds.material.judging.mip_judge import LevelJudge
from neuralshade.kinds.material.references.reference_bsdf import (
    ReferenceBsdf,
    ReferenceKernels,
    open_reference_gpu,
)
from neuralshade.kinds.material.speed.baked import bake
from neuralshade.kinds.material.speed.evaluation import (
    Evaluation,
    batched_evaluation,
    graph_evaluation,
)
from neuralshade.kinds.material.speed.screen import Screen
from neuralshade.measure.table import Table

Floats = npt.NDArray[np.float32]

SCREEN, FEW = (1920, 1080), (320, 176)  # pixels on a GPU, and in software
LIGHTS, ONE = (1, 4), (1,)  # in software compiling takes a minute a kernel
LONG, SHORT = Patience(0.35, 7), Patience(0.0, 1)
ITSELF, NOTHING = "the material itself", "nothing, at the same points"
BAKED = "the material, its graph baked into maps"
NETWORK, LOOPS = "its network", "its network by loops alone"
API_TITLES = {"vulkan": "Vulkan", "cuda": "CUDA", "metal": "Metal", "d3d12": "Direct3D 12"}
FOOTNOTES = (
    "Speed: every pixel a point of its own. A material that takes no longer than its network is "
    "better evaluated itself. Baked: what its graph computes as 8 bits of RGBA textures as wide as "
    "the feature map, with box-filtered mip levels, then its closures; as BC7 they would take a "
    "quarter of the bytes. Where they are as good and no slower, they are the better choice."
)


def material_speed(opened: Any, reference: Any, notice: Notice = ignore) -> Table:
    """Return rows and lines of the times of an OpenedMaterial and of its reference.

    ``notice`` is called, before the work, if the reference has changed since the fit.

    Raises: AssetError for another material; errors of ``load_reference``; KernelError if it
        does not compile; DeviceError.
    """
    bsdf = reference_of(opened, reference)
    is_unchanged(opened, bsdf, notice)
    with closing(open_reference_gpu()) as gpu:
        rows = speed_rows(gpu, bsdf, opened)
    return Table(rows, lines=speed_lines(rows))


def speed_rows(gpu: Gpu, reference: ReferenceBsdf, opened: Any) -> list[dict[str, Any]]:
    """Return the microseconds of a screen of points: a row for each evaluation.

    ``what``, ``path`` (of a network), ``device``, ``api``, ``software``, ``points``, and
    ``plane_us`` and ``scattered_us``, each by the number of lights. Rows of the network and of
    baked maps also have ``psnr_db``, ``l1_highlight``, ``memory_bytes`` and, with mip levels,
    ``level_error``, the mean error by ``LevelJudge`` of the levels behind the finest.
    """
    (across, down), counts = (FEW, ONE) if gpu.adapter.software else (SCREEN, LIGHTS)
    screens = [Screen(across, down, opened.side, scattered, lights)
               for lights in counts for scattered in (False, True)]  # fmt: skip
    kernels = ReferenceKernels(gpu, reference)
    baked = bake(kernels, opened.side, opened.recipe.wrap)
    evaluations: dict[str, Callable[[Screen], Evaluation]] = {
        NOTHING: lambda screen: graph_evaluation(gpu, None, screen),
        ITSELF: lambda screen: graph_evaluation(gpu, reference, screen),
    }
    worth: dict[str, dict[str, Any]] = {NETWORK: _network_worth(opened)}
    if baked is not None:
        has_textures = not gpu.adapter.software and gpu.api != "cuda"
        levels = [each.in_words() for each in baked.levels()]
        timed = baked.in_textures(gpu) if has_textures else levels[0]
        evaluations[BAKED] = lambda screen: graph_evaluation(gpu, timed, screen)
        worth[BAKED] = _baked_worth(kernels, levels, opened) | {"memory_bytes": baked.byte_count}
    evaluations |= {
        NETWORK: lambda screen: batched_evaluation(gpu, opened, screen),
        LOOPS: lambda screen: batched_evaluation(gpu, opened, screen, matrices=False),
    }
    rows: list[dict[str, Any]] = []
    for what, evaluation in counted("timing", evaluations.items(), len(evaluations)):
        if what == LOOPS and rows[-1]["path"] == "fma":
            continue  # the network uses this path already
        found = _row(gpu, what, [evaluation(screen) for screen in screens])
        rows.append(found | worth.get(what, {}))
    return rows


def _network_worth(opened: Any) -> dict[str, Any]:
    """Return the stored measures; empty for a file without highlight measures."""
    quality = opened.header.quality
    if "l1_highlight" not in quality:
        return {}
    levels = opened.material.get("levels", [])
    return {"psnr_db": quality["psnr_db"], "l1_highlight": quality["l1_highlight"],
            "memory_bytes": opened.memory_bytes,
            **_level_error([each["error"] for each in levels])}  # fmt: skip


def _baked_worth(
    kernels: ReferenceKernels, maps: Sequence[ReferenceBsdf], opened: Any
) -> dict[str, float]:  # fmt: skip
    """Return the measures of baked ``maps``, one for each level, judged like the network."""
    levels = [ReferenceKernels(kernels.gpu, each) for each in maps]
    judged = Judge(kernels).judge(levels[0].eval)

    def shade(uv: Floats, wi: Floats, wo: Floats, level: Floats) -> Floats:
        return levels[int(level[0])].eval(uv, wi, wo)  # a judge reads each level separately

    errors = LevelJudge(kernels, opened.recipe).errors(shade, len(levels))
    return {"psnr_db": judged.psnr_db, "l1_highlight": judged.highlight_l1,
            **_level_error(errors)}  # fmt: skip


def _level_error(errors: Sequence[float]) -> dict[str, float]:
    """Return the mean error of the levels behind the finest, if any."""
    return {"level_error": round(fmean(errors[1:]), 5)} if len(errors) > 1 else {}


def _row(gpu: Gpu, what: str, found: Sequence[Evaluation]) -> dict[str, Any]:
    patience = SHORT if gpu.adapter.software else LONG
    spent = [round(one.microseconds(patience), 1) for one in found]
    lights = [str(one.screen.lights) for one in found[::2]]  # keys of JSON
    return {"what": what, "path": found[0].path, "device": gpu.name, "api": gpu.api,
            "software": gpu.adapter.software, "points": found[0].screen.count,
            "plane_us": dict(zip(lights, spent[::2], strict=True)),
            "scattered_us": dict(zip(lights, spent[1::2], strict=True))}  # fmt: skip


def speed_lines(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Return the summary lines of ``speed_rows``."""
    by_name = {row["what"]: row for row in rows}
    one = rows[0]
    software = ", in software, which says nothing of a GPU," if one["software"] else ""
    lines = [f"Speed on {one['device']} through {API_TITLES[one['api']]}{software} of "
             f"{one['points']:,} points, microseconds on a plane / scattered:"]  # fmt: skip
    for row in rows:
        times = [f"{row['plane_us'][n]:,.0f} / {row['scattered_us'][n]:,.0f}{_lights(n)}"
                for n in row["plane_us"]]  # fmt: skip
        runs_on = f" ({PATH_TITLES[row['path']]})" if row["path"] else ""
        lines.append(f"{row['what']}{runs_on}: {', '.join(times)}")
    for what in [what for what in (NETWORK, LOOPS, BAKED) if what in by_name]:
        times = [_times(by_name[ITSELF], by_name[what], n) for n in one["plane_us"]]
        lines.append(f"{what}, times as fast as {ITSELF}: {', '.join(times)}")
    lines += [f"{what}: {row['psnr_db']:.2f} dB, L1 around highlights {row['l1_highlight']:.3f}"
              f"{_levels(row)}, {row['memory_bytes']:,} bytes in a GPU"
              for what, row in by_name.items() if "psnr_db" in row]  # fmt: skip
    even = by_name[NETWORK]
    lines.append(f"break-even: a material that takes {even['plane_us']['1']:,.0f} / "
                 f"{even['scattered_us']['1']:,.0f} itself takes as long as its "
                 "network")  # fmt: skip
    return [*lines, FOOTNOTES]


def _times(graph: dict[str, Any], network: dict[str, Any], lights: str) -> str:
    plane, scattered = (graph[key][lights] / network[key][lights]
                        for key in ("plane_us", "scattered_us"))  # fmt: skip
    return f"{plane:.1f} / {scattered:.1f}{_lights(lights)}"


def _levels(row: dict[str, Any]) -> str:
    return f", SMAPE of mip levels {row['level_error']:.3f}" if "level_error" in row else ""


def _lights(count: str) -> str:
    return "" if count == "1" else f" under {count} lights"
