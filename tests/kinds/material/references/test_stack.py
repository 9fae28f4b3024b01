"""kinds/material/references/stack: layers in TOML as references, and what of them is refused."""

import math
from pathlib import Path

import numpy as np
import pytest
import torch
from fixtures.small_material import upper_pairs

import neuralshade
from neuralshade.kinds.material.references.reference_bsdf import ReferenceKernels
from neuralshade.kinds.material.references.sources import load_reference, reference_digest
from neuralshade.model.microfacet import Surface, shade

SHARP = 0.05  # the width that half vectors of furnaces are drawn by
EXAMPLES = Path(__file__).parents[4] / "examples/material"
BASE = '[[layer]]\nkind = "diffuse"\ncolor = [1.0, 1.0, 1.0]\n'
COATS = {
    "diffuse": 'kind = "diffuse"\ncolor = "#ffffff"\nweight = 0.5\nroughness = 1.0',
    "conductor": 'kind = "conductor"\ncolor = [1.0, 1.0, 1.0]\nroughness = [0.2, 0.6]',
    "varnish": 'kind = "dielectric"\nroughness = 0.3',
    "anisotropic": 'kind = "dielectric"\nroughness = [0.2, 0.5]\nior = 1.8',
    "smooth": 'kind = "dielectric"\nroughness = 0.1\nior = 2.4',
    "sheen": 'kind = "sheen"\ncolor = [1.0, 1.0, 1.0]\nroughness = 0.3',
    "fuzz": 'kind = "sheen"\ncolor = [1.0, 1.0, 1.0]\nroughness = 1.0',
}
NOISES = ("fractal", "cells", "cracks", "spots", "scratches", "weave")


@pytest.fixture
def stack(tmp_path):
    """Return what writes a stack and loads its reference."""

    def write(text, name="x.toml"):
        (tmp_path / name).write_text(text)
        return load_reference(tmp_path / name)

    return write


def furnace(kernels, slant, count=20_000):
    """Return what comes back of a hemisphere that shines 1 all over.

    By directions all over, and by half vectors of a GGX of width SHARP about the surface's normal,
    together: of a sharp highlight only the latter find enough.
    """
    turn, share = 2 * math.pi * (np.arange(count) * 0.618034 % 1), (np.arange(count) + 0.5) / count
    flat = np.sqrt(1 - share**2)
    everywhere = np.stack([flat * np.cos(turn), flat * np.sin(turn), share], 1)
    up = np.sqrt((1 - share) / (1 + (SHARP**2 - 1) * share))
    flat = np.sqrt(1 - up**2)
    half = np.stack([flat * np.cos(turn), flat * np.sin(turn), up], 1)
    eye = np.array([math.sqrt(1 - slant**2), 0, slant])
    wi = np.concatenate([everywhere, 2 * (half @ eye)[:, None] * half - eye])
    wi = wi[wi[:, 2] > 1e-3]
    half = (wi + eye) / np.linalg.norm(wi + eye, axis=1, keepdims=True)
    spread = half[:, 2] ** 2 * (SHARP**2 - 1) + 1
    sharp = SHARP**2 / (math.pi * spread**2) * half[:, 2] / (4 * half @ eye)
    density = count * (1 / (2 * math.pi) + sharp)
    uv = np.random.default_rng(0).random((len(wi), 2), np.float32)
    wo = np.tile(eye.astype(np.float32), (len(wi), 1))
    return (kernels.eval(uv, wi.astype(np.float32), wo) / density[:, None]).sum(0)


@pytest.mark.parametrize("coat", COATS)
def test_a_layer_over_white_gives_back_no_more_than_it_gets(gpu, stack, coat):
    """Either way, too: light may be followed from the eye."""
    kernels = ReferenceKernels(gpu, stack(f"{BASE}\n[[layer]]\n{COATS[coat]}"))
    for slant in (0.15, 0.5, 1.0):
        albedo = furnace(kernels, slant)
        assert (albedo > 0.6).all() and (albedo < 1.04).all(), (slant, albedo)
    uv, wi, wo = upper_pairs(500)
    there, back = kernels.eval(uv, wi, wo) / wi[:, 2:], kernels.eval(uv, wo, wi) / wo[:, 2:]
    np.testing.assert_allclose(there, back, rtol=2e-3, atol=1e-5)


def test_a_conductor_is_that_of_the_shading_model(gpu, stack):
    text = '[[layer]]\nkind = "conductor"\ncolor = [0.9, 0.6, 0.3]\nroughness = {}'
    uv, wi, wo = upper_pairs(2000)
    for roughness in (0.15, 0.5, 1.0):
        found = ReferenceKernels(gpu, stack(text.format(roughness))).eval(uv, wi, wo)
        surface = Surface(torch.tensor([0.9, 0.6, 0.3]), torch.tensor([0.0, 0.0, 1.0]),
                          torch.tensor(roughness), torch.tensor(1.0))  # fmt: skip
        wanted = shade(surface, torch.from_numpy(wi), torch.from_numpy(wo)).numpy()
        np.testing.assert_allclose(found, wanted, rtol=5e-3, atol=1e-5)


