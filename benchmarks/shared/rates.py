"""Maps that are made up, and how fast steps on them are."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

WARM_SECONDS, SECONDS = 1.0, 2.0
Floats = npt.NDArray[np.float32]


def made_maps(side: int) -> dict[str, Floats]:
    """Return bumpy maps: albedo [side, side, 3], unit normals, roughness [side, side, 1]."""
    rng = np.random.default_rng(0)
    albedo = rng.uniform(0.1, 0.9, (side, side, 3)).astype(np.float32)
    normal = np.dstack([rng.normal(0, 0.3, (side, side, 2)), np.ones((side, side))])
    normal /= np.linalg.norm(normal, axis=2, keepdims=True)
    roughness = rng.uniform(0.1, 0.5, (side, side, 1)).astype(np.float32)
    return {"albedo": albedo, "normal": normal.astype(np.float32), "roughness": roughness}


def filled(side: int, value: Any) -> Floats:
    """Return a map that has ``value`` (one number or three) everywhere."""
    one = np.atleast_1d(np.float32(value))
    return np.broadcast_to(one, (side, side, one.size)).copy()


def slangpy_tensor(device: Any, module: Any, values: Floats) -> Any:
    """Return a map [H, W, 3 or 1] as SlangPy's tensor of vectors or numbers."""
    import slangpy as spy

    colors = values.shape[2] == 3
    kind = module.float3 if colors else module.float
    made = spy.Tensor.empty(device, values.shape[:2], kind)
    made.copy_from_numpy(values if colors else values[..., 0].copy())
    return made


def rate_of(steps: Callable[[int], object]) -> float:
    """Return steps a second of what runs so many steps and waits for them."""
    count, begun = 1, time.perf_counter()
    while time.perf_counter() - begun < WARM_SECONDS:
        steps(count)
        count *= 2
    few = max(8, count // 8)  # as many as a pool of references and its drawing need to show
    before = time.perf_counter()
    steps(few)
    one = (time.perf_counter() - before) / few
    count, before = max(few, round(SECONDS / one)), time.perf_counter()
    steps(count)
    return count / (time.perf_counter() - before)
