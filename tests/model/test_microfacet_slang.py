"""model/microfacet: the Slang half equals the Python half in value and gradient."""

import itertools

import numpy as np
import pytest
import torch

from neuralshade.errors import ConfigError
from neuralshade.model import microfacet
from neuralshade.model.microfacet import DIFFUSES, Surface, slang_name

KERNEL = """
import neuralshade.model.microfacet;
typealias D = KIND;
StructuredBuffer<float> surfaces; // albedo, normal, roughness, metallic
StructuredBuffer<float> wi;
StructuredBuffer<float> wo;
StructuredBuffer<float> u;
StructuredBuffer<float> d_y;
RWStructuredBuffer<float> y;
RWStructuredBuffer<float> d_surfaces;
RWStructuredBuffer<float> pieces;
RWStructuredBuffer<float> drawn;
RWStructuredBuffer<float> density;
RWStructuredBuffer<float> facts;

float3 three(StructuredBuffer<float> buffer, uint first)
{
    return float3(buffer[first], buffer[first + 1], buffer[first + 2]);
}

void put(RWStructuredBuffer<float> buffer, uint first, float3 values)
{
    buffer[first] = values.x;
    buffer[first + 1] = values.y;
    buffer[first + 2] = values.z;
}

[shader("compute")] [numthreads(32, 1, 1)]
void main(uint3 thread : SV_DispatchThreadID)
{
    uint i = thread.x;
    if (i >= density.getCount())
        return;
    Surface surface = { three(surfaces, 8 * i), three(surfaces, 8 * i + 3), surfaces[8 * i + 6],
                        surfaces[8 * i + 7] };
    float3 light = three(wi, 3 * i), eye = three(wo, 3 * i);
    put(y, 3 * i, shade<D>(surface, light, eye));
    var pair = diffPair(surface);
    bwd_diff(shade<D>)(pair, light, eye, three(d_y, 3 * i));
    put(d_surfaces, 8 * i, pair.d.albedo);
    put(d_surfaces, 8 * i + 3, pair.d.normal);
    d_surfaces[8 * i + 6] = pair.d.roughness;
    d_surfaces[8 * i + 7] = pair.d.metallic;

    float cos_i = abs(dot(surface.normal, light)), cos_o = abs(dot(surface.normal, eye));
    float alpha = alpha_of(surface.roughness);
    put(pieces, 8 * i, fresnel(f0_of(surface), cos_i));
    pieces[8 * i + 3] = alpha;
    pieces[8 * i + 4] = distribution(surface.normal, light, alpha);
    pieces[8 * i + 5] = masking(cos_i, alpha);
    pieces[8 * i + 6] = visibility(cos_i, cos_o, alpha);
    pieces[8 * i + 7] = D.eval(surface.roughness, cos_i, cos_o, 0.5f);

    put(drawn, 3 * i, sample_microfacet(surface, eye, three(u, 3 * i)));
    density[i] = pdf(surface, light, eye);
    facts[0] = DIELECTRIC_F0;
    facts[1] = SMALLEST_ALPHA;
    facts[2] = SMALLEST_COSINE;
}
"""
COUNT = 1501
SIZES = {"y": 3, "d_surfaces": 8, "pieces": 8, "drawn": 3, "density": 1, "facts": 3}


@pytest.fixture(scope="module")
def run(device):
    """Give a function that runs one kind of diffuse and returns what every buffer holds.

    It takes surfaces [N, 8] and wi, wo, u and d_y [N, 3].
    """
    spy = pytest.importorskip("slangpy")
    kernels = {}
    usage = spy.BufferUsage.shader_resource | spy.BufferUsage.unordered_access

    def run(kind, **given):
        if kind not in kernels:
            text = KERNEL.replace("KIND", slang_name(kind))
            module = device.load_module_from_source(f"test_microfacet_{kind}", text)
            program = device.link_program([module], [module.entry_point("main")])
            kernels[kind] = device.create_compute_kernel(program)
        count = len(given["surfaces"])
        given = {name: np.ascontiguousarray(x, np.float32) for name, x in given.items()}
        made = {name: np.zeros((count, width), np.float32) for name, width in SIZES.items()}
        buffers = {
            name: device.create_buffer(data=values, usage=usage)
            for name, values in (given | made).items()
        }
        kernels[kind].dispatch([count, 1, 1], vars=buffers)
        return {
            name: buffers[name].to_numpy().view(np.float32).reshape(count, width)
            for name, width in SIZES.items()
        }

    return run


def surface_of(numbers):
    """Return the Python half's surface of [N, 8]."""
    return Surface(numbers[:, :3], numbers[:, 3:6], numbers[:, 6], numbers[:, 7])


def directions(count, rng, lowest=0.01):
    """Return float64 [N, 3] of heights from ``lowest`` to 1, of any direction about z."""
    height = lowest + (1 - lowest) * torch.rand(count, generator=rng, dtype=torch.float64)
    angle = 2 * torch.pi * torch.rand(count, generator=rng, dtype=torch.float64)
    radius = (1 - height**2).sqrt()
    return torch.stack([radius * angle.cos(), radius * angle.sin(), height], -1)


