"""Closures that let light through a MaterialX surface, in what definitions expand to, too."""

import pytest

from neuralshade.errors import ConfigError
from neuralshade.kinds.material.references.materialx import load_materialx

pytest.importorskip("MaterialX", reason="has no wheel for this machine")

MATERIAL = """<{0} name="S" type="surfaceshader">{1}</{0}>
<surfacematerial name="M" type="material">
  <input name="surfaceshader" type="surfaceshader" nodename="S"/>
</surfacematerial>
</materialx>"""
PICTURE = """<fractal2d name="n" type="float"/>
<fractal2d name="n2" type="float"/>"""
NEED = "need a surface that reflects, of nodes that have Slang. Take it out."
THIN = ("thin_walled", "boolean", "true")
OPEN_THIN = ("geometry_thin_walled", "boolean", "true")


def given(name, kind, value):
    if value == "n":
        return f'<input name="{name}" type="{kind}" nodename="n"/>'
    return f'<input name="{name}" type="{kind}" value="{value}"/>'


@pytest.mark.parametrize("model, inputs, said", [
    ("standard_surface", [("subsurface", "float", 0.5), THIN], "subsurface, thin_walled"),
    ("standard_surface", [("subsurface", "float", "n"), THIN], "subsurface, thin_walled"),
    ("standard_surface", [("subsurface", "float", 0), THIN], None),
    ("standard_surface", [("subsurface", "float", 1)], None),
    ("standard_surface", [("subsurface", "float", 1), ("metalness", "float", 1), THIN], None),
    ("standard_surface", [("transmission", "float", 1)], "transmission"),
    ("standard_surface", [("transmission", "float", "n")], "transmission"),
    ("standard_surface", [("transmission", "float", 1), ("metalness", "float", 1)], None),
    ("open_pbr_surface", [("subsurface_weight", "float", 1), OPEN_THIN],
     "geometry_thin_walled, subsurface_weight"),
    ("open_pbr_surface", [OPEN_THIN], None),
    ("open_pbr_surface", [("transmission_weight", "float", 0.1)], "transmission_weight"),
    ("gltf_pbr", [("transmission", "float", 1), ("metallic", "float", 0)], "transmission"),
    ("gltf_pbr", [("transmission", "float", 1)], None),  # a metal, by default
    ("disney_principled", [("specTrans", "float", 0.5)], "specTrans"),
    ("disney_principled", [("specTrans", "float", 0)], None),
])  # fmt: skip
def test_shading_models_that_let_light_through_are_refused_by_inputs(
    document, refusal, model, inputs, said
):  # fmt: skip
    text = MATERIAL.format(model, "".join(given(*one) for one in inputs))
    path = document(PICTURE, text)
    if said is None:
        assert load_materialx(path).notes == ()
        return
    assert refusal(ConfigError, load_materialx, path) == (
        f"{path}: S ({model}) lets light through ({said}), {NEED}"
    )


LEAF = '<translucent_bsdf name="leaf" type="BSDF">{}</translucent_bsdf>'
MIXED = (
    LEAF.format("")
    + """
<burley_diffuse_bsdf name="matte" type="BSDF"/>
<mix name="top" type="BSDF">
  <input name="fg" type="BSDF" nodename="leaf"/><input name="bg" type="BSDF" nodename="matte"/>
  {}
</mix>"""
)
COVERED = """<burley_diffuse_bsdf name="matte" type="BSDF"/><LamaDielectric name="g" type="BSDF"/>
<layer name="top" type="BSDF">
  <input name="top" type="BSDF" nodename="g"/><input name="base" type="BSDF" nodename="matte"/>
</layer>"""


@pytest.mark.parametrize("nodes, said", [
    (LEAF.format("").replace("leaf", "top"), "top (translucent_bsdf)"),
    (LEAF.format(given("weight", "float", 0)).replace("leaf", "top"), None),
    (LEAF.format(given("color", "color3", "0, 0, 0")).replace("leaf", "top"), None),
    (MIXED.format(given("mix", "float", 0.3)), "leaf (translucent_bsdf)"),
    (MIXED.format(given("mix", "float", "n")), "leaf (translucent_bsdf)"),
    (MIXED.format(given("mix", "float", 0)), None),
    ('<LamaTranslucent name="top" type="BSDF"/>', "top (LamaTranslucent)"),
    ('<LamaDielectric name="top" type="BSDF"/>', "top (LamaDielectric)"),
    ('<LamaIridescence name="top" type="BSDF"/>', "top (LamaIridescence)"),
    ('<LamaSSS name="top" type="BSDF"/>', None),
    (COVERED, None),
])  # fmt: skip
def test_closures_that_let_light_through_are_refused_where_they_are_seen(
    document, refusal, nodes, said
):  # fmt: skip
    path = document(PICTURE + nodes)
    if said is None:
        assert load_materialx(path).notes == ()
    else:
        assert f": {said} lets light through (" in refusal(ConfigError, load_materialx, path)


def test_a_definition_of_the_document_s_own_is_refused_by_its_node(document, refusal):
    own = f"""<nodedef name="ND_u" node="leafy"><input name="thin" type="boolean" value="false"/>
      <output name="out" type="surfaceshader"/></nodedef>
    <nodegraph name="NG_u" nodedef="ND_u">
      <standard_surface name="s" type="surfaceshader">{given("subsurface", "float", 1)}
        <input name="thin_walled" type="boolean" interfacename="thin"/></standard_surface>
      <output name="out" type="surfaceshader" nodename="s"/>
    </nodegraph>"""
    path = document(own, MATERIAL.format("leafy", given("thin", "boolean", "true")))
    said = refusal(ConfigError, load_materialx, path)
    assert said == (f"{path}: NG_u/s (standard_surface) lets light through (subsurface, "
                    f"thin_walled), {NEED}")  # fmt: skip
    load_materialx(document(own, MATERIAL.format("leafy", "")))


def test_presence_of_lama_is_an_opacity(document):
    nodes = """<LamaDiffuse name="d" type="BSDF"/><LamaSurface name="L" type="material">
      <input name="materialFront" type="BSDF" nodename="d"/>
      <input name="presence" type="float" value="0.5"/></LamaSurface></materialx>"""
    reference = load_materialx(document("", nodes))
    assert reference.element == "L"
    assert reference.notes == ("L: what is behind it is left out: opacity darkens it alone.",)


def test_a_normal_of_zero_is_refused_by_the_input(document, refusal, same_message):
    zero = given("normal", "vector3", "0, 0, 0")
    path = document("", MATERIAL.format("UsdPreviewSurface", zero))
    message = refusal(ConfigError, load_materialx, path)
    same_message(message, f"{path}: S (UsdPreviewSurface)", "Leave")
    constant = f'<constant name="n" type="vector3">{zero.replace("normal", "value")}</constant>'
    path = document(constant, MATERIAL.format("UsdPreviewSurface", given("normal", "vector3", "n")))
    assert "got normal of 0, 0, 0" in refusal(ConfigError, load_materialx, path)
    up = given("normal", "vector3", "0, 0, 1")
    load_materialx(document("", MATERIAL.format("UsdPreviewSurface", up)))
    read = MATERIAL.format("standard_surface", given("normal", "vector3", "n"))
    assert load_materialx(document(constant, read)).notes == (
        "S: normal is 0, 0, 0, which is no direction: what it shades may be black.",
    )
