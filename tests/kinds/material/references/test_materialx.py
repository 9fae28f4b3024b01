"""kinds/material/references/materialx: MaterialX documents, and what of them is refused."""

import math

import numpy as np
import pytest
from fixtures.small_material import drawn_directions

import neuralshade
from neuralshade.errors import ConfigError
from neuralshade.kinds.material.references.materialx import load_materialx
from neuralshade.kinds.material.references.materialx_text import edited_text
from neuralshade.kinds.material.references.reference_bsdf import ReferenceKernels

pytest.importorskip("MaterialX", reason="has no wheel for this machine")

DIFFUSE = """
<image name="paint" type="color3">
  <input name="file" type="filename" value="a.png" colorspace="srgb_texture"/>
  <input name="uaddressmode" type="string" value="clamp"/>
  <input name="filtertype" type="string" value="closest"/>
</image>
<texcoord name="uv" type="vector2"/>
<separate2 name="two" type="multioutput"><input name="in" type="vector2" nodename="uv"/></separate2>
<multiply name="tint" type="color3">
  <input name="in1" type="color3" nodename="paint"/>
  <input name="in2" type="float" nodename="two" output="outy"/>
</multiply>
<oren_nayar_diffuse_bsdf name="top" type="BSDF">
  <input name="color" type="color3" nodename="tint"/>
</oren_nayar_diffuse_bsdf>
"""
COATED = """
<oren_nayar_diffuse_bsdf name="base" type="BSDF">
  <input name="color" type="color3" value="1, 1, 1"/>
</oren_nayar_diffuse_bsdf>
<dielectric_bsdf name="coat" type="BSDF">
  <input name="roughness" type="vector2" value="0.3, 0.3"/>
</dielectric_bsdf>
<layer name="top" type="BSDF">
  <input name="top" type="BSDF" nodename="coat"/>
  <input name="base" type="BSDF" nodename="base"/>
</layer>
"""
PLAIN = '<oren_nayar_diffuse_bsdf name="top" type="BSDF"/>'


SINE = """
<texcoord name="uv" type="vector2"/>
<sin name="waves" type="vector2"><input name="in" type="vector2" nodename="uv"/></sin>
<separate2 name="two" type="multioutput"><input name="in" type="vector2" nodename="{}"/></separate2>
<oren_nayar_diffuse_bsdf name="top" type="BSDF">
  <input name="weight" type="float" nodename="two" output="outx"/>
</oren_nayar_diffuse_bsdf>
"""


def upper(count, seed):
    found = drawn_directions(count, seed)
    found[:, 2] = np.abs(found[:, 2])
    return found


def test_a_picture_and_a_ramp_make_lambert(gpu, document, tmp_path):
    """Rows go down with our v while MaterialX's goes up; colors are decoded; nothing below."""
    shares = np.random.default_rng(0).random((2, 3, 3), np.float32)
    neuralshade.save_picture(tmp_path / "a.png", shares, "srgb")
    stored = neuralshade.load_picture(tmp_path / "a.png").as_float()
    reference = load_materialx(document(DIFFUSE))
    assert reference.name == "x M" and reference.notes == ()
    kernels = ReferenceKernels(gpu, reference)
    uv = np.random.default_rng(1).random((200, 2), np.float32)
    wi, wo = drawn_directions(200, 2), upper(200, 3)
    texels = stored[(uv[:, 1] * 2).astype(int), (uv[:, 0] * 3).astype(int)]
    linear = np.where(texels <= 0.04045, texels / 12.92, ((texels + 0.055) / 1.055) ** 2.4)
    wanted = linear * (1 - uv[:, 1:]) / math.pi * wi[:, 2:]
    wanted[wi[:, 2] <= 1e-3] = 0
    np.testing.assert_allclose(kernels.eval(uv, wi, wo), wanted, atol=2e-5)
    assert sorted(reference.parameters) == ["tint_out.x", "tint_out.y", "tint_out.z"]
    np.testing.assert_allclose(kernels.parameters(uv), linear * (1 - uv[:, 1:]), atol=2e-5)
    assert not kernels.emission(uv, wo).any()


@pytest.mark.parametrize("node, coarse", [("uv", True), ("waves", False)])
def test_samples_of_a_graph_with_sines_are_drawn_as_exactly_as_it_is_judged(
    document, node, coarse
):  # fmt: skip
    """Noise may be what is behind a large sine's point."""
    assert load_materialx(document(SINE.format(node))).coarse is coarse


