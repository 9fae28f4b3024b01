"""examples/own_shader and docs/slang-library.md: what a shader author is shown works."""

import importlib.util
import pathlib
import re
import sys

import numpy as np
import pytest

import neuralshade
from neuralshade.loss.pointwise import LOSSES, slang_loss
from neuralshade.model.activation import ACTIVATIONS
from neuralshade.model.activation import slang_name as activation_name
from neuralshade.model.registry import ENCODINGS, build_encoding

ROOT = pathlib.Path(__file__).parents[2]
PAGE = (ROOT / "docs/slang-library.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture(scope="module")
def example():
    pytest.importorskip("slangpy")
    spec = importlib.util.spec_from_file_location("own_shader", ROOT / "examples/own_shader.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def fitted(example, tmp_path_factory):
    """Give an asset of 37 x 21 pixels, neither side a multiple of a thread group's."""
    asset = tmp_path_factory.mktemp("fitted") / "marble.nsh"
    texture = neuralshade.picture_from_array(example.marble(37)[:21])
    neuralshade.fit_image(texture, asset, steps=200, **example.NETWORK)
    return asset


def test_the_shader_draws_what_render_draws(example, device, fitted):
    opened = neuralshade.load(fitted)
    drawn, wanted = example.draw(device, opened.field, opened.size), neuralshade.render(fitted)
    assert wanted.std() > 0.05  # else anything would do
    # float32 sums of up to 32 products of numbers below 10
    np.testing.assert_allclose(drawn[..., :3], wanted, atol=1e-5)
    np.testing.assert_array_equal(drawn[..., 3], 1.0)


def test_the_example_runs_from_fit_to_picture(example, device, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["own_shader.py", "--seconds", "0.2"])
    example.main()
    told = re.fullmatch(r"(\S+): maximum difference (\S+)\n", capsys.readouterr().out)
    assert float(told[2]) < 1e-5
    shown = neuralshade.load_picture(tmp_path / told[1]).as_float()
    wanted = neuralshade.render(tmp_path / "out/marble.nsh")
    np.testing.assert_allclose(shown, wanted, atol=0.51 / 255)  # rounded to 8 bits


def test_an_asset_of_another_network_is_refused(example, device, tmp_path):
    texture = neuralshade.picture_from_array(example.marble(8))
    settings = {**example.NETWORK, "hidden_width": 8}
    neuralshade.fit_image(texture, tmp_path / "a.nsh", steps=1, **settings)
    with pytest.raises(neuralshade.ConfigError) as refused:
        example.draw(device, neuralshade.load(tmp_path / "a.nsh").field, (8, 8))
    need = "MLP<16, 3, 2, 8, true, LeakyRelu, Sigmoid>"
    assert str(refused.value) == (
        f"own_shader.slang: got other types, need {need}. Write it there."
    )


def test_the_page_shows_the_example(example):
    assert example.SHADER.read_text() == blocks("slang")[0]
    assert len(blocks("slang")) == 3  # each is compiled below


@pytest.mark.parametrize(
    "call", ["texture_srgb(0.5f)", "gradient_srgb(0.5f)", "add_gradients_of(0.5f, 1.0f)"]
)
def test_the_slang_of_the_page_compiles(device, call):
    name = call.partition("(")[0]
    (block,) = (block for block in blocks("slang") if name in block)
    source = f'{block}\n[shader("compute")] [numthreads(1, 1, 1)] void see() {{ {call}; }}\n'
    module = device.load_module_from_source(f"page_{name}", source)
    device.create_compute_kernel(device.link_program([module], [module.entry_point("see")]))


def test_the_python_of_the_page_runs(example, fitted, monkeypatch, capsys):
    monkeypatch.chdir(fitted.parent)
    names: dict[str, object] = {}
    for block in blocks("python"):
        exec(block, names)  # in order, as a reader would
    shader = example.SHADER.read_text()
    printed = [line for line in capsys.readouterr().out.splitlines() if line]
    assert len(printed) == 5 and all(f"{line}\n" in shader for line in printed)
    np.testing.assert_array_equal(names["words"], example.pack(neuralshade.load(fitted).field))


def test_the_page_names_everything_there_is(rng):
    for kind in ACTIVATIONS:
        assert f"`{activation_name(kind)}`" in PAGE
    for kind in LOSSES:
        assert f"`{slang_loss(kind).type}`" in PAGE
    for kind in ENCODINGS:
        name = build_encoding(kind, rng).slang("A").type.partition("<")[0]
        assert f"`{name}" in PAGE and f"`{kind}`" in PAGE
