"""Reference material for the path tracer. Device half: reference_scattering.slang."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from neuralshade.kinds.material.judging.evaluate import teacher_of
from neuralshade.kinds.material.references.materialx_screening import check_kernels, check_module
from neuralshade.kinds.material.references.reference_bsdf import Teacher, teacher_text
from neuralshade.kinds.material.references.slang_reference import SUFFIX as SLANG
from neuralshade.model.scattering import Scattering

INCLUDED = '#include "neuralshade/kinds/material/reference_scattering.slang"\n'


def given_scattering(fitted: Scattering, teacher: Teacher) -> Scattering:
    """Return the teacher in place of the network that was ``fitted`` to it.

    Directions are drawn as the network has them. A program takes one such text: names of two
    would be one another's.
    """
    sizes = fitted.type[fitted.type.index("<") :]
    return replace(fitted, type=f"GivenMaterial{sizes}", text=teacher_text(teacher) + INCLUDED,
                   buffers=teacher.variables, folder=teacher.folder, framed=None)  # fmt: skip


def screened_teacher(opened: Any, reference: Any) -> Teacher:
    """Return the teacher that a scene names beside an asset.

    A Slang module is looked through before and after it is loaded, as code of documents is.

    Raises: ConfigError for a module that does more than arithmetic; what ``teacher_of`` raises.
    """
    if isinstance(reference, Teacher) or Path(reference).suffix.lower() != SLANG:
        return teacher_of(opened, reference)
    check_module(reference)
    teacher = teacher_of(opened, reference)
    check_kernels(teacher, Path(reference))
    return teacher
