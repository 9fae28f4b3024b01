"""Color spaces of MaterialX values and pictures, wherever these are said."""

import numpy as np
import pytest

import neuralshade
from neuralshade.kinds.material.references.materialx import load_materialx
from neuralshade.kinds.material.references.reference_bsdf import ReferenceKernels
from neuralshade.source.color import srgb_to_linear

pytest.importorskip("MaterialX", reason="has no wheel for this machine")

HEAD = '<?xml version="1.0"?><materialx version="1.39" colorspace="{}">'
MATTE = """
<oren_nayar_diffuse_bsdf name="top" type="BSDF">
  <input name="color" type="color3" nodename="c"/>
</oren_nayar_diffuse_bsdf>
<surface name="S" type="surfaceshader"><input name="bsdf" type="BSDF" nodename="top"/></surface>
<surfacematerial name="M" type="material">
  <input name="surfaceshader" type="surfaceshader" nodename="S"/>
</surfacematerial>
</materialx>
"""
STORED = np.array([0.5, 0.25, 0.75])
DECODED = srgb_to_linear(STORED)
CODED = 'value="0.5, 0.25, 0.75"'
SRGB, LINEAR = 'colorspace="srgb_texture"', 'colorspace="lin_rec709"'
# From ACEScg to Rec. 709, both linear.
ACESCG = np.array([[1.70505, -0.621791, -0.083258], [-0.130257, 1.1408, -0.010548],
                   [-0.024004, -0.128969, 1.152973]])  # fmt: skip
SEEN = '<dot name="c" type="color3"><input name="in" type="color3" {}/></dot>'
PASSED = '<dot name="i" type="color3"><input name="in" type="color3" interfacename="v"/></dot>'
OUT = '<output name="out" type="color3" nodename="i"/>'


def graph(given, own=""):
    """Return a node graph whose interface has a color."""
    return (f'<nodegraph name="g" {own}><input name="v" type="color3" {given}/>{PASSED}{OUT}'
            "</nodegraph>" + SEEN.format('nodegraph="g" output="out"'))  # fmt: skip


def definition(default, own="", use=""):
    """Return a definition with a color, and a use of it."""
    return (f'<nodedef name="ND_p" node="p"><input name="v" type="color3" {default}/>'
            '<output name="out" type="color3"/></nodedef>'
            f'<nodegraph name="NG_p" nodedef="ND_p" {own}>{PASSED}{OUT}</nodegraph>'
            f'<p name="c" type="color3">{use}</p>')  # fmt: skip


def use(space=""):
    return f'<input name="v" type="color3" {CODED} {space}/>'


def lama(text):
    return text.replace("oren_nayar_diffuse_bsdf", "LamaDiffuse")


COLORS = {
    "of an interface": ("lin_rec709", graph(f"{CODED} {SRGB}"), DECODED),
    "of an interface, in upper case": (
        "lin_rec709", graph(f'{CODED} colorspace="SRGB_TX"'), DECODED,
    ),
    "of an interface, in ACEScg": (
        "lin_rec709", graph(f'{CODED} colorspace="ACES - ACEScg"'), ACESCG @ STORED,
    ),
    "of an interface of a graph that is sRGB": ("lin_rec709", graph(CODED, SRGB), DECODED),
    "that is linear, of such a graph": ("lin_rec709", graph(f"{CODED} {LINEAR}", SRGB), STORED),
    "of a constant that an interface reads": (
        "srgb_texture",
        f'<constant name="k" type="color3"><input name="value" type="color3" {CODED}/></constant>'
        + graph('nodename="k"'),
        DECODED,
    ),
    "by default": ("lin_rec709", definition(f"{CODED} {SRGB}"), DECODED),
    "by default, of a document that is sRGB": ("srgb_texture", definition(CODED), DECODED),
    "of a use": ("lin_rec709", definition(CODED, "", use(SRGB)), DECODED),
    "of a use, of a document that is sRGB": ("srgb_texture", definition(CODED, "", use()), DECODED),
    "that is linear, of a use in such a document": (
        "srgb_texture", definition(CODED, "", use(LINEAR)), STORED,
    ),
    "that is linear, of a definition whose graph is sRGB": (
        "lin_rec709", definition(CODED, SRGB, use()), STORED,
    ),
}  # fmt: skip


def albedo(gpu, tmp_path, nodes, space="lin_rec709", end=MATTE):
    """Return what a matte surface of a color reflects, head on: [3]."""
    (tmp_path / "x.mtlx").write_text(HEAD.format(space) + nodes + end)
    uv, up = np.float32([[0.3, 0.6]]), np.float32([[0, 0, 1]])
    kernels = ReferenceKernels(gpu, load_materialx(tmp_path / "x.mtlx"))
    return kernels.eval(uv, up, up)[0] * np.pi


@pytest.mark.parametrize("color", COLORS)
def test_a_color_is_converted_once(gpu, tmp_path, color):
    space, nodes, wanted = COLORS[color]
    np.testing.assert_allclose(albedo(gpu, tmp_path, nodes, space), wanted, atol=1e-4)


def test_a_library_s_definition_does_not_convert_what_it_gets(gpu, tmp_path):
    """Lama's graphs are in ACEScg; a color that they are given is as it is."""
    value = f'<input name="value" type="color3" {CODED}/>'
    color = f'<constant name="c" type="color3">{value}</constant>'
    found = albedo(gpu, tmp_path, color, end=lama(MATTE))
    np.testing.assert_allclose(found, STORED, atol=1e-3)
    end = lama(MATTE).replace('nodename="c"', CODED)
    np.testing.assert_allclose(albedo(gpu, tmp_path, "", end=end), STORED, atol=1e-3)


