"""What the panes of a live page show: a fit as it goes on, or an asset."""

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
MOST_WHOLE = 2**20  # pixels that are drawn to be shown smaller
TARGET, RESULT = "target", "result"
GIVEN = "given:"  # before the name of a pane: what that one is compared with
FLIP = "flip:"  # the same: FLIP's error of that one, in colors
Page = Callable[[], tuple[str, Floats]]  # caption, and sRGB [h, w, 3] in [0, 1]
Points = Callable[[], Floats]  # [n, 2], u and v


@dataclass(frozen=True)
class Tone:
    """How linear pictures are brought to a screen: stops of exposure; gamma, None is sRGB's."""

    exposure: float = 0.0
    gamma: float | None = None


@dataclass(frozen=True)
class View:
    """What a page wants to see: ``region`` is u0, v0, u1, v1, drawn with width x height pixels."""

    id: int
    scene: int
    region: Crop = WHOLE
    width: int = 1
    height: int = 1
    panes: tuple[str, ...] = ()
    tone: Tone = Tone()
    light: tuple[float, float] | None = None  # azimuth and elevation, degrees
    level: int = 0  # of the scene's mips
    turn: tuple[float, float] | None = None  # of what can be turned: around, and over; degrees
    parts: bool = False  # bands of it may come one by one
    screen: tuple[int, int] | None = None  # what lit panes are drawn at, where that is another size
    draft: bool = False  # with noise, of panes that have drafts
    inputs: tuple[float, ...] = ()  # values of the scene's inputs, in their order


@dataclass(frozen=True)
class Light:
    """A light that pages drag: where it stands at first, and the panes that it lights.

    Its elevation is over what it lights or, of ``middle`` "eye", towards the eye: there 90 is over
    the eye's shoulder, and the azimuth goes round the picture, clockwise from above.
    """

    azimuth_deg: float
    elevation_deg: float
    panes: tuple[str, ...]
    middle: Literal["overhead", "eye"] = "overhead"


@dataclass(frozen=True)
class VariedInput:
    """A number that all panes are drawn with and pages choose: its range, and its first value."""

    name: str
    low: float
    high: float
    value: float


@dataclass(frozen=True)
class MeasuredTable:
    """What a fit measured, for people: titles of columns, and rows of cells of a line or two."""

    columns: tuple[str, ...]
    rows: tuple[tuple[tuple[str, ...], ...], ...]


