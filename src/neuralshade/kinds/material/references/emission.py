"""Emission check: a note for materials that emit light, which a fit leaves out."""

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
SAMPLES = 4096  # places and eyes to evaluate
# A text with this constant function is not compiled for the check.
DARK = re.compile(r"\bfloat3 emission\([^)]*\)\s*\{\s*return float3\(0\.0f\);\s*\}")


def emission_kernels(reference: ReferenceBsdf) -> tuple[KernelText, ...]:
    """Return the kernel of ``with_emission_note``, to be compiled in advance."""
    dark = reference.dark or DARK.search(reference.text)
    return () if dark else (reference_kernel("reference_emit"),)


def with_emission_note(kernels: ReferenceKernels) -> ReferenceBsdf:
    """Return the reference, with a note if it emits light.

    Raises: ConfigError, with the place, if emission is not finite.
    """
    reference = kernels.bsdf
    if not emission_kernels(reference) or not _shines(kernels):
        return reference
    return replace(reference, notes=(*reference.notes, NOTE))


def _shines(kernels: ReferenceKernels) -> bool:
    """Return whether anything emits, at evenly drawn places, varied inputs and eyes."""
    rng = np.random.default_rng(0)
    places = rng.random((SAMPLES, 2 + len(kernels.bsdf.varied)), np.float32)
    eyes = cosine_directions(*rng.random((2, SAMPLES))).astype(np.float32)
    return bool(kernels.emission(places, eyes).any())