FILE = f'<input name="file" type="filename" value="a.png" {SRGB}/>'
HANDED = '<input name="file" type="filename" interfacename="f"/>'
OUTPUTS = {"gltf_colorimage": "outcolor", "UsdUVTexture": "rgb"}
TINT = np.array([0.5, 0.25, 1])


def multi(category, inputs):
    """Return a picture of a node with several outputs, whose color is c."""
    return (f'<{category} name="t" type="multioutput">{inputs}</{category}>'
            + SEEN.format(f'nodename="t" output="{OUTPUTS[category]}"'))  # fmt: skip


def factor(name, kind="color4", space=""):
    value = "0.5, 0.25, 1, 1" if kind == "color4" else "0.5, 0.25, 1"
    return f'<input name="{name}" type="{kind}" value="{value}" {space}/>'


def handed(category, inputs=""):
    """Return a picture that a node graph's interface names."""
    return (f'<nodegraph name="g"><input name="f" type="filename" value="a.png" {SRGB}/>'
            f'<{category} name="i" type="color3">{HANDED}{inputs}</{category}>{OUT}</nodegraph>'
            + SEEN.format('nodegraph="g" output="out"'))  # fmt: skip


PICTURES = {
    "image of an interface": (handed("image"), 1),
    "gltf_image of an interface": (handed("gltf_image", factor("factor", "color3")), TINT),
    "gltf_image": (
        f'<gltf_image name="c" type="color3">{FILE}{factor("factor", "color3")}</gltf_image>', TINT,
    ),
    "gltf_image and a factor that is sRGB": (
        f'<gltf_image name="c" type="color3">{FILE}{factor("factor", "color3", SRGB)}</gltf_image>',
        srgb_to_linear(TINT),
    ),
    "gltf_colorimage": (multi("gltf_colorimage", FILE + factor("color")), TINT),
    "UsdUVTexture": (multi("UsdUVTexture", FILE + factor("scale")), TINT),
    "tiledimage": (f'<tiledimage name="c" type="color3">{FILE}</tiledimage>', 1),
    "image of a constant": (
        f'<constant name="k" type="filename"><input name="value" type="filename" value="a.png" '
        f'{SRGB}/></constant><image name="c" type="color3"><input name="file" type="filename" '
        'nodename="k"/></image>', 1,
    ),
    "image of a definition": (
        '<nodedef name="ND_p" node="p"><input name="f" type="filename" value=""/>'
        + factor("tint", "color3").replace('value="0.5, 0.25, 1"', 'value="1, 1, 1"')
        + f'<output name="out" type="color3"/></nodedef><nodegraph name="NG_p" nodedef="ND_p">'
        f'<image name="r" type="color3">{HANDED}</image><multiply name="i" type="color3">'
        '<input name="in1" type="color3" nodename="r"/><input name="in2" type="color3" '
        f'interfacename="tint"/></multiply>{OUT}</nodegraph><p name="c" type="color3">'
        + FILE.replace('"file"', '"f"') + factor("tint", "color3") + "</p>", TINT,
    ),
}  # fmt: skip


@pytest.fixture
def texel(tmp_path):
    """Write a picture of one color and return it, decoded: [3]."""
    neuralshade.save_picture(tmp_path / "a.png", np.full((2, 2, 3), STORED, np.float32), "linear")
    return srgb_to_linear(neuralshade.load_picture(tmp_path / "a.png").as_float()[0, 0])


@pytest.mark.parametrize("picture", PICTURES)
def test_pictures_are_decoded_before_anything_is_done_with_them(gpu, tmp_path, texel, picture):
    nodes, tint = PICTURES[picture]
    np.testing.assert_allclose(albedo(gpu, tmp_path, nodes), texel * tint, atol=1e-4)


def test_a_bias_is_added_to_linear_light_and_single_channels_are_decoded(gpu, tmp_path, texel):
    bias = '<input name="bias" type="color4" value="0.1, 0, 0, 0"/>'
    found = albedo(gpu, tmp_path, multi("UsdUVTexture", FILE + factor("scale") + bias))
    np.testing.assert_allclose(found, texel * TINT + [0.1, 0, 0], atol=1e-4)
    red = multi("UsdUVTexture", FILE).replace('output="rgb"', 'output="g"')
    red = red.replace("dot", "convert").replace('"in" type="color3"', '"in" type="float"')
    np.testing.assert_allclose(albedo(gpu, tmp_path, red), [texel[1]] * 3, atol=1e-4)


@pytest.mark.parametrize("space, decoded", [("sRGB", True), ("raw", False)])
def test_usd_says_the_space_of_a_picture_in_an_input(gpu, tmp_path, texel, space, decoded):
    said = f'<input name="sourceColorSpace" type="string" value="{space}"/>'
    nodes = multi("UsdUVTexture", FILE.replace(SRGB, "") + said)
    stored = neuralshade.load_picture(tmp_path / "a.png").as_float()[0, 0]
    found = albedo(gpu, tmp_path, nodes)
    np.testing.assert_allclose(found, texel if decoded else stored, atol=1e-4)


@pytest.mark.parametrize("space", ["Raw", "raw", "Utility - Raw", "none"])
def test_what_is_raw_is_not_decoded(gpu, tmp_path, texel, capfd, space):
    nodes = f'<image name="c" type="color3">{FILE.replace("srgb_texture", space)}</image>'
    stored = neuralshade.load_picture(tmp_path / "a.png").as_float()[0, 0]
    capfd.readouterr()
    np.testing.assert_allclose(albedo(gpu, tmp_path, nodes), stored, atol=1e-4)
    assert "color space" not in "".join(capfd.readouterr())
