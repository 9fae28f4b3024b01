"""examples/photo_shader: an exported asset in a shader, its codes as the file has them."""

import importlib.util
import pathlib
import sys

import numpy as np
import pytest

import neuralshade
from neuralshade.asset.texture.block_compression import SIDE_PX
from neuralshade.languages.printers import printer_of

ROOT = pathlib.Path(__file__).parents[2]
SIZE = (45, 31)  # neither is a multiple of a thread group's


@pytest.fixture(scope="module")
def example():
    pytest.importorskip("slangpy")
    spec = importlib.util.spec_from_file_location("photo_shader", ROOT / "examples/photo_shader.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def photo():
    """Give a picture with edges and gradients."""
    v, u = np.mgrid[0 : SIZE[1], 0 : SIZE[0]] / 20
    picture = np.stack([np.sin(3 * u * v), u % 1, np.float64(u + v > 2)], -1) / 2 + 0.5
    return neuralshade.picture_from_array(np.float32(picture).clip(0, 1))


@pytest.mark.slow
@pytest.mark.parametrize("settings, bits", [
    ({"bpp": 24.0}, 4), ({"bpp": 24.0, "grid_bits": 8}, 8), ({"bpp": 24.0, "grid_bits": 16}, 16),
    ({"encoding": "frequency:octaves=2 + hash_grid:levels=3,log2_entries=7,finest=20"}, 4),
    ({"preset": "rtxns"}, 16),
])  # fmt: skip
def test_the_shader_draws_what_render_draws(
    example, device, photo, tmp_path, monkeypatch, settings, bits
):
    neuralshade.fit_image(photo, tmp_path / "a.nsh", steps=100, batch=512, network_bits=16,
                          **settings)  # fmt: skip
    opened = neuralshade.load(tmp_path / "a.nsh")
    exported = printer_of(opened.shader("photo"), "slang")
    drawn, wanted = example.draw(device, exported, opened.size), neuralshade.render(opened)
    assert wanted.std() > 0.05  # else anything would do
    np.testing.assert_allclose(drawn[..., :3].clip(0, 1), wanted, atol=1e-5)
    assert (16 if opened.codes is None else opened.codes.bits) == bits
    assert opened.memory_bytes == neuralshade.info(opened)["memory_bytes"]
    if bits < 16:  # steps and halves of the network are little beside the codes
        network = 2 * sum(p.numel() for p in opened.field.network.parameters())
        grid = opened.field.encoding.number_count() * bits / 8
        assert opened.memory_bytes <= grid + network + 4 * opened.field.encoding.width + 8
        assert exported.words.nbytes <= grid + 4 * len(list(opened.field.encoding.parameters()))


@pytest.mark.slow
def test_the_example_runs_from_fit_to_picture(
    example, device, photo, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    neuralshade.save_picture("photo.png", photo.as_float(), "srgb")
    monkeypatch.setattr(sys, "argv", ["photo_shader.py", "photo.png", "--seconds", "0.5"])
    example.main()
    told = capsys.readouterr().out
    assert float(told.split()[-1]) < 1e-2  # 8-bit weights are halves in the shader
    blocks = -(-SIZE[0] // SIDE_PX) * -(-SIZE[1] // SIDE_PX)
    assert f"BC1 takes {8 * blocks:,};" in told
    assert neuralshade.load_picture("out/photo_shader.png").width == SIZE[0]
