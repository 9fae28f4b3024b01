"""kinds/material/judging and noise: the same numbers as one light, place or level at a time."""

import numpy as np
import pytest
import torch
from fixtures.small_material import wet_file

from neuralshade.kinds.material import noise as noises
from neuralshade.kinds.material.asset import pack_field, stored_field
from neuralshade.kinds.material.field import build_field, encoding_of
from neuralshade.kinds.material.footprints import Footprints
from neuralshade.kinds.material.judging import judge as judging
from neuralshade.kinds.material.judging.judge import Judge, field_shade, judged_sphere
from neuralshade.kinds.material.judging.lit_surfaces import TILES, held_out_lights, sky, sphere
from neuralshade.kinds.material.judging.measures import smape
from neuralshade.kinds.material.judging.mip_judge import LevelJudge, with_levels
from neuralshade.kinds.material.levels import level_shade
from neuralshade.kinds.material.recipe import MaterialRecipe
from neuralshade.kinds.material.references.reference_bsdf import ReferenceKernels
from neuralshade.kinds.material.references.sources import load_reference
from neuralshade.kinds.material.references.varied_reference import vary_reference
from neuralshade.kinds.material.sampler_fit import untrained_sampler
from neuralshade.kinds.material.schema import METHODS
from neuralshade.kinds.material.varied import spread_shares
from neuralshade.measure.quality import psnr_db
from neuralshade.model.lobe_sampler import Mixture, luminance
from neuralshade.sampler.material_directions import LEAST, hemisphere

FEW = {"size": 8, "features": 5, "lobes": 2, "hidden_width": 16}
PLAIN = MaterialRecipe(**FEW)
VARIED = MaterialRecipe(**FEW, vary="wetness=0..2", wrap="clamp")
SIDE_PX = 32


@pytest.fixture(scope="module")
def wet(gpu, tmp_path_factory):
    """Give the kernels of a paint whose wetness varies."""
    path = wet_file(tmp_path_factory.mktemp("wet"))
    return ReferenceKernels(gpu, vary_reference(load_reference(path), VARIED.vary))


@pytest.fixture(params=["plain", "varied"])
def material(request, painted, wet):
    """Give a reference, its recipe, and a field of random numbers."""
    reference, recipe = (painted, PLAIN) if request.param == "plain" else (wet, VARIED)
    return reference, recipe, build_field(recipe, recipe.size, torch.Generator().manual_seed(1))


def test_spheres_are_those_of_one_light_at_a_time(material, monkeypatch):
    reference, _, field = material
    monkeypatch.setattr(judging, "SIDE_PX", SIDE_PX)
    monkeypatch.setattr(judging, "SKY_LIGHTS", 16)
    shade, lights = field_shade(field), [*([each] for each in held_out_lights()), sky(16)]
    spread, wanted = spread_shares(len(lights), len(reference.bsdf.varied)), []
    for number, (light, shares) in enumerate(zip(lights, spread, strict=True)):
        turn = 360 / TILES * (number * judging.TURN % 1)
        seen = sphere(SIDE_PX, SIDE_PX, turn=(turn, 0.0)).at(shares)
        pair = [judging.on_screen(seen.lit(each, light))[seen.inside][None]
                for each in (reference.eval, shade)]  # fmt: skip
        wanted.append(psnr_db(*pair))
    judge = Judge(reference)
    for _ in range(2):  # the second time beside the cached reference
        found = judge.judge(shade)
        assert found.psnr_db == pytest.approx(np.mean(wanted[:-1]), abs=1e-3)
        assert found.worst_db == pytest.approx(min(wanted[:-1]), abs=1e-3)
        assert found.sky_db == pytest.approx(wanted[-1], abs=1e-3)


