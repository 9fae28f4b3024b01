"""kinds/material/references/emission: what shines by itself is left out, and a line says so."""

import pytest
from fixtures.small_material import PAINT, TOLD, paint_reference, wet_file

import neuralshade
from neuralshade.kinds.material.fit import fit_material
from neuralshade.kinds.material.references.emission import (
    NOTE,
    emission_kernels,
    with_emission_note,
)
from neuralshade.kinds.material.references.reference_bsdf import ReferenceKernels
from neuralshade.kinds.material.references.sources import load_reference
from neuralshade.kinds.material.references.stack import load_stack
from neuralshade.kinds.material.references.varied_reference import vary_reference

BASE = '[[layer]]\nkind = "diffuse"\ncolor = [0.5, 0.5, 0.5]\n'
SHINING = """
float3 emission(float2 uv, float3 wo)
{
    return uv.x < 0.01f ? float3(0.0f, wo.z, 0.0f) : float3(0.0f);
}
"""
LAMP = """
<oren_nayar_diffuse_bsdf name="top" type="BSDF"/>
<uniform_edf name="shine" type="EDF"><input name="color" type="color3" value="0, 0.2, 0"/>
</uniform_edf>"""
LIT = """
<surface name="S" type="surfaceshader">
  <input name="bsdf" type="BSDF" nodename="top"/>
  <input name="edf" type="EDF" nodename="shine"/>
</surface>
<surfacematerial name="M" type="material">
  <input name="surfaceshader" type="surfaceshader" nodename="S"/>
</surfacematerial>
</materialx>
"""


def test_the_note_reads():
    assert NOTE == ("Emission is left out: what shines by itself is no part of the scattering; "
                    "add it in the shader.")  # fmt: skip


@pytest.mark.parametrize("line, noted", [
    ("emission = [1.0, 0.5, 0.0]", True), ("emission = [0, 0, 0]", False), ("", False),
])  # fmt: skip
def test_a_stack_that_shines_has_a_note(gpu, tmp_path, line, noted):
    (tmp_path / "x.toml").write_text(BASE + line)
    stack = load_stack(tmp_path / "x.toml")
    found = with_emission_note(ReferenceKernels(gpu, stack))
    assert found.notes == ((NOTE,) if noted else ())
    assert len(emission_kernels(stack)) == noted  # a dark one has nothing to compile


def test_a_document_that_shines_has_a_note(gpu, document):
    pytest.importorskip("MaterialX", reason="has no wheel for this machine")
    shining = load_reference(document(LAMP, LIT))
    assert with_emission_note(ReferenceKernels(gpu, shining)).notes == (NOTE,)
    dark = load_reference(document(LAMP.replace("0, 0.2, 0", "0, 0, 0"), LIT))
    assert with_emission_note(ReferenceKernels(gpu, dark)).notes == ()


def test_what_an_input_turns_on_is_found(gpu, tmp_path):
    path = wet_file(tmp_path)
    glow = SHINING.replace("uv.x < 0.01f", "wetness > 0.5f")
    path.write_text(path.read_text() + glow)
    varied = vary_reference(load_reference(path), "wetness=0..1")
    assert with_emission_note(ReferenceKernels(gpu, load_reference(path))).notes == ()
    assert with_emission_note(ReferenceKernels(gpu, varied)).notes == (NOTE,)


def test_a_module_that_says_nothing_is_not_asked():
    """What is not compiled takes no time."""
    assert with_emission_note(ReferenceKernels(_NoGpu(), paint_reference())).notes == ()


def test_a_document_without_emission_is_not_asked(document):
    reference = load_reference(document('<oren_nayar_diffuse_bsdf name="top" type="BSDF"/>'))
    assert with_emission_note(ReferenceKernels(_NoGpu(), reference)).notes == ()


class _NoGpu:
    """Has buffers alone."""

    def buffer(self, *_, **__):
        return None


def test_a_fit_prints_it_and_its_asset_keeps_it(tmp_path, share_device, monkeypatch, capsys):
    share_device(monkeypatch)
    monkeypatch.setattr("neuralshade.kinds.material.judging.judge.SIDE_PX", 16)
    (tmp_path / "lamp.slang").write_text(PAINT + TOLD + SHINING)
    result = fit_material(tmp_path / "lamp.slang", tmp_path / "lamp.nsh", steps=4, size=8,
                          batch=256, hidden_width=16)  # fmt: skip
    result.print()
    assert capsys.readouterr().out.splitlines()[0] == NOTE
    assert neuralshade.load(tmp_path / "lamp.nsh").material["notes"] == [NOTE]