def test_a_white_furnace_stays_white(gpu, document):
    """A coat over white: what comes back of a lit hemisphere is at most 1.04 of it."""
    kernels = ReferenceKernels(gpu, load_materialx(document(COATED)))
    count = 20_000
    wi, uv = upper(count, 0), np.full((count, 2), 0.5, np.float32)
    for slant in (0.2, 0.6, 1.0):
        wo = np.tile(np.float32([math.sqrt(1 - slant**2), 0, slant]), (count, 1))
        albedo = kernels.eval(uv, wi, wo).mean(0) * 2 * math.pi
        assert (albedo > 0.85).all() and (albedo < 1.04).all(), (slant, albedo)


def node(category, inputs="", kind="float", weighs="weight"):
    """Return a document's nodes with one more, which the closure reads."""
    return f"""<{category} name="odd" type="{kind}">{inputs}</{category}>
<oren_nayar_diffuse_bsdf name="top" type="BSDF">
  <input name="{weighs}" type="{kind}" nodename="odd"/>
</oren_nayar_diffuse_bsdf>"""


IMAGE = '<input name="file" type="filename" value="{}"/>'
GLASS = """<dielectric_bsdf name="top" type="BSDF">
  <input name="scatter_mode" type="string" value="RT"/>
</dielectric_bsdf>"""

LAMA = """<LamaDiffuse name="a" type="BSDF"/><LamaDiffuse name="b" type="BSDF"/>
<LamaMix name="top" type="BSDF"><input name="material1" type="BSDF" nodename="a"/>
  <input name="material2" type="BSDF" nodename="b"/></LamaMix>"""
CIRCLE = node("add", '<input name="in1" type="float" nodename="back"/>') + (
    '<add name="back" type="float"><input name="in1" type="float" nodename="odd"/></add>'
)


@pytest.mark.parametrize("nodes, said", [
    (node("time"), "odd (time) changes with time, need a surface"),
    (node("bump", kind="vector3", weighs="normal"), "odd (bump) reads derivatives of the screen"),
    (node("heighttonormal", kind="vector3", weighs="normal"),
     "odd (heighttonormal) reads derivatives of the screen"),
    (node("blackbody", kind="color3", weighs="color"), "odd (blackbody) does not compile"),
    (LAMA, "top (LamaMix) does not compile as Slang"),
    (CIRCLE, "need a graph without circles"),
    (node("geompropvalue", '<input name="geomprop" type="string" value="a"/>'),
     "odd (geompropvalue) reads 'a' of a mesh"),
    (GLASS, "top (dielectric_bsdf) lets light through (scatter_mode RT)"),
    (node("image", IMAGE.format("no.png")), "odd: got 'no.png', which is not there"),
    (node("image", IMAGE.format("a.&lt;UDIM&gt;.png")), "a picture of many tiles (UDIM)"),
    (node("image"), "got no file, need a picture."),
])  # fmt: skip
def test_what_cannot_be_fitted_is_refused_by_its_node(document, refusal, nodes, said):
    path = document(nodes)
    assert said in refusal(ConfigError, load_materialx, path)


@pytest.mark.parametrize("category, said", [
    ("mutliply", "got category mutliply of type float, need one that MaterialX or the document "
     "defines. Change it. Did you mean multiply?"),
    ("tone", "got category tone of type float, need one that MaterialX or the document defines. "
     "Change it. Did you mean tan?"),
])  # fmt: skip
def test_a_node_that_nobody_defines_is_named_with_its_category(document, refusal, category, said):
    path = document(node(category))
    assert refusal(ConfigError, load_materialx, path) == f"{path}: odd: {said}"


@pytest.mark.parametrize("within", ["x.mtlx", "below/y.mtlx"])
def test_what_is_included_and_not_there_is_told_with_what_includes_it(tmp_path, refusal, within):
    (tmp_path / "below").mkdir()
    text = '<materialx version="1.39"><xi:include href="{}"/></materialx>'
    (tmp_path / "x.mtlx").write_text(text.format("below/y.mtlx"))
    (tmp_path / within).write_text(text.format("none.mtlx"))
    assert refusal(ConfigError, load_materialx, tmp_path / "x.mtlx") == (
        f"{tmp_path / within}: got no such file at none.mtlx, which it includes, need a MaterialX "
        "document. Check its xi:include."
    )


def test_a_border_of_constant_color_is_refused(document, tmp_path, refusal):
    neuralshade.save_picture(tmp_path / "a.png", np.zeros((2, 2, 3), np.float32), "srgb")
    border = '<input name="vaddressmode" type="string" value="constant"/>'
    path = document(node("image", IMAGE.format("a.png") + border))
    assert "odd.vaddressmode: got 'constant', need one of" in refusal(
        ConfigError, load_materialx, path
    )


