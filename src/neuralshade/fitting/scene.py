"""Scene of a live page: the panes of a fit or an asset, and the view of a page."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from neuralshade.source.crop import WHOLE, Crop

Floats = npt.NDArray[np.float32]
MOST_WHOLE = 2**20  # pixels that are drawn in order to be shown smaller
TARGET, RESULT = "target", "result"
REFERENCE = "given:"  # pane name prefix: the reference of that pane
FLIP = "flip:"  # pane name prefix: FLIP error of that pane, in colors
Page = Callable[[], tuple[str, Floats]]  # caption, and sRGB [h, w, 3] in [0, 1]
Points = Callable[[], Floats]  # [n, 2], u and v


@dataclass(frozen=True)
class Tone:
    """Tone mapping of linear pictures: exposure in stops; gamma, None is sRGB's curve."""

    exposure: float = 0.0
    gamma: float | None = None


@dataclass(frozen=True)
class View:
    """View of a page: ``region`` is u0, v0, u1, v1, drawn with width x height pixels."""

    id: int
    scene: int
    region: Crop = WHOLE
    width: int = 1
    height: int = 1
    panes: tuple[str, ...] = ()
    tone: Tone = Tone()
    light: tuple[float, float] | None = None  # azimuth and elevation, degrees
    level: int = 0  # of the scene's mips
    turn: tuple[float, float] | None = None  # rotation of the subject: around, and over; degrees
    parts: bool = False  # it may be sent in bands
    screen: tuple[int, int] | None = None  # size of lit panes, where different
    draft: bool = False  # noisy version, of panes that have drafts
    inputs: tuple[float, ...] = ()  # values of the scene's inputs, in their order


@dataclass(frozen=True)
class Light:
    """Draggable light: its first direction, and the panes that it lights.

    Its elevation is above the subject or, with ``middle`` "eye", towards the eye: there 90 is
    behind the eye, and the azimuth goes around the picture, clockwise from above.
    """

    azimuth_deg: float
    elevation_deg: float
    panes: tuple[str, ...]
    middle: Literal["overhead", "eye"] = "overhead"


@dataclass(frozen=True)
class VariedInput:
    """A number that pages choose and all panes depend on: its range and first value."""

    name: str
    low: float
    high: float
    value: float


@dataclass(frozen=True)
class MeasuredTable:
    """Measurements of a fit as a table: column titles, and rows of cells of one or two lines."""

    columns: tuple[str, ...]
    rows: tuple[tuple[tuple[str, ...], ...], ...]


