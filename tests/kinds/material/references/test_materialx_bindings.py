"""Inputs of MaterialX nodes: their own values, interfaces', constant nodes' and defaults."""

import numpy as np
import pytest

import neuralshade
from neuralshade.errors import ConfigError
from neuralshade.kinds.material.references import materialx_graph
from neuralshade.kinds.material.references.materialx import load_materialx
from neuralshade.kinds.material.references.reference_bsdf import ReferenceKernels

pytest.importorskip("MaterialX", reason="has no wheel for this machine")

MATTE = """
<oren_nayar_diffuse_bsdf name="top" type="BSDF">
  <input name="color" type="color3" nodename="c"/>
</oren_nayar_diffuse_bsdf>
"""
THRICE = """
<texcoord name="uv" type="vector2"/>
<multiply name="uv3" type="vector2">
  <input name="in1" type="vector2" nodename="uv"/><input name="in2" type="float" value="3"/>
</multiply>
"""
SHADER = """
<surfacematerial name="M" type="material">
  <input name="surfaceshader" type="surfaceshader" nodename="S"/>
</surfacematerial>
</materialx>
"""


def text(name, kind="value", word=""):
    return f'<input name="{name}" type="string" {kind}="{word}"/>'


def image(*inputs, node="c"):
    return (f'<image name="{node}" type="color3"><input name="file" type="filename" value="a.png"/>'
            f'<input name="texcoord" type="vector2" nodename="uv3"/>{"".join(inputs)}'
            "</image>")  # fmt: skip


def both(kind, word):
    return text("uaddressmode", kind, word) + text("vaddressmode", kind, word)


SEEN = '<dot name="c" type="color3"><input name="in" type="color3" {}/></dot>'
USD = ('<UsdUVTexture name="t" type="multioutput"><input name="file" type="filename" '
       'value="a.png"/><input name="st" type="vector2" nodename="uv3"/>{}</UsdUVTexture>'
       + SEEN.format('nodename="t" output="rgb"'))  # fmt: skip
GLTF = ('<gltf_image name="c" type="color3"><input name="file" type="filename" value="a.png"/>'
        '<input name="texcoord" type="vector2" nodename="uv3"/>{}</gltf_image>')  # fmt: skip
FORMS = {
    "own": lambda word: THRICE + image(both("value", word)),
    "constant": lambda word: (
        THRICE + image(both("nodename", "k"))
        + f'<constant name="k" type="string">{text("value", "value", word)}</constant>'
    ),
    "interface": lambda word: (
        f'<nodegraph name="g">{text("mode", "value", word)}{THRICE}'
        + image(both("interfacename", "mode"), node="i")
        + '<output name="out" type="color3" nodename="i"/></nodegraph>'
        + SEEN.format('nodegraph="g" output="out"')
    ),
    "default": lambda word: (
        f'<nodedef name="ND_p" node="p">{text("mode", "value", word)}'
        '<output name="out" type="color3"/></nodedef>'
        f'<nodegraph name="NG_p" nodedef="ND_p">{THRICE}'
        + image(both("interfacename", "mode"), node="i")
        + '<output name="out" type="color3" nodename="i"/></nodegraph><p name="c" type="color3"/>'
    ),
    "use": lambda word: FORMS["default"]("mirror").replace(
        '<p name="c" type="color3"/>',
        f'<p name="c" type="color3">{text("mode", "value", word)}</p>',
    ),
    "USD": lambda word: THRICE + USD.format(text("wrapS", "value", word)
                                            + text("wrapT", "value", word)),
    "glTF": lambda word: THRICE + GLTF.format(both("value", word)),
}  # fmt: skip


@pytest.fixture
def picture(tmp_path):
    """Write a small picture and return its texels, as stored."""
    shares = np.random.default_rng(0).random((3, 4, 3), np.float32)
    neuralshade.save_picture(tmp_path / "a.png", shares, "linear")
    return neuralshade.load_picture(tmp_path / "a.png").as_float()


