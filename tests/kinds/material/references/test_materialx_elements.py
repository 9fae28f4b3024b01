"""references/materialx: a note says which of several materials was taken."""

import pytest

from neuralshade.kinds.material.references.materialx import load_materialx

DIFFUSE = '<oren_nayar_diffuse_bsdf name="top" type="BSDF"/>'
OTHERS = """
<surface name="S" type="surfaceshader"><input name="bsdf" type="BSDF" nodename="top"/></surface>
""" + "".join(f"""<surfacematerial name="{name}" type="material">
  <input name="surfaceshader" type="surfaceshader" nodename="S"/></surfacematerial>
""" for name in "ABC") + "</materialx>"  # fmt: skip


def test_of_several_the_first_is_taken_with_a_note(document):
    pytest.importorskip("MaterialX")
    path = document(DIFFUSE, OTHERS)
    assert load_materialx(path).notes == (
        "A: taken of 3 materials: --element takes another (B, C).",
    )
    assert load_materialx(path, "B").notes == ()
    assert load_materialx(document(DIFFUSE)).notes == ()
