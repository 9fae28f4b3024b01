"""MaterialX documents as other programs spell them: coordinates, inputs, and pictures' names."""

import numpy as np
import pytest

import neuralshade
from neuralshade.errors import ConfigError
from neuralshade.kinds.material.references.materialx import load_materialx
from neuralshade.kinds.material.references.reference_bsdf import ReferenceKernels

pytest.importorskip("MaterialX", reason="has no wheel for this machine")

MATERIAL = """<surfacematerial name="M" type="material">
  <input name="surfaceshader" type="surfaceshader" nodename="S"/>{}
</surfacematerial>
</materialx>"""
MATTE = """
<oren_nayar_diffuse_bsdf name="top" type="BSDF">
  <input name="color" type="color3" nodename="c"/>
</oren_nayar_diffuse_bsdf>
"""
COORDINATES = """
<separate2 name="two" type="multioutput"><input name="in" type="vector2" nodename="g"/></separate2>
<combine3 name="c" type="color3">
  <input name="in1" type="float" nodename="two" output="outx"/>
  <input name="in2" type="float" nodename="two" output="outy"/>
</combine3>
"""
GIVEN = '<input name="{}" type="string" value="{{1}}"/>'
READ = f'<geompropvalue name="g" type="{{0}}">{GIVEN.format("geomprop")}</geompropvalue>'
USD = f'<UsdPrimvarReader name="g" type="{{0}}">{GIVEN.format("varname")}</UsdPrimvarReader>'
THREE = '<convert name="c" type="color3"><input name="in" type="vector3" nodename="g"/></convert>'
IMAGE = '<image name="c" type="color3"><input name="file" type="filename" value="{}"/></image>'


def head_on(gpu, path, uv):
    up = np.tile(np.float32([[0, 0, 1]]), (len(uv), 1))
    return ReferenceKernels(gpu, load_materialx(path)).eval(uv, up, up) * np.pi


@pytest.mark.parametrize("nodes", [
    READ.format("vector2", "st") + COORDINATES, READ.format("vector2", "UVMap") + COORDINATES,
    USD.format("vector2", "st") + COORDINATES, READ.format("vector3", "uv") + THREE,
    '<nodegraph name="N"><input name="name" type="string" value="st"/>'
    + USD.format("vector2", "").replace('value=""', 'interfacename="name"')
    + COORDINATES + '<output name="out" type="color3" nodename="c"/></nodegraph>'
    '<dot name="c" type="color3"><input name="in" type="color3" nodegraph="N"/></dot>',
], ids=["geompropvalue", "Blender", "USD", "Houdini", "interface"])  # fmt: skip
def test_texture_coordinates_are_read_by_a_mesh_s_name(gpu, document, nodes):
    uv = np.random.default_rng(0).random((50, 2), np.float32)
    wanted = np.stack([uv[:, 0], 1 - uv[:, 1], np.zeros(50)], 1)
    np.testing.assert_allclose(head_on(gpu, document(nodes + MATTE), uv), wanted, atol=1e-5)


@pytest.mark.parametrize("name", [
    "uv", "map1", "st0", "UV0", "st_0", "TEXCOORD_0", "texcoord", "primvars:st", "UVSet0",
])  # fmt: skip
def test_the_first_coordinate_has_many_names(document, name):
    for reader in (READ, USD):
        load_materialx(document(reader.format("vector2", name) + COORDINATES + MATTE))


@pytest.mark.parametrize("name", ["st1", "UVMap.001", "displayColor", "map2", ""])
def test_other_data_of_a_mesh_is_refused_by_its_name(document, refusal, name):
    for reader, category in ((READ, "geompropvalue"), (USD, "UsdPrimvarReader")):
        path = document(reader.format("vector2", name) + COORDINATES + MATTE)
        assert refusal(ConfigError, load_materialx, path) == (
            f"{path}: g ({category}) reads {name!r} of a mesh, need a surface of pictures, "
            "positions and the first texture coordinate alone. Bake it to a picture."
        )


def surface(inputs, model="standard_surface", more=""):
    return f'<{model} name="S" type="surfaceshader">{inputs}</{model}>' + MATERIAL.format(more)


DULL = """<input name="base" type="float" value="1"/><input name="specular" type="float" value="0"/>
"""
COLOR = '<input name="{}" type="color3" value="0.2, 0.4, 0.6"/>'


@pytest.mark.parametrize("name", ["baseColor", "basecolor", "Base_Color"])
def test_an_input_of_nearly_its_name_is_taken(gpu, document, name):
    path = document("", surface(DULL + COLOR.format(name)))
    assert load_materialx(path).notes == (f"S.{name} is taken as base_color.",)
    found = head_on(gpu, path, np.float32([[0.5, 0.5]]))
    np.testing.assert_allclose(found, [[0.2, 0.4, 0.6]], atol=1e-4)


def test_other_inputs_are_offered_one_or_left_out(document, refusal):
    path = document("", surface(COLOR.format("base_colour")))
    said = refusal(ConfigError, load_materialx, path)
    assert said.startswith(f"{path}: S.base_colour: got an input that standard_surface has not, ")
    assert said.endswith("Take it out. Did you mean base_color?")
    path = document("", surface('<input name="zzz" type="integer" value="0"/>'))
    assert load_materialx(path).notes == ("S.zzz is left out: standard_surface has no such input.",)


def test_inputs_without_a_value_have_their_default(gpu, document):
    path = document("", surface(DULL + '<input name="base_color" type="color3"/>'))
    assert load_materialx(path).notes == ("S.base_color has no value, its default is taken.",)
    found = head_on(gpu, path, np.float32([[0.5, 0.5]]))
    np.testing.assert_allclose(found, 0.8, atol=1e-4)


