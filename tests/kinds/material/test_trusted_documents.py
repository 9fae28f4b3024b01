"""kinds/material: code of a document runs on every road where it is trusted, and on none else."""

import pytest

import neuralshade
from neuralshade.cli.main import main
from neuralshade.errors import ConfigError

pytest.importorskip("MaterialX", reason="has no wheel for this machine")

NODES = """
<nodedef name="ND_own" node="own"><output name="out" type="float"/></nodedef>
{}
<own name="w" type="float"/>
<oren_nayar_diffuse_bsdf name="top" type="BSDF">
  <input name="weight" type="float" nodename="w"/>
</oren_nayar_diffuse_bsdf>
"""
CODE = '<implementation name="IM_own" nodedef="ND_own" target="genslang" sourcecode="{}"/>'
GRAPH = """<nodegraph name="NG_own" nodedef="ND_own"><add name="n" type="float">
<input name="in1" type="float" value="0.75"/></add>
<output name="out" type="float" nodename="n"/></nodegraph>"""
REFUSED = "got a document with code of its own (implementation IM_own), need your word"


@pytest.fixture
def fitted(device, document, tmp_path, monkeypatch):
    """Give an asset of a document without code, into which code is written then."""
    monkeypatch.chdir(tmp_path)
    path = document(NODES.format(GRAPH))
    neuralshade.fit_material(path, "x.nsh", size=8, steps=20)
    document(NODES.format(CODE.format("0.25 + 0.5")))
    return path


def roads(path, **named):
    """Yield calls that read the document beside the asset."""
    look = {"size": (4, 4), "show": "given:sphere", "reference": path}
    yield lambda: neuralshade.fit_material(path, "y.nsh", size=8, steps=20, **named)
    yield lambda: neuralshade.fit_materials([path], "all", size=8, steps=20, **named)
    yield lambda: neuralshade.render("x.nsh", **look, **named)
    yield lambda: neuralshade.evaluate("x.nsh", path, **named)
    yield lambda: neuralshade.report("x.nsh", path, "x.html", **named)
    yield lambda: neuralshade.render_scene("x.nsh", size=(4, 4), samples=1, show="given",
                                           reference=path, **named)  # fmt: skip


@pytest.mark.slow
def test_no_road_runs_it_unasked(fitted, refusal):
    for road in roads(fitted):
        assert REFUSED in refusal(ConfigError, road)


@pytest.mark.slow
def test_trusted_it_is_fitted_and_drawn(fitted):
    named = {"trust": True}
    calls = list(roads(fitted, **named))
    calls[0]()
    assert calls[2]().shape == (4, 4, 3)
    assert calls[5]().shape == (4, 4, 3)


@pytest.mark.slow
def test_a_pointer_ends_no_process(fitted, document, capsys):
    document(NODES.format(CODE.format("float(*((uint*)uint64_t(16)))")))
    words = ["fit", "material", str(fitted), "-o", "z.nsh", "--size", "8", "--steps", "20"]
    for trust, message in ([], REFUSED), (["--trust"], "got code that computes with addresses"):
        with pytest.raises(SystemExit) as left:
            main([*words, *trust])
        assert left.value.code == 1 and message in capsys.readouterr().err
