"""Reference material for the path tracer. Device half: reference_scattering.slang."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from neuralshade.kinds.material.judging.evaluate import reference_of
from neuralshade.kinds.material.references.materialx_screening import check_kernels, check_module
from neuralshade.kinds.material.references.reference_bsdf import ReferenceBsdf, reference_text
from neuralshade.kinds.material.references.slang_reference import SUFFIX as SLANG
from neuralshade.model.scattering import Scattering

INCLUDED = '#include "neuralshade/kinds/material/reference_scattering.slang"\n'


def reference_scattering(fitted: Scattering, reference: ReferenceBsdf) -> Scattering:
    """Return the reference in place of the network that was ``fitted`` to it.

    Directions are drawn by the network. A program can hold only one such text, because names of
    two would collide.
    """
    sizes = fitted.type[fitted.type.index("<") :]
    text = reference_text(reference) + INCLUDED
    return replace(fitted, type=f"ReferenceMaterial{sizes}", text=text,
                   buffers=reference.variables, folder=reference.folder, batched=None)  # fmt: skip


def screened_reference(opened: Any, reference: Any) -> ReferenceBsdf:
    """Return the reference that a scene names beside an asset.

    A Slang module is screened before and after it is loaded, like code of documents.

    Raises: ConfigError for a module that does more than arithmetic; errors of ``reference_of``.
    """
    if isinstance(reference, ReferenceBsdf) or Path(reference).suffix.lower() != SLANG:
        return reference_of(opened, reference)
    check_module(reference)
    bsdf = reference_of(opened, reference)
    check_kernels(bsdf, Path(reference))
    return bsdf
