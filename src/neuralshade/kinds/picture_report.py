"""Report page of an asset that is drawn like a picture and compared with one."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from neuralshade.base.message_text import plural
from neuralshade.base.progress_scope import counted_part, part
from neuralshade.measure.quality_rows import all_baselines, sentences
from neuralshade.measure.report import ReportData, write_report

if TYPE_CHECKING:
    import numpy.typing as npt

    from neuralshade.asset.asset import Header
    from neuralshade.measure.baselines import Baseline
    from neuralshade.measure.pair import Pixels
    from neuralshade.measure.table import Table
    from neuralshade.source.picture import Picture


class Reported(Protocol):
    """An asset as a page uses it, which ``OpenedPicture`` is."""

    curve_note: ClassVar[str]
    report_titles: ClassVar[Mapping[str, str]]
    rated: ClassVar[bool]

    @property
    def header(self) -> Header: ...
    @property
    def picture(self) -> Mapping[str, Any]: ...
    @property
    def color_space(self) -> str: ...
    @property
    def alpha_weighted(self) -> bool: ...
    @property
    def byte_count(self) -> int: ...
    @property
    def numbers(self) -> int: ...
    def pixels(self, width: int, height: int) -> npt.NDArray[Any]: ...
    def rows(self, target: Pixels, result: Pixels, rivals: Any = None) -> Table: ...
    def reached(self) -> list[tuple[str, str]]: ...
    def members(self) -> list[tuple[str, str]]: ...
    def grids(self) -> list[tuple[str, npt.NDArray[Any]]]: ...
    def drawings(self) -> list[tuple[str, npt.NDArray[Any]]]: ...


def report_picture(
    opened: Reported,
    target: Picture,
    output: str | os.PathLike[str],
    snapshots: Any,
    facts: Sequence[tuple[str, str]],
) -> None:
    """Write the page: target, result, error, grids, curves, table.

    Args:
        opened: the asset.
        target: the picture of the fit, from ``opened.target``.
        output: the page.
        snapshots: (step, picture) of the fit.
        facts: (label, value) lines in addition to the asset's.

    Raises: OutputError; what drawing the asset raises.
    """
    pixels, space = target.as_float(), opened.color_space
    with part("writing the report", 4):
        with counted_part("drawing the result"):
            result = opened.pixels(target.width, target.height)
        with counted_part("coding the picture otherwise"):
            rivals = list(all_baselines(pixels, space, opened.byte_count,
                                        alpha_weighted=opened.alpha_weighted))  # fmt: skip
        with counted_part("comparing"):
            table = opened.rows(pixels, result, rivals)
        with counted_part("drawing pictures and charts"):
            page = _page(opened, (pixels, result), table, rivals, snapshots, facts)
            write_report(output, page)


def _page(
    opened: Reported,
    pair: tuple[Pixels, Pixels],
    table: Table,
    rivals: Sequence[Baseline],
    snapshots: Any,
    facts: Sequence[tuple[str, str]],
) -> ReportData:
    """Return the variables of the page; ``pair``: target and result."""
    training = opened.header.training
    seconds, steps = training["seconds"], training["steps"]
    return ReportData(
        title=opened.picture["name"],
        target=pair[0],
        result=pair[1],
        color_space=opened.color_space,
        alpha_weighted=opened.alpha_weighted,
        byte_count=opened.byte_count,
        facts=[*facts, *opened.reached(),
               ("Training", opened.header.own.get("source")
                or f"{seconds:.1f} s, {plural(steps, 'step')}"),
               ("Numbers", f"{opened.numbers:,}"), *opened.members()],
        recipe=opened.header.recipe,
        curve=[tuple(row) for row in training["curve"]],
        curve_note=opened.curve_note,
        snapshots=snapshots,
        grids=opened.grids(),
        drawings=opened.drawings(),
        table=table,
        memory_bytes=table[0]["memory_bytes"],
        verdict=sentences(table),
        rivals=[(r.name, r.result) for r in rivals if r.result is not None],
        titles=opened.report_titles,
        rated=opened.rated,
    )  # fmt: skip
