"""What shines by itself is left out of a fit; here is told whether a material does."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from neuralshade.gpu.gpu import KernelText
from neuralshade.kinds.material.references.reference_bsdf import (
    ReferenceBsdf,
    ReferenceKernels,
    reference_kernel,
)
from neuralshade.sampler.directions import cosine_directions

NOTE = ("Emission is left out: what shines by itself is no part of the scattering; add it in the "
        "shader.")  # fmt: skip
SAMPLES = 4096  # of places and eyes that are asked
# A text that says outright that nothing shines is not compiled to ask for it.
DARK = re.compile(r"\bfloat3 emission\([^)]*\)\s*\{\s*return float3\(0\.0f\);\s*\}")


def emission_kernels(reference: ReferenceBsdf) -> tuple[KernelText, ...]:
    """Return what ``with_emission_note`` asks, to be compiled ahead."""
    return () if DARK.search(reference.text) else (reference_kernel("reference_emit"),)


def with_emission_note(kernels: ReferenceKernels) -> ReferenceBsdf:
    """Return the reference, with a note where it shines by itself.

    Raises: ConfigError where what shines is not finite, saying where.
    """
    reference = kernels.bsdf
    if not emission_kernels(reference) or not _shines(kernels):
        return reference
    return replace(reference, notes=(*reference.notes, NOTE))


def _shines(kernels: ReferenceKernels) -> bool:
    """Return whether anything shines at places, shares of what is varied and eyes drawn evenly."""
    rng = np.random.default_rng(0)
    places = rng.random((SAMPLES, 2 + len(kernels.bsdf.varied)), np.float32)
    eyes = cosine_directions(*rng.random((2, SAMPLES))).astype(np.float32)
    return bool(kernels.emission(places, eyes).any())
