"""A fitted material beside its teacher."""

from __future__ import annotations

from typing import Any

from neuralshade.errors import AssetError
from neuralshade.kinds.material.judge import Judge, field_shade
from neuralshade.kinds.material.sources import load_teacher
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


def evaluate_material(opened: Any, reference: Any) -> Table:
    """Return a table of how close an asset is to ``reference``, a document or a Teacher.

    Raises: AssetError for another material; what ``load_teacher`` raises.
    """
    teacher = reference if isinstance(reference, Teacher) else load_teacher(reference)
    if teacher.name != opened.material["name"]:
        raise AssetError(f"{opened.path}: got {teacher.name}, need {opened.material['name']}. Give "
                         "the document that it was fitted to.")  # fmt: skip
    gpu = open_teachers_gpu()
    try:
        judged = Judge(TeacherKernels(gpu, teacher)).judge(field_shade(opened.field))
    finally:
        gpu.close()
    row = {"name": "neuralshade", "bytes": opened.byte_count, "psnr_db": judged.psnr_db,
           "worst_db": judged.worst_db, "sky_db": judged.sky_db}  # fmt: skip
    return Table([row], COLUMNS, lines=NOTED)
