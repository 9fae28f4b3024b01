"""Live-page scene of a material: sphere and plane, of the network and of the reference."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from neuralshade.fitting.scene import REFERENCE, Light, Scene, VariedInput, View, input_values
from neuralshade.kinds.material import KIND
from neuralshade.kinds.material.judging.lit_surfaces import (
    EYE,
    KEY,
    Filtered,
    LitSurface,
    Shade,
    at_centers,
    plane,
    sphere,
)
from neuralshade.kinds.material.judging.lit_surfaces import Light as Lamp
from neuralshade.kinds.material.varied import Varied
from neuralshade.measure.plane.sphere_view import angles_to, to_light

Floats = npt.NDArray[np.float32]
SPHERE, PLANE = "sphere", "plane"
DRAWN_PX = 512
RADIANCE = 3.0  # of the light that is dragged
FILL = 0.35  # of a weak light at the eye, which shows what the other does not reach
NETWORK, MATERIAL = "Network", "Material"


def material_scene(
    name: str, network: Callable[[], Filtered], reference: Callable[[], Shade] | None, *,
    changes: bool, varied: Sequence[Varied] = (),
) -> Scene:  # fmt: skip
    """Return a scene of a sphere and a plane under a movable light, in linear light.

    Args:
        name: of the material.
        network: returns the current f * cos over a pixel's footprint.
        reference: returns the reference's f * cos at a point; None if there is no reference.
            With one, the panes of both are side by side.
        changes: whether ``network`` changes during a fit.
        varied: inputs with sliders, at their defaults first.
    """
    makers = {"": network}
    if reference is not None:
        makers[REFERENCE] = lambda: at_centers(reference())
    inputs = tuple(VariedInput(one.name, one.low, one.high, one.default) for one in varied)

    def draw(pane: str, view: View) -> Floats:
        before = REFERENCE if pane.startswith(REFERENCE) else ""
        width, height = view.screen or (view.width, view.height)
        values = input_values(inputs, view)
        shares = [one.share(value) for one, value in zip(varied, values, strict=True)]
        seen = _surface(pane.removeprefix(before), width, height, view).at(shares)
        return seen.lit_over(makers[before](), _lamps(view.light))

    titles = _titles(list(makers))
    own = tuple(pane for pane in titles if not pane.startswith(REFERENCE))
    light = Light(*angles_to(KEY), tuple(titles), "eye")
    turned = tuple(pane for pane in titles if pane.endswith(SPHERE))
    return Scene(KIND.name, name, DRAWN_PX, DRAWN_PX, 3, True, True, True, titles, draw,
                 own if changes else (), light=light, rotatable=turned,
                 inputs=inputs)  # fmt: skip


def _surface(shape: str, width: int, height: int, view: View) -> LitSurface:
    """Return the surface in a view."""
    if shape == PLANE:
        return plane(width, height, view.region)
    return sphere(width, height, view.region, view.turn or (0.0, 0.0))


def _lamps(light: tuple[float, float] | None) -> Sequence[Lamp]:
    """Return the light at these angles, by default the default light, and the weak one."""
    at = to_light(*(angles_to(KEY) if light is None else light))
    return [(np.array(at), np.full(3, RADIANCE)), (np.array(EYE), np.full(3, FILL))]


def _titles(makers: Sequence[str]) -> Mapping[str, str]:
    """Return the panes' titles, the network's first."""
    called = {"": NETWORK, REFERENCE: MATERIAL}
    return {before + shape: f"{called[before]}, {shape}" for before in makers
            for shape in (SPHERE, PLANE)}  # fmt: skip
