"""A material as it is given, for a path tracer, beside its network. Device half: given.slang."""

from dataclasses import replace

from neuralshade.kinds.material.teachers.teacher import Teacher, teacher_text
from neuralshade.model.scattering import Scattering

INCLUDED = '#include "neuralshade/kinds/material/given.slang"\n'


def given_scattering(fitted: Scattering, teacher: Teacher) -> Scattering:
    """Return the teacher in place of the network that was ``fitted`` to it.

    Directions are drawn as the network has them. A program takes one such text: names of two
    would be one another's.
    """
    sizes = fitted.type[fitted.type.index("<") :]
    return replace(fitted, type=f"GivenMaterial{sizes}", text=teacher_text(teacher) + INCLUDED,
                   buffers=teacher.variables, folder=teacher.folder, framed=None)  # fmt: skip
