"""Pictures of the worst assets of a bake, beside their sources, for its page."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neuralshade.baking.job import Row
from neuralshade.baking.stores.local_inputs import local_inputs
from neuralshade.fitting.scene import REFERENCE, TARGET, Scene, View
from neuralshade.kinds import open_asset

if TYPE_CHECKING:
    from neuralshade.measure.display import PagePicture

SIDE_PX = 256  # longer side of a picture
MOST_SOURCE_BYTES = 2**28  # of a source that is read for its picture

log = logging.getLogger("neuralshade")


@dataclass(frozen=True)
class Pair:
    """An asset of a page: its row, and source and result as pictures; none: not drawn."""

    row: Row
    pictures: Sequence[PagePicture] = ()


def worst_pairs(rows: Sequence[Row], folder: Path,
                subjects: Mapping[str, tuple[str, ...]]) -> list[Pair]:  # fmt: skip
    """Return ``rows`` with their pictures, drawn from assets in ``folder``.

    ``subjects``: sources by the assets' names. What cannot be drawn has no pictures: its source
    is gone, say, or larger than MOST_SOURCE_BYTES.
    """
    return [_pair(row, folder / row.output, subjects.get(row.name, ())) for row in rows]


def _pair(row: Row, asset: Path, subject: tuple[str, ...]) -> Pair:
    if not subject or (row.source_bytes or 0) > MOST_SOURCE_BYTES:
        return Pair(row)
    try:
        with open_asset(asset) as opened, local_inputs(subject) as local:
            if not opened.shows:
                return Pair(row)
            scene = opened.scene(local[0] if len(local) == 1 else list(local))
            return Pair(row, _pictures(scene))
    except Exception as error:  # the page is made without it, whatever a kind of a plug-in does
        log.info("%s: not drawn. %s", row.name, error)
        return Pair(row)


def _pictures(scene: Scene) -> list[PagePicture]:
    from neuralshade.measure.display import on_screen, shown

    result = scene.main
    source = TARGET if TARGET in scene.titles else REFERENCE + result
    drawn = [("Source", source)] if source in scene.titles else []
    stops = scene.stops if scene.linear else None
    width, height = _size(scene)
    found = []
    for title, pane in [*drawn, ("Result", result)]:
        picture: Any = scene.draw(pane, View(0, 0, width=width, height=height, panes=(pane,)))
        found.append(shown(title, "", on_screen(picture, SIDE_PX, stops)))
    return found


def _size(scene: Scene) -> tuple[int, int]:
    """Return a size of the scene's aspect; pixels are averaged from twice as many a side."""
    scale = min(1.0, 2 * SIDE_PX / max(scene.width, scene.height))
    return max(1, round(scene.width * scale)), max(1, round(scene.height * scale))