def test_a_connection_goes_before_a_value(gpu, document):
    value = '<input name="value" type="color3" value="0.1, 0.2, 0.3"/>'
    nodes = f'<constant name="k" type="color3">{value}</constant>'
    both = '<input name="base_color" type="color3" value="1, 1, 1" nodename="k"/>'
    path = document(nodes, surface(DULL + both))
    assert load_materialx(path).notes == (
        "S.base_color has a value and a connection, of which the connection is taken.",
    )
    found = head_on(gpu, path, np.float32([[0.5, 0.5]]))
    np.testing.assert_allclose(found, [[0.1, 0.2, 0.3]], atol=1e-4)


def test_many_such_inputs_are_counted(document):
    names = ("base_color", "specular_color", "coat_color", "sheen_color", "emission_color",
             "opacity")  # fmt: skip
    empty = "".join(f'<input name="{name}" type="color3"/>' for name in names)
    notes = load_materialx(document("", surface(empty))).notes
    assert len(notes) == 5 and notes[-1] == "As do 2 more inputs."


def write(path, color):
    path.parent.mkdir(parents=True, exist_ok=True)
    neuralshade.save_picture(path, np.full((2, 2, 3), color, np.float32), "linear")


@pytest.mark.parametrize("name, noted", [
    ("textures\\Base.png", True), ("textures/base.PNG", True), ("Textures\\base.png", True),
    ("./textures/Base.png", False),
])  # fmt: skip
def test_a_picture_of_nearly_its_name_is_taken(document, tmp_path, name, noted):
    write(tmp_path / "textures" / "Base.png", 0.5)
    notes = load_materialx(document(IMAGE.format(name) + MATTE)).notes
    assert notes == ((f"c: {name!r} is not there, 'textures/Base.png' is taken.",) if noted else ())


def test_of_two_pictures_of_nearly_a_name_none_is_taken(document, tmp_path, refusal):
    write(tmp_path / "a.png", 0.5)
    write(tmp_path / "A.png", 0.5)
    if not (tmp_path / "a.png").exists() or (tmp_path / "a.PNG").exists():
        pytest.skip("the file system takes names of any case")
    path = document(IMAGE.format("a.PNG") + MATTE)
    assert "got 'a.PNG', which is not there" in refusal(ConfigError, load_materialx, path)


def test_a_path_of_another_machine_offers_what_is_here(document, tmp_path, refusal):
    write(tmp_path / "textures" / "Base.png", 0.5)
    path = document(IMAGE.format("D:\\work\\textures\\Base.png") + MATTE)
    said = refusal(ConfigError, load_materialx, path)
    assert said.endswith("Base.png. Did you mean textures/Base.png?")


@pytest.mark.parametrize("prefix", ["", "textures/"])
def test_pictures_of_an_included_document_lie_beside_it(gpu, document, tmp_path, prefix):
    write(tmp_path / "lib" / "textures" / "a.png", 0.25)
    stored = neuralshade.load_picture(tmp_path / "lib" / "textures" / "a.png").as_float()[0, 0, 0]
    (tmp_path / "lib" / "pat.mtlx").write_text(
        '<materialx version="1.39" colorspace="lin_rec709">'
        f'<nodegraph name="N" fileprefix="{prefix}">'
        + IMAGE.format("a.png" if prefix else "textures/a.png").replace('"c"', '"i"')
        + '<output name="out" type="color3" nodename="i"/></nodegraph></materialx>')  # fmt: skip
    include = '<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="lib/pat.mtlx"/>'
    seen = '<dot name="c" type="color3"><input name="in" type="color3" nodegraph="N"/></dot>'
    path = document(include + seen + MATTE)
    found = head_on(gpu, path, np.float32([[0.5, 0.5]]))
    np.testing.assert_allclose(found, stored, atol=1e-4)
    write(tmp_path / "textures" / "a.png", 1)  # what lies beside the file that includes is another
    np.testing.assert_allclose(head_on(gpu, path, np.float32([[0.5, 0.5]])), stored, atol=1e-4)


def test_what_only_displacement_reads_does_not_matter(gpu, document):
    nodes = (
        IMAGE.format("disp.&lt;UDIM&gt;.png").replace("color3", "float")
        + """
    <time name="t" type="float"/><add name="d" type="float">
      <input name="in1" type="float" nodename="c"/><input name="in2" type="float" nodename="t"/>
    </add>
    <displacement name="D" type="displacementshader">
      <input name="displacement" type="float" nodename="d"/></displacement>"""
    )
    more = '<input name="displacementshader" type="displacementshader" nodename="D"/>'
    path = document(nodes, surface(DULL + COLOR.format("base_color"), more=more))
    assert load_materialx(path).notes == ("Displacement is left out: the surface is flat.",)
    found = head_on(gpu, path, np.float32([[0.5, 0.5]]))
    np.testing.assert_allclose(found, [[0.2, 0.4, 0.6]], atol=1e-4)


def test_angles_in_degrees_are_no_lengths(gpu, document):
    half = """<texcoord name="t" type="vector2"/><multiply name="g" type="vector2">
      <input name="in1" type="vector2" nodename="t"/>
      <input name="in2" type="float" value="0.5" unit="degree" unittype="angle"/></multiply>"""
    found = head_on(gpu, document(half + COORDINATES + MATTE), np.float32([[0.5, 0.5]]))
    np.testing.assert_allclose(found, [[0.25, 0.25, 0]], atol=1e-5)
