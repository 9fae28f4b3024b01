"""model/trainable on the device: all kinds of members equal their NumPy or torch half.

The gradients are those of a task's mean loss, one thread for each place.
"""

import numpy as np
import pytest
import torch

from neuralshade.kinds.shader.build import build_shader_engine, build_task
from neuralshade.kinds.shader.recipe import ShaderRecipe
from neuralshade.kinds.shader.source import ShaderSource
from neuralshade.model.cell_wave import CellWave
from neuralshade.model.composite import Composite
from neuralshade.model.dense_grid import DenseGrid
from neuralshade.model.frequency import Frequency
from neuralshade.model.hash_grid import HashGrid
from neuralshade.model.identity import Identity
from neuralshade.model.mlp import MLP
from neuralshade.model.one_blob import OneBlob
from neuralshade.model.triangle_wave import TriangleWave
from neuralshade.source.picture import picture_from_array

# width, height: each is a kernel of its own to compile, so some are for .ci/run
SIZES = [
    (1, 5),
    (7, 4),
    *(pytest.param(*s, marks=pytest.mark.slow) for s in [(1, 1), (3, 2), (16, 9)]),
]
MORE = [(1, 1, 4), (1, 5, 2), (16, 9, 1), (16, 9, 3)]
CASES = [(1, 1, 1), (3, 2, 3), (7, 4, 4), *(pytest.param(*c, marks=pytest.mark.slow) for c in MORE)]
COUNT = 48  # threads, each at a place of its own
TYPES = {1: "float", 2: "float2", 3: "float3", 4: "float4"}
WEIGHTS = torch.tensor([1.0, -0.5, 2.0, 0.25])
TEXT = """import neuralshade.model.trainable;
struct Task : ITask
{{
    {members}

    [Differentiable]
    float loss(no_diff Thread thread)
    {{
        float2 uv = places.load(int2(thread.index.xy));
        {body}
    }}
}}
"""
DOT = {1: "c", 2: "dot(c, float2(1, -0.5))", 3: "dot(c, float3(1, -0.5, 2))",
       4: "dot(c, float4(1, -0.5, 2, 0.25))"}  # fmt: skip


def engine_of(gpu, members, body, values):
    source = ShaderSource(TEXT.format(members=members, body=body), "t.slang")
    recipe = ShaderRecipe(threads=f"{COUNT}x1", steps=1)
    return build_shader_engine(build_task(source, values, 0), recipe, gpu)


def places_and_texels(width, height, channels):
    """Return places within and beyond the unit square, never between two texels' bends."""
    rng = np.random.default_rng(width * 100 + height * 10 + channels)
    uv = rng.uniform(-1.5, 2.5, (COUNT, 2))
    uv[:4] = [[0.5, 0.5], [0.01, 0.99], [-0.02, 1.03], [1.0001, 0.0]]
    texels = rng.uniform(-1, 1, (height, width, channels))
    return np.float32(uv), np.float32(texels)


def sampled(texels, uv):
    """Return texels mixed bilinearly at ``uv``, repeated beyond the edges, in torch."""
    height, width, _ = texels.shape
    place = uv * torch.tensor([width, height]) - 0.5
    corner = place.detach().floor()
    share = place - corner
    x, y = corner.long().unbind(1)

    def texel(dx, dy):
        return texels[(y + dy) % height, (x + dx) % width]

    u, v = share[:, :1], share[:, 1:]
    above = texel(0, 0) * (1 - u) + texel(1, 0) * u
    return above * (1 - v) + (texel(0, 1) * (1 - u) + texel(1, 1) * u) * v


def as_picture(array):
    return picture_from_array(np.float32(array), "linear")


@pytest.mark.slow
@pytest.mark.parametrize("width, height, channels", CASES)
def test_textures_and_places_have_the_gradients_of_torch(gpu, width, height, channels):
    uv, texels = places_and_texels(width, height, channels)
    body = f"{TYPES[channels]} c = map.sample(uv * scale + shift); return {DOT[channels]};"
    members = (f"[Trainable(1)] [Size({width}, {height})] Texture<{TYPES[channels]}> map;"
               "[Trainable(1)] float2 scale; [Trainable(1)] float2 shift;"
               "Picture<float2> places;")  # fmt: skip
    values = {"map": texels, "places": as_picture(uv[None]), "scale": 1}
    engine = engine_of(gpu, members, body, values)
    map_, places = torch.tensor(texels).double(), torch.tensor(uv).double()
    scale, shift = torch.ones(2).double(), torch.zeros(2).double()
    wanted = [tensor.requires_grad_() for tensor in (map_, scale, shift)]
    values = sampled(map_, places * scale + shift) @ WEIGHTS[:channels].double()
    gradients = torch.autograd.grad(values.mean(), wanted)
    # places are float32, so a share of 16 texels 2.5 squares away is off by 16 * 2.5 * 6e-8
    np.testing.assert_allclose(engine.losses(), values.detach(), atol=2e-5)
    flat = np.concatenate([gradient.numpy().reshape(-1) for gradient in gradients])
    np.testing.assert_allclose(engine.gradient(), flat, rtol=1e-4, atol=2e-5)


