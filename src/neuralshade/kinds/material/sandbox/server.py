"""Sandbox process: loads an untrusted document, and runs it once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from neuralshade.base.sandbox.wire import Array
from neuralshade.errors import DeviceError
from neuralshade.kinds.material.references.materialx import load_materialx
from neuralshade.kinds.material.references.materialx_screening import check_kernels
from neuralshade.kinds.material.references.reference_bsdf import (
    ReferenceBsdf,
    ReferenceKernels,
    open_reference_gpu,
)
from neuralshade.kinds.material.sandbox.message import reference_message

SAMPLES = 1024  # places and directions that it is run at


class SandboxHandler:
    """Returns the reference of the document that a message names."""

    def __call__(
        self, message: dict[str, Any], arrays: list[Array]
    ) -> tuple[dict[str, Any], tuple[Array, ...]]:
        """Return the reference as a message, after it was compiled and run."""
        path, trust = Path(message["path"]), bool(message["trust"])
        reference = load_materialx(path, message["element"], trust=trust, in_sandbox=True)
        if trust:
            check_kernels(reference, path)
        if message["varied"] and reference.written is not None:
            reference = reference.written(message["varied"])
        _run(reference)
        return reference_message(reference)


def _run(reference: ReferenceBsdf) -> None:
    """Evaluate a reference at random places: a crash ends only this process."""
    try:
        gpu = open_reference_gpu()
    except DeviceError:  # a fit may use another device
        return
    rng = np.random.default_rng(0)
    kernels = ReferenceKernels(gpu, reference)
    uv = rng.random((SAMPLES, 2), np.float32)
    directions = rng.random((2, SAMPLES, 3)) - [0.5, 0.5, 0]
    directions /= np.linalg.norm(directions, axis=2, keepdims=True)
    wi, wo = directions.astype(np.float32)
    kernels.parameters(uv)
    kernels.eval(uv, wi, wo)
    kernels.emission(uv, wo)