def test_a_judged_sphere_is_one_that_is_turned():
    for number in range(5):
        turn = 360 / TILES * (number * judging.TURN % 1)
        found, wanted = judged_sphere(33, number), sphere(33, 33, turn=(turn, 0.0))
        far = np.abs(wanted.frames[:, 2, [0, 2]]).max(1) > 1e-6  # a pole's tangent is arbitrary
        apart = np.abs(found.uv - wanted.uv)[far]
        assert np.minimum(apart, 1 - apart).max() < 3e-7
        np.testing.assert_allclose(found.frames[far], wanted.frames[far], atol=1e-12)


def test_noise_is_that_of_all_places_at_once(material):
    """With each place's eye, latents and mixtures computed for each of its directions."""
    _, recipe, field = material
    sampler = untrained_sampler(recipe)
    with torch.no_grad():
        sampler.network.members[-1].bias.normal_(generator=torch.Generator().manual_seed(2))
        found = noises.sampler_noise(field, sampler)
        rng, encoding = torch.Generator().manual_seed(noises.SEED), encoding_of(field)
        places, each = noises.PLACES, noises.DIRECTIONS
        u = torch.rand((4, places, 1), generator=rng).expand(-1, -1, each).flatten(1)
        shares = torch.rand((places, encoding.varied), generator=rng).repeat_interleave(each, 0)
        wo = hemisphere(noises.LOWEST + (1 - noises.LOWEST) * u[0], u[1])
        latents = encoding.latents(torch.stack([u[2], u[3], torch.zeros_like(u[2])], dim=1))
        lobes = sampler.mixture(encoding.lobes, latents, wo, trained=False)
        only_cosine = torch.eye(len(lobes.weights))[:, :1].expand(lobes.weights.shape)
        mixtures = {"lobes": lobes, "sampler": sampler.mixture(encoding.lobes, latents, wo, shares),
                    "cosine": Mixture(lobes.normal, lobes.tangent, lobes.widths,
                                      only_cosine)}  # fmt: skip
        wi, density = mixtures["sampler"].sample(wo, torch.rand((3, places * each), generator=rng))
        read = encoding.columns(latents, wi, wo, shares)
        light = luminance(field.network.on_columns(read, torch.float32)) * (wi[2] > LEAST)
        values = torch.where(light > 0, light / density, 0.0).double()
        mean = values.view(places, each).mean(1)
        for name in METHODS:
            square = (values * light / mixtures[name].pdf(wi, wo)).view(places, each).mean(1)
            wanted = (square / mean.square() - 1).clamp_min(0).sqrt().median()
            assert found[f"noise_{name}"] == pytest.approx(float(wanted), rel=1e-5)


def test_errors_of_levels_are_those_of_one_level_at_a_time(material):
    reference, recipe, field = material
    judge = LevelJudge(reference, recipe)
    tensors, facts = with_levels(judge, pack_field(field), None)
    shade = level_shade(stored_field(recipe, recipe.size, tensors))
    for level, fact in enumerate(facts):
        uv, wi, wo, target = judge.queries[level]
        for name, read in (("error", level), ("finest", 0)):
            found = smape(target, shade(uv, wi, wo, np.full(len(uv), read, np.float32)))
            assert fact[name] == pytest.approx(found, abs=2e-5)


@pytest.mark.parametrize("wraps", [True, False])
def test_points_of_footprints_are_a_shifted_lattice(painted, wraps):
    uv, width = (torch.rand(shape, generator=torch.Generator().manual_seed(4))
                 for shape in ((50, 3), (50,)))  # fmt: skip
    means = Footprints(painted, wraps)
    found = means.places(uv, width, torch.Generator().manual_seed(5))
    shift = torch.rand((50, 1, 2), generator=torch.Generator().manual_seed(5))
    inside = (means.lattice + shift) % 1 - 0.5
    wanted = uv[:, None, :2] + inside * width[:, None, None]
    wanted = wanted % 1 if wraps else wanted.clamp(0, 1)
    np.testing.assert_allclose(found[..., :2], wanted, atol=2e-7)
    np.testing.assert_array_equal(found[..., 2], uv[:, 2:].expand(-1, len(means.lattice)))
