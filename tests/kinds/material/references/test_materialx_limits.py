"""kinds/material/references/materialx_limits: documents without an end are one line."""

import subprocess
import sys

import pytest

from neuralshade.errors import ConfigError
from neuralshade.kinds.material.references.sources import load_reference

pytest.importorskip("MaterialX", reason="has no wheel for this machine")

TOP = """
<oren_nayar_diffuse_bsdf name="top" type="BSDF">
  <input name="weight" type="float" nodename="w"/>
</oren_nayar_diffuse_bsdf>
"""
OUT = '<output name="out" type="float"/>'


def defined(name, nodes, attributes=""):
    """Return a definition, and the graph of nodes that it stands for; the last one is its value."""
    listed = "".join(f'<{node} name="n{i}" type="float"/>' for i, node in enumerate(nodes))
    listed += f'<output name="out" type="float" nodename="n{len(nodes) - 1}"/>'
    declared = f'<nodedef name="ND_{name}" node="{name}" {attributes}>{OUT}</nodedef>'
    return f'{declared}<nodegraph name="NG_{name}" nodedef="ND_{name}">{listed}</nodegraph>'


def uses(name):
    return f'<{name} name="w" type="float"/>{TOP}'


INSIDE = "got a definition inside itself, need one of other nodes. Change it."
CIRCLE = "need one that ends. Cut it."


@pytest.mark.parametrize("nodes, message", [
    (defined("a", ["a"]) + uses("a"), f"ND_a: {INSIDE}"),
    (defined("a", ["b"]) + defined("b", ["constant", "a"]) + uses("b"), INSIDE),
    (f'<nodedef name="ND_a" node="a">{OUT}</nodedef><nodegraph name="G"><a name="n" type="float"/>'
     '<output name="out" type="float" nodename="n"/></nodegraph>'
     '<implementation name="I" nodedef="ND_a" nodegraph="G"/>' + uses("a"), f"ND_a: {INSIDE}"),
    (defined("a", ["add"], 'inherit="ND_a"') + uses("a"),
     f"ND_a: got inherit in a circle (ND_a -> ND_a), {CIRCLE}"),
    (defined("a", ["add"], 'inherit="ND_b"') + defined("b", ["add"], 'inherit="ND_a"') + uses("a"),
     f"ND_a: got inherit in a circle (ND_a -> ND_b -> ND_a), {CIRCLE}"),
    ('<standard_surface name="S2" type="surfaceshader" inherit="S2"/>' + uses("add"), CIRCLE),
    ('<targetdef name="t" inherit="t"/>' + uses("add"), CIRCLE),
    ('<nodegraph name="G" inherit="G"/>' + uses("add"), CIRCLE),
    (defined("d0", ["add"]) + "".join(defined(f"d{i}", [f"d{i - 1}"] * 2) for i in range(1, 30))
     + uses("d29"), "nodes, those inside written out, need 20,000 at most. Bake a part of it to a "
     "picture."),
    ('<fractal3d name="w" type="float"><input name="octaves" type="integer" value="100000"/>'
     f"</fractal3d>{TOP}", "w/octaves: got '100000', need 64 octaves at most. Change it."),
])  # fmt: skip
def test_what_has_no_end(document, refusal, nodes, message):
    path = document(nodes)
    told = refusal(ConfigError, load_reference, path)
    assert told.startswith(f"{path}: ") and message in told


def test_a_process_does_not_end_of_one(document):
    """As the process itself would say, which MaterialX's stack overflow ended."""
    path = document(defined("a", ["a"]) + uses("a"))
    load = f"try: load_reference({str(path)!r})\nexcept ValueError as error: print(error)"
    text = f"from neuralshade.kinds.material.references.sources import load_reference\n{load}"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
    assert done.returncode == 0 and INSIDE in done.stdout


def test_more_elements_than_one_has(document, refusal, monkeypatch):
    from neuralshade.kinds.material.references import materialx_limits

    monkeypatch.setattr(materialx_limits, "MOST_ELEMENTS", 6)
    assert "got more than 6 elements, need fewer." in refusal(
        ConfigError, load_reference, document(uses("add"))
    )


def test_definitions_of_the_same_node_for_other_types_are_no_circle(document):
    """As MaterialX's own library has them: of color3 by three of float, say."""
    one = defined("a", ["add"])
    other = one.replace("_a", "_a3").replace('type="float"', 'type="color3"')
    load_reference(document(one + other + uses("a")))


@pytest.mark.parametrize("octaves", ["64", "3"])
def test_octaves_within_the_limit(document, octaves):
    load_reference(document('<fractal3d name="w" type="float"><input name="octaves" type="integer" '
                          f'value="{octaves}"/></fractal3d>{TOP}'))  # fmt: skip


@pytest.mark.parametrize("name", ["a" * 5000 + ".png", "a/" * 3000 + "b.png", "a" * 300 + ".png"])
def test_names_that_are_too_long_for_a_file_system(document, refusal, name):
    path = document('<image name="w" type="float"><input name="file" type="filename" '
                    f'value="{name}"/></image>{TOP}')  # fmt: skip
    message = refusal(ConfigError, load_reference, path)
    assert message.startswith(f"{path}: ") and "\n" not in message


LONG = ["a" * 5000 + ".mtlx", "a" * 300 + ".toml", "a" * 5000, "a" * 300 + ".slang",
        "a" * 300 + ".json", "a\0b.mtlx"]  # fmt: skip


@pytest.mark.parametrize("name", LONG)
def test_materials_whose_own_names_are_too_long(refusal, tmp_path, name):
    with pytest.raises(ValueError, match="got"):
        load_reference(tmp_path / name)


def test_what_materialx_itself_raises_is_one_line(document, refusal):
    path = document('<typedef name="ev"><member name="x" type="float" value="y)"/></typedef>'
                    '<nodedef name="ND_a" node="a"><input name="x" type="ev" value=""/>'
                    f'{OUT}</nodedef><nodegraph name="NG_a" nodedef="ND_a"><add name="n" '
                    'type="float"/><output name="out" type="float" nodename="n"/></nodegraph>'
                    '<a name="w" type="float"><input name="x" type="ev" value="{1;2}"/></a>'
                    + TOP)  # fmt: skip
    assert refusal(ConfigError, load_reference, path).startswith(f"{path}: ")


def test_numbers_that_begin_as_such(document):
    value = '<input name="value" type="float" value="0.5; x()"/>'
    load_reference(document(f'<constant name="w" type="float">{value}</constant>{TOP}'))


@pytest.mark.slow  # a few seconds; what was quadratic took minutes
def test_a_chain_of_thousands_of_nodes(document):
    ends = ['<texcoord name="uv" type="vector2"/><extract name="n0" type="float">'
            '<input name="in" type="vector2" nodename="uv"/></extract>']  # fmt: skip
    link = ('<add name="n{}" type="float"><input name="in1" type="float" nodename="n{}"/>'
            '<input name="in2" type="float" value="0.001"/></add>')  # fmt: skip
    links = [link.format(i, i - 1) for i in range(1, 3001)]
    last = TOP.replace('"w"', '"n3000"')
    assert load_reference(document("".join(ends + links) + last)).parameters == ("n3000_out",)
