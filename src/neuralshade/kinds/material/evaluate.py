"""A fitted material beside its teacher."""

from __future__ import annotations

from typing import Any

from neuralshade.errors import AssetError
from neuralshade.kinds.kind import Notice, ignore
from neuralshade.kinds.material.judge import Judge, field_shade
from neuralshade.kinds.material.sources import load_same, teacher_digest
from neuralshade.kinds.material.teacher import Teacher, TeacherKernels, open_teachers_gpu
from neuralshade.measure.table import Column, Table

COLUMNS = (
    Column("", "name", right=False),
    Column("bytes", "bytes", ","),
    Column("PSNR [dB]", "psnr_db", ".2f"),
    Column("worst light", "worst_db", ".2f"),
    Column("sky", "sky_db", ".2f"),
)
NOTED = ("PSNR: of spheres in sRGB, 256 pixels wide, under 16 single lights that no fit has seen, "
         "and under a sky, against the material itself.",)  # fmt: skip


def evaluate_material(opened: Any, reference: Any, notice: Notice = ignore) -> Table:
    """Return a table of how close an asset is to ``reference``, a material's file or a Teacher.

    A material of the same name that has changed since is told to ``notice``.

    Raises: AssetError for another material; what ``load_teacher`` raises.
    """
    teacher = reference
    if not isinstance(reference, Teacher):
        teacher = load_same(reference, opened.material.get("element"))
    if teacher.name != opened.material["name"]:
        raise AssetError(f"{opened.path}: got {teacher.name}, need {opened.material['name']}. Give "
                         "the document that it was fitted to.")  # fmt: skip
    if teacher_digest(teacher) != opened.material["digest"]:
        notice(f"{opened.path}: {teacher.name} is not what it was fitted to: its text or its "
               "pictures have changed since.")  # fmt: skip
    gpu = open_teachers_gpu()
    try:
        judged = Judge(TeacherKernels(gpu, teacher)).judge(field_shade(opened.field))
    finally:
        gpu.close()
    row = {"name": "neuralshade", "bytes": opened.byte_count, "psnr_db": judged.psnr_db,
           "worst_db": judged.worst_db, "sky_db": judged.sky_db}  # fmt: skip
    return Table([row], COLUMNS, lines=NOTED)
