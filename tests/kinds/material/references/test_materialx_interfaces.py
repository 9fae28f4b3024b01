"""kinds/material/references: what MaterialX leaves to a renderer to say, and its color spaces."""

import math

import numpy as np
import pytest
from fixtures.small_material import upper_pairs

import neuralshade
from neuralshade.errors import ConfigError
from neuralshade.kinds.material.references.materialx import load_materialx
from neuralshade.kinds.material.references.reference_bsdf import ReferenceKernels

pytest.importorskip("MaterialX", reason="has no wheel for this machine")

BUMPY = """
<position name="place" type="vector3"/>
<add name="tilted" type="vector3">
  <input name="in1" type="vector3" nodename="place"/>
  <input name="in2" type="vector3" value="0, -0.2, 2"/>
</add>
<normalize name="bump" type="vector3">
  <input name="in" type="vector3" nodename="tilted"/>
</normalize>
{}
<dielectric_bsdf name="top" type="BSDF">
  <input name="roughness" type="vector2" value="0.3, 0.3"/>
  <input name="normal" type="vector3" nodename="{}"/>
</dielectric_bsdf>
"""
TURNED = """
<transform{0} name="turned" type="vector3">
  <input name="in" type="vector3" nodename="bump"/>
  <input name="fromspace" type="string" value="{1}"/>
  <input name="tospace" type="string" value="{2}"/>
</transform{0}>
"""
END = "</materialx>"
MATERIAL = """<surfacematerial name="M" type="material">
  <input name="surfaceshader" type="surfaceshader" nodename="{}"/>
</surfacematerial>"""
OUTPUT = '<output name="O" type="surfaceshader" nodename="{}"/>'
GRAPH = """
<nodedef name="ND_paint" node="paint">
  <input name="color" type="color3" value="0.25, 0.5, 0.75"/>
  <input name="shares" type="vector2" value="0.5, 0.8"/>
  <input name="weight" type="float" value="0.5"/>
  <output name="out" type="surfaceshader"/>
</nodedef>
<nodegraph name="NG_paint" nodedef="ND_paint">
  <separate2 name="two" type="multioutput">
    <input name="in" type="vector2" interfacename="shares"/>
  </separate2>
  <multiply name="tint" type="color3">
    <input name="in1" type="color3" interfacename="color"/>
    <input name="in2" type="float" nodename="two" output="outy"/>
  </multiply>
  <oren_nayar_diffuse_bsdf name="top" type="BSDF">
    <input name="color" type="color3" nodename="tint"/>
    <input name="weight" type="float" interfacename="weight"/>
  </oren_nayar_diffuse_bsdf>
  <surface name="S" type="surfaceshader">
    <input name="bsdf" type="BSDF" nodename="top"/>
  </surface>
  <output name="out" type="surfaceshader" nodename="S"/>
</nodegraph>
"""
BARE = """
<oren_nayar_diffuse_bsdf name="top" type="BSDF">
  <input name="color" type="color3" value="0.25, 0.5, 0.75"/>
</oren_nayar_diffuse_bsdf>
<surface name="S" type="surfaceshader"><input name="bsdf" type="BSDF" nodename="top"/></surface>
<output name="out" type="surfaceshader" nodename="S"/>
"""
CONSTANT = '<constant name="flat" type="{0}"><input name="value" type="{0}" {1}/></constant>'
PICTURE = '<image name="flat" type="{0}"><input name="file" type="filename" {1}/></image>'
THROUGH = {
    "color3": '<multiply name="color" type="color3"><input name="in1" type="color3" '
              'nodename="flat"/><input name="in2" type="float" value="1"/></multiply>',
    "vector3": '<convert name="color" type="color3"><input name="in" type="vector3" '
               'nodename="flat"/></convert>',
}  # fmt: skip
MATTE = """
<oren_nayar_diffuse_bsdf name="top" type="BSDF">
  <input name="color" type="color3" nodename="color"/>
</oren_nayar_diffuse_bsdf>
"""


def colored(node, kind, space):
    """Return a graph of a color that a node has in a color space."""
    value = 'value="a.png"' if node is PICTURE else 'value="0.25, 0.5, 0.75"'
    given = f'{value} colorspace="{space}"' if space else value
    return node.format(kind, given) + THROUGH[kind] + MATTE


def answers(gpu, reference):
    """Return f * cos of some pairs, and the cosines: [n, 3] and [n, 1]."""
    uv, wi, wo = upper_pairs(200)
    return ReferenceKernels(gpu, reference).eval(uv, wi, wo), wi[:, 2:]