def samples(rng, count=COUNT):
    """Return what ``run`` takes: float32 arrays; half of wi are drawn, to meet narrow peaks."""
    normal = directions(count, rng, lowest=0.6)
    wo = directions(count, rng)
    numbers = torch.rand(count, 5, generator=rng, dtype=torch.float64)
    numbers[::7, 3] *= 0.05  # smooth ones
    surfaces = torch.cat([numbers[:, :3], normal, numbers[:, 3:]], -1)
    u = torch.rand(count, 3, generator=rng, dtype=torch.float64)
    wi = directions(count, rng)
    wi[::2] = microfacet.sample_microfacet(surface_of(surfaces), wo, u)[::2]
    d_y = torch.randn(count, 3, generator=rng)
    given = {"surfaces": surfaces, "wi": wi, "wo": wo, "u": u, "d_y": d_y}
    return {name: x.numpy().astype(np.float32) for name, x in given.items()}


def reference(kind, surfaces, wi, wo, u, d_y):
    """Return what the Python half makes of the same numbers in float64."""
    numbers = torch.from_numpy(surfaces).double().requires_grad_()
    wi, wo, u, d_y = (torch.from_numpy(x).double() for x in (wi, wo, u, d_y))
    surface = surface_of(numbers)
    y = microfacet.shade(surface, wi, wo, DIFFUSES[kind])
    (d_surfaces,) = torch.autograd.grad(y, numbers, d_y)
    alpha = microfacet.alpha_of(surface.roughness)
    cos_i, cos_o = (microfacet.dot(surface.normal, w).abs() for w in (wi, wo))
    pieces = [
        alpha,
        microfacet.distribution(surface.normal, wi, alpha),
        microfacet.masking(cos_i, alpha),
        microfacet.visibility(cos_i, cos_o, alpha),
        DIFFUSES[kind](surface.roughness, cos_i, cos_o, torch.full_like(cos_i, 0.5)),
    ]
    pieces = torch.cat([microfacet.fresnel(microfacet.f0_of(surface), cos_i),
                        torch.stack(pieces, -1)], -1)  # fmt: skip
    found = {
        "y": y,
        "d_surfaces": d_surfaces,
        "pieces": pieces,
        "drawn": microfacet.sample_microfacet(surface, wo, u),
        "density": microfacet.pdf(surface, wi, wo)[:, None],
    }
    return {name: x.detach().numpy() for name, x in found.items()}


def settled(surfaces, wi, wo, u, **_):
    """Return where halves that round differently still take the same branches: bool [N]."""
    surfaces, wi, wo, u = (torch.from_numpy(x).double() for x in (surfaces, wi, wo, u))
    surface = surface_of(surfaces)
    cos_i, cos_o = (microfacet.dot(surface.normal, w) for w in (wi, wo))
    share = microfacet._specular_share(surface, cos_o)
    away = [(cos.abs() > 0.005) for cos in (cos_i, cos_o, cos_i + cos_o, u[:, 0] - share)]
    return torch.stack(away).all(0).numpy()


def test_both_halves_share_their_constants(run, rng):
    names = ("DIELECTRIC_F0", "SMALLEST_ALPHA", "SMALLEST_COSINE")
    facts = run("lambert", **samples(rng, 1))["facts"][0]
    assert facts.tolist() == [np.float32(getattr(microfacet, name)) for name in names]


@pytest.mark.parametrize("kind", DIFFUSES)
def test_both_halves_agree(run, rng, kind):
    given = samples(rng)
    got, wanted, same = run(kind, **given), reference(kind, **given), settled(**given)
    assert same.mean() > 0.9 and (wanted["y"][same] > 0).mean() > 0.5
    # where alpha is at its smallest, a rounded wm is 1e-4 of it off, the sine of a gradient more
    for name, near in {"y": 3e-4, "density": 3e-4, "pieces": 3e-5}.items():
        np.testing.assert_allclose(got[name][same], wanted[name][same], rtol=near, atol=1e-6)
    np.testing.assert_allclose(got["drawn"][same], wanted["drawn"][same], rtol=0, atol=5e-6)


@pytest.mark.parametrize("kind", DIFFUSES)
def test_both_halves_agree_in_their_gradients(run, rng, kind):
    given = samples(rng)
    same = settled(**given)
    got, wanted = (half(kind, **given)["d_surfaces"][same] for half in (run, reference))
    # a vector against its length: along a normal that light is mirrored by, a gradient is next
    # to nothing beside what it is across it
    for part in (slice(0, 3), slice(3, 6), slice(6, 7), slice(7, 8)):
        error = np.linalg.norm(got[:, part] - wanted[:, part], axis=1)
        size = np.linalg.norm(wanted[:, part], axis=1)
        assert (error <= 5e-3 * size + 1e-5).all() and (size > 0).any()
        assert np.quantile(error / (size + 1e-5), 0.99) < 5e-4