@dataclass(frozen=True)
class Scene:
    """Panes that can be asked for, and who draws them.

    ``draw`` returns a pane for a view, float32 [height, width, C], in the scene's color space, a
    part for its share of what the whole costs, roughly; a smaller picture where it is ``rough``;
    its ``changes`` are the panes that differ from step to step; where it has ``settled``, panes
    become sharper each time that they are drawn, until they are. ``values`` returns each pane's
    channels at u, v. Overlays are drawn on demand.
    """

    kind: str
    name: str
    width: int
    height: int
    channels: int
    linear: bool
    hdr: bool
    continuous: bool  # evaluated at any resolution; else in whole pixels
    titles: Mapping[str, str]
    draw: Callable[[str, View], Floats]
    changes: tuple[str, ...] = (RESULT,)
    pages: Mapping[str, Page] = field(default_factory=dict)
    points: Mapping[str, Points] = field(default_factory=dict)
    light: Light | None = None
    turned: tuple[str, ...] = ()  # panes whose subject turns before the eye
    inputs: tuple[VariedInput, ...] = ()
    # panes that are drawn with noise in a fraction of the time, and how many times that is
    drafts: Mapping[str, float] = field(default_factory=dict)
    at_hand: tuple[str, ...] = ()  # panes that are a picture, which costs next to nothing to show
    levels: tuple[tuple[int, int], ...] = ()  # width and height of each mip, where there are some
    byte_count: int | None = None  # of a file, where that is what is shown
    memory_bytes: int | None = None  # of a GPU, as shaders read it
    bits_per_pixel: float | None = None  # of the file, where there are pixels to share it among
    bits_of: str = "pixel"  # that they are told for
    measured: str | None = None  # what its fit measured, for people
    measured_table: MeasuredTable | None = None  # the numbers of that
    own_channels: Mapping[str, int] = field(default_factory=dict)  # of panes with fewer
    # of a pane's target and result as drawn, in dB, where its fit measures something else of them
    psnr: Callable[[str, Floats, Floats], float] | None = None
    alpha_weighted: bool = False  # errors of color count by the reference's alpha
    settled: Callable[[str, View], bool] | None = None
    # whether what was drawn last of a pane is coarse or noisy, and not fit to be compared
    rough: Callable[[str, View], bool] | None = None
    # draws lit panes as linear light where the scene is sRGB's
    radiance: Callable[[str, View], Floats] | None = None
    stops: float = 0.0  # of exposure, that pages begin with
    withheld: Mapping[str, str] = field(
        default_factory=dict
    )  # "asset", "report": why there is none

    @property
    def main(self) -> str:
        """Return the pane that is shown where none is asked for."""
        return RESULT if RESULT in self.titles else next(iter(self.titles))

    def facts(self, number: int) -> dict[str, Any]:
        """Return what pages are told."""
        overlays = [{"name": name, "kind": "picture"} for name in self.pages]
        overlays += [{"name": name, "kind": "points"} for name in self.points]
        table = self.measured_table
        return {"id": number, "kind": self.kind, "name": self.name, "width": self.width,
                "height": self.height, "channels": self.channels, "hdr": self.hdr,
                "stops": self.stops, "panes": list(self.titles), "titles": dict(self.titles),
                "continuous": self.continuous, "overlays": overlays,
                "light": None if self.light is None else dataclasses.asdict(self.light),
                "turned": list(self.turned),
                "inputs": [dataclasses.asdict(one) for one in self.inputs],
                "levels": [list(size) for size in self.levels],
                "bytes": self.byte_count, "memory_bytes": self.memory_bytes,
                "bits_per_pixel": self.bits_per_pixel, "bits_of": self.bits_of,
                "measured": self.measured, "measured_table": None if table is None
                else dataclasses.asdict(table), "withheld": dict(self.withheld)}  # fmt: skip

    def beside(self, pane: str) -> str | None:
        """Return what a pane is compared with; None where nothing is at hand."""
        known = (GIVEN + pane, TARGET)
        return next((name for name in known if name in self.titles and name != pane), None)

    def goes_on(self, pane: str, view: View) -> bool:
        """Return whether a pane is worth being drawn again, though nothing has changed."""
        return self.settled is not None and not self.settled(pane, view)

    def is_rough(self, pane: str, view: View) -> bool:
        """Return whether what was drawn last of a pane is not yet fit to be compared."""
        return self.rough is not None and self.rough(pane, view)

    def is_lit(self, pane: str) -> bool:
        """Return whether there is a light that pages drag over a pane."""
        return self.light is not None and pane in self.light.panes

    def size_of(self, level: int) -> tuple[int, int]:
        """Return width and height of a mip: of the last one for those beyond."""
        if not self.levels:
            return self.width, self.height
        return self.levels[min(level, len(self.levels) - 1)]

    def seen_in(self, pane: str, view: View) -> View:
        """Return ``view`` without what does not change a pane."""
        view = replace(view, inputs=input_values(self.inputs, view))
        if pane not in self.turned:
            view = replace(view, turn=None)
        return view if self.is_lit(pane) else replace(view, light=None, screen=None)

    def fitted(self, view: View, by: int) -> View:
        """Return ``view`` as it is drawn: each side divided by ``by``, at most.

        Not larger than it is worth: where whole pixels are coarser than the view's, each is drawn
        once, and where they are finer, all of them if they are not too many or the view has room
        for them, so that what is compared is compared where it was fitted. Then each sample is the
        center of a pixel. What is lit has no pixels of its own: it is drawn as large as asked for.
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
        """Return the channels at the pixel that u, v lies in, of every pane that has pixels."""
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
    """Return what a view says of each input, brought into its range; its first value without one.

    A page may still ask as it did for the scene before, which had other inputs.
    """
    said = [*view.inputs[: len(inputs)], *(one.value for one in inputs[len(view.inputs) :])]
    return tuple(min(max(value, one.low), one.high)
                 for value, one in zip(said, inputs, strict=True))  # fmt: skip


def _covered(low: float, high: float, size: int) -> tuple[int, int]:
    """Return the first pixel that a part of a side touches, and how many."""
    first = min(math.floor(low * size + 1e-6), size - 1)
    return first, max(1, math.ceil(high * size - 1e-6) - first)


def _strided(first: int, count: int, stride: int, size: int) -> tuple[float, float, int]:
    """Return from where to where samples go, and how many, on centers of every stride-th pixel."""
    middle = min((stride - 1) // 2, count - 1)
    samples = (count - 1 - middle) // stride + 1
    begin = first + middle + 0.5 - stride / 2
    return begin / size, (begin + samples * stride) / size, samples