def test_a_transmitting_surface_shader_is_refused(document, refusal):
    shader = """<standard_surface name="S" type="surfaceshader">
      <input name="transmission" type="float" value="{}"/></standard_surface>
    <surfacematerial name="M" type="material">
      <input name="surfaceshader" type="surfaceshader" nodename="S"/></surfacematerial>
    </materialx>"""
    said = refusal(ConfigError, load_materialx, document("", shader.format(0.5)))
    assert "S (standard_surface) lets light through (transmission)" in said
    assert load_materialx(document("", shader.format(0))).name == "x M"


OPEN = "S: what is behind it is left out: opacity darkens it alone."


@pytest.mark.parametrize("model, name, kind, value, notes", [
    ("standard_surface", "opacity", "color3", 'value="1, 1, 1"', ()),
    ("standard_surface", "opacity", "color3", 'value="1, 0.5, 1"', (OPEN,)),
    ("gltf_pbr", "alpha", "float", 'value="1"', ()),
    ("gltf_pbr", "alpha", "float", 'value="0.9"', ()),  # whose alpha_mode is OPAQUE
    ("gltf_pbr", "alpha", "float",
     'value="0.9"/><input name="alpha_mode" type="integer" value="2"', (OPEN,)),
    ("open_pbr_surface", "geometry_opacity", "float", 'value="1"', ()),
    ("UsdPreviewSurface", "opacity", "float", 'nodename="one"', ()),
    ("UsdPreviewSurface", "opacity", "float", 'nodename="part"', (OPEN,)),
    ("UsdPreviewSurface", "opacity", "float", 'nodename="ramp"', (OPEN,)),
    ("UsdPreviewSurface", "opacity", "float", 'value="0"', (OPEN,)),
])  # fmt: skip
def test_what_is_not_opaque_has_a_note(document, model, name, kind, value, notes):
    """And a value of 1 that is written out, or a constant's, has none."""
    constant = '<constant name="{0}" type="float"><input name="value" type="float" value="{1}"/>'
    path = document(
        f"""{constant.format("one", 1)}</constant>{constant.format("part", 0.5)}</constant>
        <ramplr name="ramp" type="float"><input name="valuel" type="float" value="1"/></ramplr>""",
        f"""<{model} name="S" type="surfaceshader"><input name="{name}" type="{kind}" {value}/>
        </{model}><surfacematerial name="M" type="material">
        <input name="surfaceshader" type="surfaceshader" nodename="S"/></surfacematerial>
        </materialx>""")  # fmt: skip
    assert load_materialx(path).notes == notes


def test_elements_are_asked_for_by_name(document, refusal):
    path = document(PLAIN)
    assert load_materialx(path, "M").name == "x M"
    assert load_materialx(path).element == "M"
    said = refusal(ConfigError, load_materialx, path, "m")
    assert "got element 'm', need one of ['M']" in said


@pytest.mark.parametrize("text, said", [
    ("<materialx", "need a MaterialX document"),
    ('<materialx version="1.39"/>', "got a document with nothing to render"),
    ('<materialx version="1.39"><noise2d name="a" type="float"/></materialx>',
     "got a document with nothing to render"),
    ('<materialx version="1.39"><add name="a" type="float"><input name="in1" type="float" '
     'nodename="nobody"/></add></materialx>', "got a document that is not valid"),
])  # fmt: skip
def test_what_is_no_document_is_refused(tmp_path, refusal, text, said):
    (tmp_path / "x.mtlx").write_text(text)
    assert said in refusal(ConfigError, load_materialx, tmp_path / "x.mtlx")
    assert "need a MaterialX document" in refusal(ConfigError, load_materialx, tmp_path / "y.mtlx")


def test_another_generators_text_is_refused(refusal):
    """Each edit finds its place once, or the version is told."""
    said = refusal(ConfigError, edited_text, "struct BSDF {};", "", {})
    assert said.startswith("MaterialX: got 0 places of the texture functions")


def test_without_the_package_the_file_is_named(tmp_path, monkeypatch, same_message):
    def none():
        raise ImportError("No module named 'MaterialX'")

    monkeypatch.setattr("neuralshade.kinds.material.references.materialx._Modules", none)
    path = tmp_path / "x.mtlx"
    with pytest.raises(ConfigError) as caught:
        load_materialx(path)
    same_message(str(caught.value), path, "Check")
    path.write_text("")
    with pytest.raises(ConfigError) as caught:
        load_materialx(path)
    same_message(str(caught.value), path, "Run")