@pytest.mark.parametrize("width, height", SIZES)
def test_texels_are_loaded_from_everywhere(gpu, width, height):
    _, texels = places_and_texels(width, height, 3)
    rng = np.random.default_rng(1)
    at = rng.integers(-40, 40, (COUNT, 2))
    body = "float3 c = map.load(int2(uv)) * photo.load(int2(uv)); return c.x - 0.5 * c.y + 2 * c.z;"
    members = (f"[Trainable(1)] [Size({width}, {height})] Texture<float3> map;"
               "Picture<float3> photo; Picture<float2> places;")  # fmt: skip
    photo = texels[::-1].copy()
    values = {"map": texels, "photo": as_picture(photo), "places": as_picture(at[None])}
    engine = engine_of(gpu, members, body, values)
    x, y = at[:, 0] % width, at[:, 1] % height
    weights = np.float32([1, -0.5, 2])
    np.testing.assert_allclose(engine.losses(), (texels * photo)[y, x] @ weights, atol=1e-5)
    wanted = np.zeros_like(texels)
    np.add.at(wanted, (y, x), photo[y, x] * weights / COUNT)
    np.testing.assert_allclose(engine.gradient(), wanted.reshape(-1), atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("width, height", SIZES)
def test_pictures_have_a_gradient_by_the_place(gpu, width, height):
    uv, texels = places_and_texels(width, height, 2)
    body = "float2 c = photo.sample(uv + shift); return dot(c, float2(1, -0.5));"
    members = "[Trainable(1)] float2 shift; Picture<float2> photo; Picture<float2> places;"
    values = {"photo": as_picture(texels), "places": as_picture(uv[None])}
    engine = engine_of(gpu, members, body, values)
    shift = torch.zeros(2).double().requires_grad_()
    values = sampled(torch.tensor(texels).double(), torch.tensor(uv).double() + shift)
    values = values @ WEIGHTS[:2].double()
    (wanted,) = torch.autograd.grad(values.mean(), [shift])
    np.testing.assert_allclose(engine.losses(), values.detach(), atol=2e-5)
    np.testing.assert_allclose(engine.gradient(), wanted, rtol=1e-4, atol=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("sizes, kinds", [
    ((2, 3, 2, 8), ("silu", "none")), ((2, 1, 0, 8), ("relu", "sigmoid")),
    pytest.param((2, 4, 1, 5), ("leaky_relu", "none"), marks=pytest.mark.slow),
    pytest.param((2, 2, 3, 16), ("elu", "none"), marks=pytest.mark.slow),
])  # fmt: skip
def test_networks_are_their_torch_half(gpu, sizes, kinds):
    uv, _ = places_and_texels(3, 2, 1)
    net = MLP(*sizes, *kinds, rng=torch.Generator().manual_seed(1))
    name = net.slang().type.replace("MLP<", "Network<").replace("true, ", "")
    members = f"[Trainable(1)] {name} net; [Trainable(1)] float2 shift; Picture<float2> places;"
    terms = " + ".join(f"y[{i}] * y[{i}] * {i + 1}" for i in range(sizes[1]))
    body = (f"float x[2] = {{ uv.x + shift.x, uv.y + shift.y }}; float y[{sizes[1]}] = net.eval(x);"
            f"return {terms};")  # fmt: skip
    numbers = torch.nn.utils.parameters_to_vector(net.parameters()).detach().numpy()
    engine = engine_of(gpu, members, body, {"net": numbers, "places": as_picture(uv[None])})
    net, shift = net.double(), torch.zeros(2).double().requires_grad_()
    y = net(torch.tensor(uv).double() + shift)
    values = (y * y * torch.arange(1, sizes[1] + 1)).sum(1)
    gradients = torch.autograd.grad(values.mean(), [*net.parameters(), shift])
    np.testing.assert_allclose(engine.losses(), values.detach(), rtol=1e-4, atol=1e-5)
    flat = np.concatenate([gradient.numpy().reshape(-1) for gradient in gradients])
    np.testing.assert_allclose(engine.gradient(), flat, rtol=1e-3, atol=1e-4 * np.abs(flat).max())


GRIDS = {  # Slang's type -> the torch half
    "GridEncoding<1, 1, 16, 1, 1>": lambda rng: DenseGrid(1, 1, 16, 1, 1, rng=rng),
    "GridEncoding<1, 3, 16, 5, 3>": lambda rng: DenseGrid(1, 3, 16, 5, 3, rng=rng),
    "GridEncoding<2, 2, 3, 9, 16>": lambda rng: DenseGrid(2, 2, 3, 9, 16, rng=rng),
    "HashEncoding<1, 1, 4, 1, 3>": lambda rng: HashGrid(1, 1, 4, 1, 3, rng=rng),
    "HashEncoding<2, 2, 5, 3, 21>": lambda rng: HashGrid(2, 2, 5, 3, 21, rng=rng),
}


QUICK = ("GridEncoding<2, 2, 3, 9, 16>",)
KINDS = [k if k in QUICK else pytest.param(k, marks=pytest.mark.slow) for k in GRIDS]


@pytest.mark.parametrize("kind", KINDS)
def test_encodings_are_their_torch_half(gpu, kind):
    """In value and in the gradient of their numbers; that of the place is one of differences."""
    half = GRIDS[kind](torch.Generator().manual_seed(3)).double()
    rng = np.random.default_rng(2)
    for level in half.parameters():
        level.data = torch.tensor(rng.uniform(-1, 1, level.shape))
    uv = np.float32(rng.uniform(0.02, 0.98, (COUNT, 2)))
    shift = 2.0**-12  # far less than a cell; few of the places have a cell's edge so near
    weights = torch.tensor(rng.uniform(-1, 1, half.width))
    terms = " + ".join(f"{float(w)!r}f * x[{i}]" for i, w in enumerate(weights))
    members = f"[Trainable(1)] float2 shift; [Trainable(1)] {kind} grid; Picture<float2> places;"
    body = f"float x[{half.width}] = grid.eval(uv + shift); return {terms};"
    numbers = half.flatten(list(half.parameters())).numpy()
    engine = engine_of(gpu, members, body, {"grid": numbers, "places": as_picture(uv[None])})
    places = torch.tensor(uv).double()

    def value(dx, dy):
        return half(places + torch.tensor([dx, dy])) @ weights

    values = value(0.0, 0.0)
    wanted = half.flatten(torch.autograd.grad(values.mean(), list(half.parameters()))).numpy()
    np.testing.assert_allclose(engine.losses(), values.detach(), atol=2e-5)
    gradient = engine.gradient()
    np.testing.assert_allclose(gradient[2:], wanted, atol=1e-5)
    slopes = [
        (value(dx, dy) - value(-dx, -dy)).mean().item() / (2 * shift)
        for dx, dy in ((shift, 0.0), (0.0, shift))
    ]
    np.testing.assert_allclose(gradient[:2], slopes, rtol=0.02, atol=0.02)


def test_encodings_without_numbers_are_their_torch_half(gpu):
    parts = [Frequency(3), TriangleWave(4), OneBlob(5), CellWave(4, 7), Identity()]
    half = Composite(parts)
    names = half.slang("Free")
    imports = "".join(f"import {name};\n" for name in sorted(names.modules))
    weights = np.random.default_rng(4).uniform(-1, 1, half.width)
    uv = np.float32(np.random.default_rng(5).random((COUNT, 2)))
    terms = " + ".join(f"{float(w)!r}f * x[{i}]" for i, w in enumerate(weights))
    members = "[Trainable(1)] float scale; Picture<float2> places;"
    body = (f"float x[{half.width}] = no_diff(encode<{names.type}>(uv)); "
            f"return scale * ({terms});")  # fmt: skip
    text = f"import neuralshade.model.encoding;\n{imports}"
    source = ShaderSource(text + TEXT.format(members=members, body=body), "t.slang")
    built = build_task(source, {"scale": 1, "places": as_picture(uv[None])}, 0)
    engine = build_shader_engine(built, ShaderRecipe(threads=f"{COUNT}x1", steps=1), gpu)
    wanted = half(torch.tensor(uv)).double().numpy() @ weights
    np.testing.assert_allclose(engine.losses(), wanted, atol=1e-4)
    np.testing.assert_allclose(engine.gradient(), [wanted.mean()], atol=1e-4)