def looked_up(picture, uv, border):
    """Return what lies at uv, v downwards, of a picture: bilinear, by NumPy."""
    height, width = picture.shape[:2]
    at = uv * [width, height] - 0.5
    corner, part = np.floor(at).astype(int), at - np.floor(at)

    def inside(index, count):
        if border == "clamp":
            return np.clip(index, 0, count - 1)
        if border == "mirror":
            return np.minimum(index % (2 * count), 2 * count - 1 - index % (2 * count))
        return index % count

    def texel(right, down):
        return picture[inside(corner[:, 1] + down, height), inside(corner[:, 0] + right, width)]

    above = texel(0, 0) * (1 - part[:, :1]) + texel(1, 0) * part[:, :1]
    below = texel(0, 1) * (1 - part[:, :1]) + texel(1, 1) * part[:, :1]
    return above * (1 - part[:, 1:]) + below * part[:, 1:]


def head_on(gpu, path, uv):
    up = np.tile(np.float32([[0, 0, 1]]), (len(uv), 1))
    return ReferenceKernels(gpu, load_materialx(path)).eval(uv, up, up) * np.pi


@pytest.mark.parametrize("form, border", [
    ("own", "clamp"), ("constant", "mirror"), ("interface", "clamp"), ("default", "mirror"),
    ("use", "clamp"), ("USD", "clamp"), ("USD", "mirror"), ("USD", "repeat"), ("glTF", "clamp"),
])  # fmt: skip
def test_borders_are_those_that_are_said_somewhere(gpu, document, picture, form, border):
    uv = np.random.default_rng(1).random((200, 2), np.float32)
    path = document(FORMS[form](border) + MATTE)
    thrice = np.stack([3 * uv[:, 0], 1 - 3 * (1 - uv[:, 1])], 1)  # MaterialX counts v from below
    np.testing.assert_allclose(
        head_on(gpu, path, uv), looked_up(picture, thrice, border), atol=2e-3
    )


@pytest.mark.parametrize("form", ["interface", "constant"])
def test_texels_are_not_mixed_where_that_is_said_somewhere(gpu, document, picture, form):
    uv = np.random.default_rng(1).random((200, 2), np.float32)
    nodes = FORMS[form]("closest").replace("uaddressmode", "filtertype")
    nodes = nodes.replace(text("vaddressmode", "nodename", "k"), "")
    nodes = nodes.replace(text("vaddressmode", "interfacename", "mode"), "")
    found = head_on(gpu, document(nodes + MATTE), uv)
    at = (np.stack([3 * uv[:, 0], 1 - 3 * (1 - uv[:, 1])], 1) % 1 * [4, 3]).astype(int)
    np.testing.assert_allclose(found, picture[at[:, 1], at[:, 0]], atol=2e-3)


def test_uses_of_a_definition_that_look_up_differently_are_refused(
    document, picture, refusal, same_message
):
    nodes = FORMS["default"]("mirror").replace(
        '<p name="c" type="color3"/>',
        f'<p name="p1" type="color3"/><p name="p2" type="color3">{text("mode", "value", "clamp")}'
        '</p><add name="c" type="color3"><input name="in1" type="color3" nodename="p1"/>'
        '<input name="in2" type="color3" nodename="p2"/></add>')  # fmt: skip
    path = document(nodes + MATTE)
    same_message(refusal(ConfigError, load_materialx, path), f"{path}: NG_p/i.uaddressmode", "Use")


def test_a_border_that_is_black_is_refused_by_the_node(document, picture, refusal, same_message):
    path = document(FORMS["USD"]("black") + MATTE)
    same_message(refusal(ConfigError, load_materialx, path), f"{path}: t.uaddressmode", "Change")