@pytest.mark.slow
def test_varnish_absorbs_what_crosses_it_twice(gpu, stack):
    """Straight on: the color to twice the thickness, of what the clear one passes."""
    coat = '\n[[layer]]\nkind = "dielectric"\nroughness = 1.0\ncolor = {}\nthickness = 1.5'
    up = np.float32([[0.0, 0.0, 1.0]])
    seen = [ReferenceKernels(gpu, stack(text)).eval(np.float32([[0.5, 0.5]]), up, up)
            for text in (BASE + coat.format("[1.0, 1.0, 1.0]"),
                         BASE + coat.format("[0.8, 0.5, 0.2]"),
                         BASE.replace("1.0", "0.0") + coat.format("[1.0, 1.0, 1.0]"))]  # fmt: skip
    share = (seen[1] - seen[2]) / (seen[0] - seen[2])
    np.testing.assert_allclose(share, [[0.8**3, 0.5**3, 0.2**3]], rtol=1e-3)


@pytest.mark.slow
def test_noises_tile_and_fill_their_range(gpu, stack):
    """At 0 and 1 there is one place; each noise has dark and bright places; seeds differ."""
    masks = "".join(f'{name} = {{ noise = "{name}", scale = [3, 5], warp = 0.05 }}\n'
                    for name in NOISES)  # fmt: skip
    masks += (
        'other = { noise = "fractal", scale = [3, 5] }\nboth = { multiply = ["cells", "!spots"] }\n'
    )
    layers = "".join(f'[[layer]]\nkind = "diffuse"\ncolor = [0, 0, 0]\nmask = "{name}"\n'
                     for name in (*NOISES, "other", "both"))  # fmt: skip
    reference = stack(f"[mask]\n{masks}{BASE}{layers}")
    assert len(reference.parameters) == len(NOISES) + 2
    kernels = ReferenceKernels(gpu, reference)
    found = kernels.parameter_map(64, 64).reshape(-1, len(NOISES) + 2)
    assert (found >= 0).all() and (found <= 1).all()
    assert (found.max(0) - found.min(0) > 0.5).all()
    assert np.abs(found[:, 0] - found[:, len(NOISES)]).mean() > 0.05
    by = dict(zip((*NOISES, "other", "both"), found.T, strict=True))
    np.testing.assert_allclose(by["both"], by["cells"] * (1 - by["spots"]), atol=1e-5)
    rest = np.random.default_rng(0).random(200).astype(np.float32)
    for flip in (1, -1):
        low, high = (
            np.stack([np.full_like(rest, end), rest][::flip], 1) for end in (1e-6, 1 - 1e-6)
        )
        same = np.isclose(kernels.parameters(low), kernels.parameters(high), atol=2e-3)
        assert same.mean(0).min() > 0.98  # but where a thread, or a cell, ends


def test_pictures_are_found_decoded_and_their_recesses_told(gpu, stack, tmp_path):
    heights = np.ones((32, 32, 1), np.float32)
    heights[14:18] = 0
    neuralshade.save_picture(tmp_path / "height.png", heights, "srgb")
    neuralshade.save_picture(tmp_path / "paint.png", np.full((2, 2, 3), 0.5, np.float32), "srgb")
    reference = stack('[mask]\npit = { recesses = "height.png", radius = 0.15 }\n'
                    'up = { image = "height.png", invert = true }\n[[layer]]\nkind = "diffuse"\n'
                    'color = "paint.png"\n[[layer]]\nkind = "diffuse"\ncolor = [0, 0, 0]\n'
                    'mask = "pit"\n[[layer]]\nkind = "diffuse"\ncolor = [0, 0, 0]\n'
                    'mask = "up"')  # fmt: skip
    found = ReferenceKernels(gpu, reference).parameters(np.float32([[0.5, 0.5], [0.5, 0.1]]))
    np.testing.assert_allclose(found[:, :3], 0.2158, atol=1e-3)  # 128 of 255
    np.testing.assert_allclose(found[:, 3:], [[1, 1], [0, 0]], atol=1e-5)


@pytest.mark.slow  # five stacks are compiled and asked 60,000 times each: 10 s
@pytest.mark.parametrize("name", sorted(path.name for path in EXAMPLES.glob("*.toml")))
def test_the_examples_give_back_no_more_than_they_get(gpu, name):
    kernels = ReferenceKernels(gpu, load_reference(EXAMPLES / name))
    for slant in (0.2, 0.6, 1.0):
        albedo = furnace(kernels, slant)
        assert (albedo > 0.005).all() and (albedo < 1.04).all(), (slant, albedo)


def test_the_tray_is_written_in_forty_lines():
    assert len((EXAMPLES / "antique_copper.toml").read_text().splitlines()) <= 40


def test_what_shines_by_itself_is_hidden_by_what_covers_it(gpu, stack):
    reference = stack(f"{BASE}emission = [1.0, 0.5, 0.0]\n[[layer]]\nkind = 'diffuse'\n"
                    "color = [0, 0, 0]\nweight = 0.75")  # fmt: skip
    up = np.float32([[0.0, 0.0, 1.0]])
    found = ReferenceKernels(gpu, reference).emission(np.float32([[0.5, 0.5]]), up)
    np.testing.assert_allclose(found, [[0.25, 0.125, 0.0]], atol=1e-6)


def test_stacks_that_differ_have_other_digests(stack):
    found = {reference_digest(stack(BASE + f"roughness = {one}")) for one in (0.1, 0.2)}
    assert len(found) == 2