@dataclass(frozen=True)
class Scene:
    """Panes of a page, and the function that draws them.

    ``draw`` returns a pane for a view, float32 [height, width, C], in the scene's color space; a
    part costs roughly its share of the whole. It may return a smaller picture where ``rough``.
    ``changes``: panes that differ from step to step. With ``settled``, panes become sharper with
    each drawing until they are. ``values`` returns each pane's channels at u, v. Overlays are
    drawn on demand.
    """

    kind: str
    name: str
    width: int
    height: int
    channels: int
    linear: bool
    hdr: bool
    continuous: bool  # evaluated at any resolution; otherwise in whole pixels
    titles: Mapping[str, str]
    draw: Callable[[str, View], Floats]
    changes: tuple[str, ...] = (RESULT,)
    pages: Mapping[str, Page] = field(default_factory=dict)
    points: Mapping[str, Points] = field(default_factory=dict)
    light: Light | None = None
    rotatable: tuple[str, ...] = ()  # panes whose subject can be rotated
    inputs: tuple[VariedInput, ...] = ()
    # panes with noisy drafts, and how many times faster these are
    drafts: Mapping[str, float] = field(default_factory=dict)
    stored: tuple[str, ...] = ()  # panes that are stored pictures, nearly free to show
    levels: tuple[tuple[int, int], ...] = ()  # width and height of each mip, where there are mips
    byte_count: int | None = None  # of the shown file
    memory_bytes: int | None = None  # on a GPU, as shaders read it
    bits_per_pixel: float | None = None  # of the file, where it has pixels
    bits_of: str = "pixel"  # unit of bits_per_pixel
    measured: str | None = None  # the fit's measurement, as text
    measured_table: MeasuredTable | None = None  # the numbers of that
    own_channels: Mapping[str, int] = field(default_factory=dict)  # of panes with fewer channels
    # dB from a pane's target and result, where its fit measures PSNR in a special way
    psnr: Callable[[str, Floats, Floats], float] | None = None
    alpha_weighted: bool = False  # color errors are weighted by the reference's alpha
    settled: Callable[[str, View], bool] | None = None
    # whether a pane's last drawing is coarse or noisy, and cannot be compared
    rough: Callable[[str, View], bool] | None = None
    # draws lit panes as linear light where the scene is sRGB
    radiance: Callable[[str, View], Floats] | None = None
    stops: float = 0.0  # initial exposure
    withheld: Mapping[str, str] = field(
        default_factory=dict
    )  # "asset", "report": reason why there is none

    @property
    def main(self) -> str:
        """Return the default pane."""
        return RESULT if RESULT in self.titles else next(iter(self.titles))

    def facts(self, number: int) -> dict[str, Any]:
        """Return the facts for pages."""
        overlays = [{"name": name, "kind": "picture"} for name in self.pages]
        overlays += [{"name": name, "kind": "points"} for name in self.points]
        table = self.measured_table
        return {"id": number, "kind": self.kind, "name": self.name, "width": self.width,
                "height": self.height, "channels": self.channels, "hdr": self.hdr,
                "stops": self.stops, "panes": list(self.titles), "titles": dict(self.titles),
                "continuous": self.continuous, "overlays": overlays,
                "light": None if self.light is None else dataclasses.asdict(self.light),
                "turned": list(self.rotatable),
                "inputs": [dataclasses.asdict(one) for one in self.inputs],
                "levels": [list(size) for size in self.levels],
                "bytes": self.byte_count, "memory_bytes": self.memory_bytes,
                "bits_per_pixel": self.bits_per_pixel, "bits_of": self.bits_of,
                "measured": self.measured, "measured_table": None if table is None
                else dataclasses.asdict(table), "withheld": dict(self.withheld)}  # fmt: skip

    def beside(self, pane: str) -> str | None:
        """Return the reference pane of a pane; None without one."""
        known = (REFERENCE + pane, TARGET)
        return next((name for name in known if name in self.titles and name != pane), None)

    def is_refining(self, pane: str, view: View) -> bool:
        """Return whether a pane gets sharper when drawn again."""
        return self.settled is not None and not self.settled(pane, view)

    def is_rough(self, pane: str, view: View) -> bool:
        """Return whether a pane's last drawing cannot be compared yet."""
        return self.rough is not None and self.rough(pane, view)

    def is_lit(self, pane: str) -> bool:
        """Return whether pages can move a light over a pane."""
        return self.light is not None and pane in self.light.panes

    def size_of(self, level: int) -> tuple[int, int]:
        """Return width and height of a mip; beyond the last one, of the last."""
        if not self.levels:
            return self.width, self.height
        return self.levels[min(level, len(self.levels) - 1)]

    def relevant_view(self, pane: str, view: View) -> View:
        """Return ``view`` without the fields that do not affect a pane."""
        view = replace(view, inputs=input_values(self.inputs, view))
        if pane not in self.rotatable:
            view = replace(view, turn=None)
        return view if self.is_lit(pane) else replace(view, light=None, screen=None)

    def fitted(self, view: View, by: int) -> View:
        """Return ``view`` as it is drawn: each side divided by ``by``, at most.

        Where source pixels are coarser than the view's, each is drawn once; where they are finer,
        all of them if the number is small or the view has room, so that comparisons are exact. Each
        sample is then the center of a pixel. Lit panes have no source pixels: they are drawn at the
        requested size.
        """
        screen = max(1, view.width // by), max(1, view.height // by)
        if self.light is not None and all(map(self.is_lit, self.titles)):
            return replace(view, width=screen[0], height=screen[1])
        if any(map(self.is_lit, view.panes)):
            view = replace(view, screen=screen)
        width, height = self.size_of(view.level)
        first_col, cols = _covered(view.region[0], view.region[2], width)
        first_row, rows = _covered(view.region[1], view.region[3], height)
        if self.continuous and by == 1 and view.width > cols and view.height > rows:
            return view
        held = view.width >= cols and view.height >= rows
        stride = by if held else max(by, math.ceil(math.sqrt(cols * rows / MOST_WHOLE)))
        u0, u1, drawn_width = _strided(first_col, cols, stride, width)
        v0, v1, drawn_height = _strided(first_row, rows, stride, height)
        return replace(view, region=(u0, v0, u1, v1), width=drawn_width, height=drawn_height)

    def values(self, u: float, v: float, level: int = 0) -> dict[str, list[float]]:
        """Return the channels at the pixel that contains u, v, of every pane with pixels."""
        width, height = self.size_of(level)
        col, row = min(int(u * width), width - 1), min(int(v * height), height - 1)
        region = (col / width, row / height, (col + 1) / width, (row + 1) / height)
        view = View(0, 0, region, 1, 1, level=level)
        return {
            pane: self.draw(pane, view)[0, 0, : self.own_channels.get(pane)].tolist()
            for pane in self.titles
            if not self.is_lit(pane) and not pane.startswith(FLIP)
        }


def input_values(inputs: Sequence[VariedInput], view: View) -> tuple[float, ...]:
    """Return a view's value of each input, clamped to its range; its first value by default.

    The view may be of the previous scene, which had other inputs.
    """
    values = [*view.inputs[: len(inputs)], *(one.value for one in inputs[len(view.inputs) :])]
    return tuple(min(max(value, one.low), one.high)
                 for value, one in zip(values, inputs, strict=True))  # fmt: skip


def _covered(low: float, high: float, size: int) -> tuple[int, int]:
    """Return the first pixel that a part of a side touches, and their number."""
    first = min(math.floor(low * size + 1e-6), size - 1)
    return first, max(1, math.ceil(high * size - 1e-6) - first)


def _strided(first: int, count: int, stride: int, size: int) -> tuple[float, float, int]:
    """Return begin, end and number of samples on the centers of every stride-th pixel."""
    middle = min((stride - 1) // 2, count - 1)
    samples = (count - 1 - middle) // stride + 1
    begin = first + middle + 0.5 - stride / 2
    return begin / size, (begin + samples * stride) / size, samples