UBER = """
<nodedef name="ND_u" node="ubersurf">
  <input name="transmission" type="float" value="{0}"/>
  <input name="mode" type="string" value="{1}"/>
  <output name="out" type="surfaceshader"/>
</nodedef>
<nodegraph name="NG_u" nodedef="ND_u">
  <standard_surface name="s" type="surfaceshader">
    <input name="transmission" type="float" interfacename="transmission"/>
  </standard_surface>
  <output name="out" type="surfaceshader" nodename="s"/>
</nodegraph>
<constant name="k" type="float"><input name="value" type="float" value="{2}"/></constant>
<ubersurf name="S" type="surfaceshader">{3}</ubersurf>
"""
USE = '<input name="transmission" type="float" nodename="k"/>'


@pytest.mark.parametrize("default, constant, use, passes", [
    (0, 1, "", False), (1, 0, "", True), (1, 0, USE, False), (0, 0.5, USE, True),
])  # fmt: skip
def test_transmission_is_what_it_is_wherever_that_is_said(
    document, refusal, default, constant, use, passes, same_message
):  # fmt: skip
    path = document("", UBER.format(default, "R", constant, use) + SHADER)
    if not passes:
        assert load_materialx(path).notes == ()
        return
    same_message(refusal(ConfigError, load_materialx, path), path, "Take")


MODES = """
<nodedef name="ND_g" node="glaze">
  <input name="mode" type="string" value="RT"/><output name="out" type="BSDF"/>
</nodedef>
<nodegraph name="NG_g" nodedef="ND_g">
  <dielectric_bsdf name="b" type="BSDF">
    <input name="scatter_mode" type="string" interfacename="mode"/>
  </dielectric_bsdf>
  <output name="out" type="BSDF" nodename="b"/>
</nodegraph>
<glaze name="top" type="BSDF">{}</glaze>
"""


def test_scatter_modes_come_through_interfaces(document, refusal):
    said = refusal(ConfigError, load_materialx, document(MODES.format("")))
    assert "NG_g/b (dielectric_bsdf) lets light through (scatter_mode RT)" in said
    load_materialx(document(MODES.format(text("mode", "value", "R"))))
    constant = '<constant name="k" type="string">' + text("value", "value", "T") + "</constant>"
    path = document(constant + MODES.format(text("mode", "nodename", "k")))
    assert "lets light through (scatter_mode T)" in refusal(ConfigError, load_materialx, path)


def test_a_definition_inside_itself_is_refused(document, refusal):
    text = """<nodedef name="ND_p" node="p"><output name="out" type="color3"/></nodedef>
    <nodegraph name="NG_p" nodedef="ND_p"><p name="i" type="color3"/>
    <output name="out" type="color3" nodename="i"/></nodegraph><p name="c" type="color3"/>"""
    path = document(text + MATTE)
    assert "got a definition inside itself, need" in refusal(ConfigError, load_materialx, path)


@pytest.mark.parametrize("twice, said", [
    ("", "got definitions in more than 64 others, need fewer."),
    ('<p{} name="j" type="color3"/>', "got a material of more than 500 nodes, need fewer."),
])  # fmt: skip
def test_definitions_within_definitions_end_somewhere(
    document, refusal, monkeypatch, twice, said
):  # fmt: skip
    monkeypatch.setattr(materialx_graph, "MOST_NODES", 500)
    depth = 10 if twice else 80
    text = "".join(
        f"""<nodedef name="ND_{n}" node="p{n}"><output name="out" type="color3"/></nodedef>
    <nodegraph name="NG_{n}" nodedef="ND_{n}"><p{n + 1} name="i" type="color3"/>
    {twice.format(n + 1)}<add name="s" type="color3"><input name="in1" type="color3" nodename="i"/>
    <input name="in2" type="color3" nodename="{"j" if twice else "i"}"/></add>
    <output name="out" type="color3" nodename="s"/></nodegraph>"""
        for n in range(depth)
    )
    last = f"""<nodedef name="ND_z" node="p{depth}"><output name="out" type="color3"/></nodedef>
    <nodegraph name="NG_z" nodedef="ND_z"><constant name="i" type="color3"/>
    <output name="out" type="color3" nodename="i"/></nodegraph>"""
    path = document(text + last + '<p0 name="c" type="color3"/>' + MATTE)
    assert said in refusal(ConfigError, load_materialx, path)
