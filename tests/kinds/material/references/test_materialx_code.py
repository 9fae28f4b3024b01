"""kinds/material/references/materialx_code: a document is data, unless its user trusts its code."""

import pytest

from neuralshade.errors import ConfigError
from neuralshade.kinds.material.references.materialx import load_materialx
from neuralshade.kinds.material.references.materialx_code import files_of

pytest.importorskip("MaterialX", reason="has no wheel for this machine")

TOP = """
<oren_nayar_diffuse_bsdf name="top" type="BSDF">
  <input name="weight" type="float" nodename="w"/>
</oren_nayar_diffuse_bsdf>
"""
DEFINED = '<nodedef name="ND_own" node="own"><output name="out" type="float"/></nodedef>'
OWN = DEFINED + '{}<own name="w" type="float"/>' + TOP
IMPLEMENTED = '<implementation name="IM_own" nodedef="ND_own" {}/>'
POINTER = 'sourcecode="float(*((uint*)uint64_t(16)))"'
# A definition whose graph is a constant: MaterialX takes its first input for the value.
FOLDED = """
<nodedef name="ND_own" node="own">
  <input name="in" type="{type}" value="{value}"/>
  <output name="out" type="float"/>
</nodedef>
<nodegraph name="NG_own" nodedef="ND_own">
  <constant name="c" type="float"/>
  <output name="out" type="float" nodename="c"/>
</nodegraph>
<own name="w" type="float"/>
"""


@pytest.mark.parametrize("attributes", [
    f'target="genslang" {POINTER}', f'target="genglsl" {POINTER}', f'target="genmdl" {POINTER}',
    POINTER, 'target="genslang" file="/etc/passwd" function="x"',
    'target="genslang" file="../../../../etc/passwd"', 'target="genslang" file="own.slang"',
    'target="genslang" function="x(); //"',
    'target="genslang" file="stdlib/genglsl/lib/mx_math.glsl" function="x"',
])  # fmt: skip
def test_code_asks_for_trust(document, refusal, attributes, same_message):
    path = document(OWN.format(IMPLEMENTED.format(attributes)))
    same_message(refusal(ConfigError, load_materialx, path), path, "--trust")


def test_code_that_is_included_or_in_place_of_a_library_s_asks_too(document, refusal):
    code = IMPLEMENTED.format(POINTER)
    document(DEFINED + code, "</materialx>", "own.mtlx")
    include = '<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="own.mtlx"/>'
    path = document(f'{include}<own name="w" type="float"/>{TOP}', name="whole.mtlx")
    assert "implementation IM_own" in refusal(ConfigError, load_materialx, path)
    added = code.replace("ND_own", "ND_add_float")
    path = document(f'{added}<add name="w" type="float"/>{TOP}')
    assert "implementation IM_own" in refusal(ConfigError, load_materialx, path)
    path = document(f'<nodegraph name="N">{code}</nodegraph><add name="w" type="float"/>{TOP}')
    assert "code of its own" in refusal(ConfigError, load_materialx, path)


def test_an_implementation_by_a_graph_is_no_code(document):
    graph = """<nodegraph name="NG_own"><add name="a" type="float"/>
    <output name="out" type="float" nodename="a"/></nodegraph>"""
    path = document(OWN.format(graph + IMPLEMENTED.format('nodegraph="NG_own"')))
    assert load_materialx(path).parameters == ("w_out",)


@pytest.mark.parametrize("value", [
    "float(*((uint*)uint64_t(16)))", "0); spirv_asm { }; (0", "0); $lights x(", "0;&#10;#include",
])  # fmt: skip
@pytest.mark.parametrize("kind", ["string", "geomname", "stringarray", "color3array",
                                  "BSDF", "material", "none", "unheard_of"])  # fmt: skip
def test_values_that_would_be_code(document, refusal, kind, value):
    path = document(FOLDED.format(type=kind, value=value) + TOP)
    message = refusal(ConfigError, load_materialx, path)
    assert message.startswith(f"{path}: ND_own/in: got value ")
    assert message.endswith(", which would be run as code, need a value. Change it.")


def test_values_of_a_type_of_the_document_s_own(document, refusal):
    path = document('<typedef name="odd"/>' + FOLDED.format(type="odd", value="x()") + TOP)
    assert "which would be run as code" in refusal(ConfigError, load_materialx, path)


def test_a_picture_s_name_with_a_prefix_and_a_token_does_not_become_code(document):
    """What takes a picture is written out before the generator sees it."""
    folded = FOLDED.format(type="filename", value="[t]16)").replace(
        "<nodedef", '<nodedef fileprefix="float("'
    )
    token = '<token name="t" type="string" value="1+"/>'
    folded = folded.replace("<output", token + "<output", 1)
    text = load_materialx(document(folded + TOP)).text
    assert "float(1+" not in text and "16)" not in text


@pytest.mark.parametrize("value", ["0.25", "-1.5", "M_PI"])
def test_values_that_are_harmless_wherever_they_are_written(document, value):
    load_materialx(document(FOLDED.format(type="string", value=value) + TOP))


def test_names_may_be_odd_and_texts_that_are_not_written_out_too(document):
    named = '<add name="Ptr" type="float" doc="(*) float(*p); &quot;#&quot;" uiname="a; b()"/>'
    add = '<add name="w" type="float"><input name="in1" type="float" nodename="Ptr"/></add>'
    load_materialx(document(named + add + TOP))


def test_elements_that_materialx_does_not_know_are_passed_over(document):
    load_materialx(
        document(
            f'<add name="w" type="float">'
            f'<parameter name="o" type="string" value="a; b()"/></add>{TOP}'
        )
    )


def test_files_that_a_document_names(document, tmp_path):
    from MaterialX import createDocument, readFromXmlFile

    (tmp_path / "maps").mkdir()
    (tmp_path / "maps/a.png").write_bytes(b"picture")
    image = '<image name="w" type="float"><input name="file" type="filename" value="{}"/></image>'
    path = document(image.format("a.png").replace("<image", '<image fileprefix="maps/"')
                    + image.format("no.png").replace('"w"', '"v"') + TOP)  # fmt: skip
    found = createDocument()
    readFromXmlFile(found, str(path))
    assert files_of(found, path)[0] == str(tmp_path / "maps/a.png")
    assert str(tmp_path / "no.png") not in files_of(found, path)
