"""What loads a stranger's document in a sandbox, and runs it once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from neuralshade.base.sandbox.wire import Array
from neuralshade.errors import DeviceError
from neuralshade.kinds.material.references.materialx import load_materialx
from neuralshade.kinds.material.references.materialx_screening import check_kernels
from neuralshade.kinds.material.references.reference_bsdf import (
    Teacher,
    TeacherKernels,
    open_teachers_gpu,
)
from neuralshade.kinds.material.sandbox.message import message_of

SAMPLES = 1024  # places and directions that it is run at


class Served:
    """Answers with the teacher of the document that a message names."""

    def __call__(
        self, message: dict[str, Any], arrays: list[Array]
    ) -> tuple[dict[str, Any], tuple[Array, ...]]:
        """Return the teacher as a message, once it was compiled and run."""
        path, trust = Path(message["path"]), bool(message["trust"])
        teacher = load_materialx(path, message["element"], trust=trust, apart=True)
        if trust:
            check_kernels(teacher, path)
        if message["varied"] and teacher.written is not None:
            teacher = teacher.written(message["varied"])
        _run(teacher)
        return message_of(teacher)


def _run(teacher: Teacher) -> None:
    """Evaluate a teacher at random places: what ends the process ends this one."""
    try:
        gpu = open_teachers_gpu()
    except DeviceError:  # a fit may have another road
        return
    rng = np.random.default_rng(0)
    kernels = TeacherKernels(gpu, teacher)
    uv = rng.random((SAMPLES, 2), np.float32)
    directions = rng.random((2, SAMPLES, 3)) - [0.5, 0.5, 0]
    directions /= np.linalg.norm(directions, axis=2, keepdims=True)
    wi, wo = directions.astype(np.float32)
    kernels.parameters(uv)
    kernels.eval(uv, wi, wo)
    kernels.emission(uv, wo)