@pytest.mark.parametrize("kind", DIFFUSES)
def test_the_gradient_equals_the_central_difference(run, rng, kind):
    given = samples(rng)
    given["surfaces"][:, 6] = 0.3 + 0.7 * given["surfaces"][:, 6]  # smooth enough for a step
    given = {name: x[settled(**given)] for name, x in given.items()}
    d_surfaces = run(kind, **given)["d_surfaces"]
    h = np.float32(2.0**-9)
    for column in range(8):
        step = h * (np.arange(8) == column).astype(np.float32)
        above, below = (
            run(kind, **(given | {"surfaces": given["surfaces"] + sign * step}))["y"]
            for sign in (1, -1)
        )
        difference = ((above.astype(np.float64) - below) * given["d_y"]).sum(1) / (2 * h)
        # h^2 / 6 of a third derivative; 1e-7 of the value over h from rounding
        np.testing.assert_allclose(d_surfaces[:, column], difference, rtol=0.02, atol=0.02)


def corners():
    """Return what ``run`` takes at the ends of every range, each with each."""
    tilted = (0.6, 0.0, 0.8)
    mirrored = (-0.6, 0.0, 0.8)
    tiny, up = 1e-30, (0.0, 0.0, 1.0)
    grazing = [(1.0, 0.0, tiny), (1.0, 0.0, 1.0001e-4), (-1.0, tiny, 1.0001e-4), (0.0, -1.0, 0.0)]
    looks = [up, tilted, mirrored, (-0.6, tiny, -0.8), (0.6, tiny, 0.8), (0.0, 0.0, -1.0)]
    numbers = itertools.product(
        [(0.0,) * 3, (1.0,) * 3],
        [up, tilted, (0.0, 1.0, 0.0), (0.0, 0.0, -1.0)],
        [0.0, 1.0],
        [0.0, 1.0],
        looks + grazing,
        looks + grazing,
    )
    rows = [(*albedo, *normal, *rest, *wi, *wo) for albedo, normal, *rest, wi, wo in numbers]
    rows = np.array(rows, np.float32)
    largest = np.float32(1 - 2.0**-24)
    u = np.array(list(itertools.product([0.0, largest], repeat=3)), np.float32)
    given = {"surfaces": rows[:, :8], "wi": rows[:, 8:11], "wo": rows[:, 11:]}
    return given | {"u": np.resize(u, (len(rows), 3)), "d_y": np.ones((len(rows), 3), np.float32)}


@pytest.mark.parametrize("kind", DIFFUSES)
def test_corners_are_finite_and_equal(run, kind):
    given = corners()
    got, wanted = run(kind, **given), reference(kind, **given)
    for name in ("y", "d_surfaces", "drawn", "density"):
        assert np.isfinite(got[name]).all(), name
    assert (got["y"] >= 0).all() and (got["density"] >= 0).all()
    np.testing.assert_allclose(np.linalg.norm(got["drawn"], axis=1), 1, rtol=0, atol=1e-6)
    normal = given["surfaces"][:, 3:6].astype(np.float64)
    cosines = [(normal * given[name]).sum(1) for name in ("wi", "wo")]
    lit = np.minimum(*cosines) > microfacet.SMALLEST_COSINE
    assert 0 < lit.mean() < 1
    np.testing.assert_array_equal(got["y"][~lit], 0)
    np.testing.assert_array_equal(got["d_surfaces"][~lit], 0)
    np.testing.assert_allclose(got["y"][lit], wanted["y"][lit], rtol=1e-5, atol=1e-9)


def test_the_last_facet_that_can_be_drawn_has_a_direction(run):
    """It lies opposite of wo at the edge of what is seen: all but nothing is left of its cap."""
    height = np.linspace(0.001, 1, 4001)
    wo = np.stack([np.sqrt(1 - height**2), 0 * height, height], -1)
    for roughness in (0.0, 0.4, 1.0):
        surfaces = np.tile([1.0, 1.0, 1.0, 0.0, 0.0, 1.0, roughness, 1.0], (len(wo), 1))
        u = np.tile([0.0, 0.5, 1 - 2.0**-24], (len(wo), 1))
        drawn = run("lambert", surfaces=surfaces, wi=wo, wo=wo, u=u, d_y=wo)["drawn"]
        np.testing.assert_allclose(np.linalg.norm(drawn, axis=1), 1, rtol=0, atol=1e-6)


def test_a_rounded_cosine_above_one_takes_no_light_away(run):
    up = np.array([[0.0, 0.0, 1.0]])
    black = np.array([[0.0, 0.0, 0.0, 0.0, 0.0, 1.01, 0.5, 1.0]])
    pieces = run("burley", surfaces=black, wi=up, wo=up, u=up / 2, d_y=up)["pieces"][0]
    assert pieces[:3].tolist() == [0.0] * 3


def test_names_in_slang():
    assert [slang_name(kind) for kind in DIFFUSES] == ["Lambert", "Burley"]


def test_refusal_of_an_unknown_name(same_message):
    with pytest.raises(ConfigError) as refused:
        slang_name("burly")
    same_message(str(refused.value), "diffuse", "burley?")
