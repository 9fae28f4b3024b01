"""kinds/shader/engine: what a task renders, of any part and size."""

import numpy as np
import pytest

import neuralshade

RENDERS = {
    "float": ("return uv.x;", lambda u, v: [u]),
    "float2": ("return uv;", lambda u, v: [u, v, 0 * u]),
    "float3": ("return float3(uv, a);", lambda u, v: [u, v, 0 * u + 0.5]),
    "float4": ("return float4(uv, a, 0.25);", lambda u, v: [u, v, 0 * u + 0.5, 0 * u + 0.25]),
}


@pytest.mark.parametrize("color", RENDERS)
def test_pictures_are_drawn_of_any_part(gpu, color, module, engine_of):
    body, wanted = RENDERS[color]
    source = module(
        "[Trainable(1)] float a;", "return a;", f"{color} render(float2 uv) {{ {body} }}"
    )
    engine = engine_of(gpu, source, {"a": 0.5})
    drawn = engine.draw(37, 11, (0.25, 0.5, 0.75, 1.0))
    u = 0.25 + 0.5 * (np.arange(37) + 0.5)[None] / 37 + np.zeros((11, 1))
    v = 0.5 + 0.5 * (np.arange(11) + 0.5)[:, None] / 11 + np.zeros((1, 37))
    np.testing.assert_allclose(drawn, np.stack(wanted(u, v), -1), atol=1e-6)


def test_large_pictures_are_drawn_in_parts(gpu, monkeypatch, module, engine_of):
    source = module(
        "[Trainable(1)] float a;", "return a;", "float2 render(float2 uv) { return uv; }"
    )
    engine = engine_of(gpu, source)
    whole = engine.draw(30, 20)
    monkeypatch.setattr("neuralshade.kinds.shader.engine.DRAWN_PIXELS", 70)
    np.testing.assert_array_equal(engine.draw(30, 20), whole)


READING = "Picture<float3> wide; Picture<float3> other; [Trainable(1)] float a;"


@pytest.mark.parametrize("body, other, wanted", [
    ("return wide.sample(uv);", (2, 2), (7, 5)),  # the one that is read
    ("return wide.sample(uv) + other.sample(uv);", (2, 2), (512, 512)),  # which is its own?
    ("return a;", (2, 2), (512, 512)),
    ("return a;", (5, 7), (7, 5)),  # what its loss compares with
])  # fmt: skip
def test_what_is_rendered_has_the_size_of_its_pictures(
    device, tmp_path, module, body, other, wanted
):
    source = module(READING, "return a;", f"float3 render(float2 uv) {{ {body} }}")
    shapes = {"wide": (5, 7), "other": other}
    pictures = {name: np.zeros((*shape, 3), np.uint8) for name, shape in shapes.items()}
    asset = tmp_path / "x.nsh"
    few = {"values": pictures, "steps": 1, "threads": "1"}
    neuralshade.fit_shader(source, asset, **few)
    facts = neuralshade.info(asset)["picture"]
    assert (facts["width"], facts["height"]) == wanted
    neuralshade.fit_shader(source, asset, size="6x4", **few)  # said is said
    assert neuralshade.info(asset)["picture"]["width"] == 6