@pytest.mark.parametrize("kind", ["normal", "vector", "point"])
@pytest.mark.parametrize("spaces", [("object", "world"), ("world", "model")])
def test_a_flat_surface_is_in_its_object_s_place(gpu, document, kind, spaces):
    wanted, _ = answers(gpu, load_materialx(document(BUMPY.format("", "bump"))))
    turned = BUMPY.format(TURNED.format(kind, *spaces), "turned")
    found, _ = answers(gpu, load_materialx(document(turned)))
    assert wanted.max() > 0.05
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-6)


def test_inputs_of_a_definition_are_what_it_says_they_are(gpu, document):
    found, cosine = answers(gpu, load_materialx(document(GRAPH, END), "NG_paint/out"))
    wanted = 0.5 * 0.8 * np.float32([0.25, 0.5, 0.75]) / math.pi * cosine
    np.testing.assert_allclose(found, wanted, rtol=1e-4)


def test_an_input_that_has_no_value_is_named(document, refusal, same_message):
    path = document(GRAPH.replace(' value="0.25, 0.5, 0.75"', ""), END)
    message = refusal(ConfigError, load_materialx, path, "NG_paint/out")
    same_message(message, f"{path}: NG_paint/out", "Give")


def test_a_surface_without_a_material_is_one(gpu, document):
    found, cosine = answers(gpu, load_materialx(document(BARE, END)))
    wanted = np.float32([0.25, 0.5, 0.75]) / math.pi * cosine
    np.testing.assert_allclose(found, wanted, rtol=1e-4)


@pytest.mark.parametrize("form", ["own", "document", "picture"])
def test_a_color_space_that_nobody_converts_is_refused(document, tmp_path, refusal, capfd, form):
    """MaterialX would say so on standard error, and leave the color as it is."""
    neuralshade.save_picture(tmp_path / "a.png", np.full((2, 2, 3), 0.5, np.float32), "srgb")
    space = "" if form == "document" else "ACES2065-1"
    path = document(colored(PICTURE if form == "picture" else CONSTANT, "color3", space))
    if form == "document":
        whole = path.read_text()
        path.write_text(whole.replace('colorspace="lin_rec709"', 'colorspace="ACES2065-1"'))
    name = "flat.file" if form == "picture" else "flat.value"
    assert refusal(ConfigError, load_materialx, path) == (
        f"{path}: {name}: got color space 'ACES2065-1', need one that MaterialX converts, such as "
        "srgb_texture, acescg or lin_rec709. Convert it."
    )
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("space, wanted", [
    ("", 0.5), ("raw", 0.5), ("none", 0.5), ("lin_rec709", 0.5), ("srgb_texture", 0.214041),
    ("gamma22", 0.5**2.2), ("g18_rec709", 0.5**1.8),
])  # fmt: skip
def test_color_spaces_are_obeyed(gpu, document, space, wanted):
    found, cosine = answers(gpu, load_materialx(document(colored(CONSTANT, "color3", space))))
    np.testing.assert_allclose(found[:, 1:2], wanted / math.pi * cosine, rtol=1e-4)


def test_vectors_have_no_color_space(gpu, document, tmp_path):
    neuralshade.save_picture(tmp_path / "a.png", np.full((2, 2, 3), 0.5, np.float32), "srgb")
    for node in (CONSTANT, PICTURE):
        text = colored(node, "vector3", "ACES2065-1")
        found, cosine = answers(gpu, load_materialx(document(text)))
        np.testing.assert_allclose(found[:, 1:2], 0.5 / math.pi * cosine, rtol=5e-3)


@pytest.mark.parametrize("element", ["M", "O"])
def test_a_surface_s_definition_may_take_a_picture(gpu, document, tmp_path, element):
    """Whose color space and borders are those that its use says, or its definition."""
    neuralshade.save_picture(tmp_path / "a.png", np.full((2, 2, 3), 0.5, np.float32), "linear")
    stored = neuralshade.load_picture(tmp_path / "a.png").as_float()[0, 0, 0]
    text = GRAPH.replace('name="weight" type="float" value="0.5"',
                         'name="file" type="filename" value=""')  # fmt: skip
    text = text.replace('<input name="weight" type="float" interfacename="weight"/>', "")
    text = text.replace(
        '<multiply name="tint" type="color3">',
        """<image name="i" type="color3">
      <input name="file" type="filename" interfacename="file"/></image>
    <multiply name="tint" type="color3">""",
    )
    text = text.replace('type="color3" interfacename="color"', 'type="color3" nodename="i"')
    path = document(text + """
        <paint name="P" type="surfaceshader">
          <input name="file" type="filename" value="a.png" colorspace="lin_rec709"/>
        </paint>""", (MATERIAL if element == "M" else OUTPUT).format("P") + END)  # fmt: skip
    reference = load_materialx(path, element)
    assert reference.element == element and reference.notes == ()
    found, cosine = answers(gpu, reference)
    np.testing.assert_allclose(found, 0.8 * stored / math.pi * np.repeat(cosine, 3, 1), rtol=1e-4)
