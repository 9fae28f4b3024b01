"""kinds/material/references/materialx_inputs: inputs of a document that stay inputs, by name."""

import numpy as np
import pytest
from fixtures.small_material import upper_pairs

from neuralshade.errors import ConfigError
from neuralshade.kinds.material.references.materialx import load_materialx
from neuralshade.kinds.material.references.reference_bsdf import ReferenceKernels, places
from neuralshade.kinds.material.references.varied_reference import vary_reference

pytest.importorskip("MaterialX", reason="has no wheel for this machine")

GRAPH = """
<nodegraph name="NG">
  <input name="wetness" type="float" value="{wetness}"/>
  <input name="unread" type="float" value="0.5"/>
  <texcoord name="uv" type="vector2"/>
  <separate2 name="two" type="multioutput">
    <input name="in" type="vector2" nodename="uv"/>
  </separate2>
  <multiply name="part" type="float">
    <input name="in1" type="float" nodename="two" output="outx"/>
    <input name="in2" type="float" interfacename="wetness"/>
  </multiply>
  <add name="tint" type="float">
    <input name="in1" type="float" nodename="part"/>
    <input name="in2" type="float" value="0.1"/>
  </add>
  <output name="out" type="float" nodename="tint"/>
</nodegraph>
<constant name="age" type="float"><input name="value" type="float" value="{age}"/></constant>
<multiply name="color" type="color3">
  <input name="in1" type="color3" value="0.8, 0.4, 0.2"/>
  <input name="in2" type="float" nodegraph="NG" output="out"/>
</multiply>
<oren_nayar_diffuse_bsdf name="top" type="BSDF">
  <input name="color" type="color3" nodename="color"/>
  <input name="roughness" type="float" nodename="age"/>
</oren_nayar_diffuse_bsdf>
"""


@pytest.fixture
def written(document):
    """Return what writes the document with these values."""
    return lambda wetness, age, name: document(GRAPH.format(wetness=wetness, age=age), name=name)


def test_a_document_is_what_its_inputs_are(gpu, written):
    """Varied and asked at values, it is the document that has these written out."""
    plain = load_materialx(written(0.2, 0.7, "x.mtlx"))
    assert {name: one.default for name, one in plain.inputs.items()} == {
        "wetness": 0.2, "unread": 0.5, "age": 0.7,
    }  # fmt: skip
    varied = ReferenceKernels(gpu, vary_reference(plain, "age=0.5..1,wetness=0..1"))
    uv, wi, wo = upper_pairs(100)
    other = ReferenceKernels(gpu, load_materialx(written(0.9, 0.6, "y.mtlx"))).eval(uv, wi, wo)
    found = varied.eval(places(uv, [0.2, 0.9]), wi, wo)
    np.testing.assert_allclose(found, other, rtol=1e-4, atol=1e-6)
    usual = ReferenceKernels(gpu, plain).eval(uv, wi, wo)
    np.testing.assert_allclose(varied.eval(uv, wi, wo), usual, rtol=1e-4, atol=1e-6)
    assert np.abs(usual - other).mean() > 1e-3


def test_what_a_material_does_not_read(written, refusal):
    reference = load_materialx(written(0.2, 0.7, "x.mtlx"))
    assert "vary: got unread, which the material does not read, need" in refusal(
        ConfigError, vary_reference, reference, "unread=0..1"
    )
    said = refusal(ConfigError, vary_reference, reference, "wettness=0..1")
    assert said.endswith("need one of wetness, unread, age. Did you mean wetness?")
    held = load_materialx(written(0.483162, 0.7, "z.mtlx"))
    assert "got a document with the number 0.483162, need one without" in refusal(
        ConfigError, vary_reference, held, "age=0..1"
    )
