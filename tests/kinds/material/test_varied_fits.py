"""kinds/material/varied: inputs that stay inputs, from the material to the asset and the device."""

import dataclasses
import re

import numpy as np
import pytest
import torch
from fixtures.small_material import paint, upper_pairs, wet_file, wet_paint

import neuralshade
from neuralshade import FitOptions
from neuralshade.asset.asset import save_asset
from neuralshade.errors import AssetError, ConfigError
from neuralshade.kinds.material.device_samples import DeviceBatches, DeviceSamples
from neuralshade.kinds.material.fit import fit_material
from neuralshade.kinds.material.footprints import Footprints
from neuralshade.kinds.material.judging.lit_surfaces import spread
from neuralshade.kinds.material.references.reference_bsdf import ReferenceKernels, places
from neuralshade.kinds.material.references.sources import load_reference, reference_digest
from neuralshade.kinds.material.references.varied_reference import vary_reference
from neuralshade.kinds.material.samples import MaterialSampler
from neuralshade.scene.document import scene_of
from neuralshade.scene.render import scene_contents

FEW = {"size": 16, "batch": 1024, "hidden_width": 16, "vary": "wetness=0..2"}
SMALL = (("judge.SIDE_PX", 32), ("mip_judge.FOOTPRINTS", 256), ("mip_judge.POINTS", 16),
         ("measures.PAIRS", 2048))  # fmt: skip


@pytest.fixture(scope="module")
def wet(tmp_path_factory):
    """Give the file of a paint that gets wet."""
    return wet_file(tmp_path_factory.mktemp("wet"))


@pytest.fixture(scope="module")
def kernels(gpu, wet):
    """Give its kernels, the wetness varied."""
    return ReferenceKernels(gpu, vary_reference(load_reference(wet), FEW["vary"]))


@pytest.fixture(scope="module")
def small_patch(share_device):
    with pytest.MonkeyPatch.context() as patch:
        for name, value in SMALL:
            patch.setattr(f"neuralshade.kinds.material.judging.{name}", value)
        share_device(patch)
        yield


@pytest.fixture(scope="module")
def fit(tmp_path_factory, small_patch, wet):
    """Return what fits it in so many steps: the result, and it opened."""

    def fit(steps):
        path = tmp_path_factory.mktemp("wet") / "wet.nsh"
        options = FitOptions(engine="torch")
        result = fit_material(wet, path, steps=steps, options=options, **FEW)
        return result, neuralshade.load(path)

    return fit


@pytest.fixture(scope="module")
def learned(fit):
    """Give a fit that has learned what the paint scatters."""
    return fit(400)


@pytest.fixture(scope="module")
def fitted(fit):
    """Give one of a few steps, whose file has the same parts."""
    return fit(60)


def wet_pairs(count, seed=0):
    """Return places with a share of the wetness, and two directions above the surface."""
    uv, wi, wo = upper_pairs(count, seed)
    shares = np.random.default_rng(seed + 1).random((count, 1)).astype(np.float32)
    return np.concatenate([uv, shares], axis=1), wi, wo


def test_a_reference_takes_an_input_of_each_sample(kernels):
    at, wi, wo = wet_pairs(300)
    np.testing.assert_allclose(kernels.eval(at, wi, wo), wet_paint(at, wi, wo), rtol=2e-3,
                               atol=1e-5)  # fmt: skip
    usual = places(at[:, :2], [0.125])  # 0.25 of 0..2
    assert np.array_equal(kernels.eval(at[:, :2], wi, wo), kernels.eval(usual, wi, wo))


def test_an_encoder_is_told_of_the_default_and_both_ends(kernels):
    """The graph's values at each, whatever the sample's own input is."""
    at, _, _ = wet_pairs(20)
    assert kernels.bsdf.parameters[:3] == ("0:values[0]", "0:values[1]", "1:values[0]")
    told = kernels.parameters(at)
    assert told.shape == (20, 6) and np.array_equal(told[:, :2], told[:, 4:])


def test_a_footprint_has_one_wetness(kernels):
    at, wi, wo = (torch.from_numpy(part) for part in wet_pairs(40))
    rng = torch.Generator().manual_seed(0)
    means = Footprints(kernels, wraps=True, points=8)
    found = means.places(at, torch.full((40,), 0.1), rng)
    assert found.shape == (40, 8, 3) and torch.equal(found[:, :, 2], at[:, 2:].expand(40, 8))
    narrow = means.mean(at, torch.full((40,), 1e-5), wi, wo, rng).numpy()
    wanted = wet_paint(at.numpy(), wi.numpy(), wo.numpy())
    np.testing.assert_allclose(narrow, wanted, rtol=5e-3, atol=1e-4)


def test_what_is_varied_is_no_other_material(wet):
    plain = load_reference(wet)
    assert reference_digest(vary_reference(plain, FEW["vary"])) == reference_digest(plain)
    assert vary_reference(plain, "") is plain


def test_a_device_draws_the_input_evenly_over_its_range(gpu, kernels):
    """And what the reference says there is the sample's."""
    sampler = MaterialSampler(kernels, 2048, 0.5, torch.Generator().manual_seed(0))
    drawn = DeviceSamples(gpu, kernels, sampler, 2048, 7)
    batch = DeviceBatches(drawn, torch.device("cpu")).draw()
    shares = batch.uv[:, 2].numpy()
    counts = np.histogram(shares, bins=16, range=(0, 1))[0]
    assert counts.sum() == 2048 and ((counts - 128) ** 2 / 128).sum() < 45  # p of 1e-4
    wi, wo = batch.wi.t().numpy(), batch.wo.t().numpy()
    wanted = wet_paint(batch.uv.numpy(), wi, wo)
    np.testing.assert_allclose(batch.target.t().numpy(), wanted, rtol=2e-3, atol=1e-4)


@pytest.mark.slow
def test_one_asset_is_dry_and_wet(learned):
    """At any wetness it scatters as its reference; without one, as at its default."""
    result, opened = learned
    assert result.psnr_db > 26 and result.skipped_steps == 0
    at, wi, wo = wet_pairs(4000)
    for share in (0.0, 0.5, 1.0):
        at[:, 2] = share
        wanted = wet_paint(at, wi, wo)
        given = neuralshade.kinds.open_asset(opened, {"wetness": 2 * share})
        found = given.eval(at[:, :2], wi, wo)
        assert np.abs(found - wanted).sum() < 0.2 * wanted.sum(), share
        np.testing.assert_array_equal(found, opened.eval(at, wi, wo))
    usual = opened.eval(places(at[:, :2], [0.125]), wi, wo)
    np.testing.assert_array_equal(usual, opened.eval(at[:, :2], wi, wo))
    assert np.abs(usual - paint(at[:, :2], wi, wo)).sum() > 0.02 * wanted.sum()


@pytest.mark.slow
def test_the_sampler_takes_the_input_and_sums_to_one(fitted):
    _, opened = fitted
    count = 2**14
    sphere = spread(count).astype(np.float32)
    eye = np.tile(np.float32([[0.48, 0.36, 0.8]]), (count, 1))
    densities = []
    for wetness in (0.0, 1.0, 2.0):
        given = neuralshade.kinds.open_asset(opened, {"wetness": wetness})
        uv = np.full((count, 2), 0.4, np.float32)
        density = given.pdf(uv, sphere, eye)
        assert density.mean() * 4 * np.pi == pytest.approx(1, abs=0.01)
        densities.append(density)
        wi, pdf = given.sample(uv[:50], eye[:50], np.random.default_rng(0).random((50, 3), "f4"))
        np.testing.assert_allclose(given.pdf(uv[:50], wi, eye[:50]), pdf, rtol=5e-3)
    assert np.abs(densities[0] - densities[2]).max() > 1e-4


def test_an_asset_tells_of_its_inputs(fitted):
    _, opened = fitted
    assert opened.summary()["inputs"] == "wetness from 0 to 2, usually 0.25"
    assert opened.header.own["material"]["varied"] == [
        {"name": "wetness", "low": 0.0, "high": 2.0, "default": 0.25}
    ]
    assert opened.header.recipe["vary"] == "wetness=0..2"


@pytest.mark.slow
def test_it_is_drawn_and_evaluated_at_a_value(learned, wet):
    _, opened = learned
    dry, soaked = (
        neuralshade.render(opened, size=24, values={"wetness": w}, filter="point") for w in (0, "2")
    )
    assert np.abs(dry - soaked).mean() > 0.01
    table = neuralshade.evaluate(opened, wet, values={"wetness": 2})
    assert table[0]["psnr_db"] > 24 and table[0]["psnr_db"] != opened.header.quality["psnr_db"]


@pytest.mark.slow
def test_a_report_has_a_row_over_the_range(learned, wet, tmp_path, monkeypatch):
    """Of the material and of the network: from brown to blue, and alike."""
    for name in (
        "judging.report.SPHERE_PX",
        "judging.report.PLANE_PX",
        "judging.varied_report.SIDE_PX",
    ):
        monkeypatch.setattr(f"neuralshade.kinds.material.{name}", 24)
    page = tmp_path / "wet.html"
    neuralshade.report(learned[1], wet, page)
    captions = re.findall("<figcaption>((?:Material|Network), .*?)</figcaption>", page.read_text())
    values = ["0", "0.5", "1", "1.5", "2"]
    assert captions == [f"{who}, {value}" for who in ("Material", "Network") for value in values]


def test_objects_of_a_scene_have_values_of_their_own(fitted):
    """A material's, and in place of them a mesh's; meshes that agree share one."""
    _, opened = fitted
    meshes = [{"shape": "sphere", "material": "paint", **more}
              for more in ({}, {"set": {"wetness": 1.5}}, {"set": {"wetness": 0.5}})]  # fmt: skip
    scene = scene_of({
        "camera": {"position": [0, 0, 3], "look_at": [0, 0, 0]}, "mesh": meshes,
        "materials": {"paint": {"asset": opened.path, "set": {"wetness": 0.5}}},
    })  # fmt: skip
    contents = scene_contents(scene)
    assert [index for _, index, _ in contents.meshes] == [0, 1, 0]
    assert [material.numbers[6:9].tolist() for material in contents.materials] == [
        [0.0, 2.0, 0.5], [0.0, 2.0, 1.5],
    ]  # fmt: skip
    assert {material.type for material in contents.materials} == {
        "FittedMaterial<8, 3, 4, 16, 2, HardGelu, 16, 2, 1>"
    }


def test_values_that_it_does_not_take(fitted):
    _, opened = fitted
    for values, message in (
        ({"wetnes": 1}, f"set: got wetnes, which {opened.path} has not, need one of wetness. Did "
                        "you mean wetness?"),
        ({"wetness": 2.5}, f"set: got wetness=2.5, need a number from 0 to 2, which {opened.path} "
                           "was fitted over. Change it."),
        ({"wetness": "dry"}, f"set: got wetness=dry, need a number from 0 to 2, which "
                             f"{opened.path} was fitted over. Change it."),
    ):  # fmt: skip
        with pytest.raises(ConfigError) as raised:
            neuralshade.render(opened, size=8, values=values)
        assert str(raised.value) == message


def test_a_header_whose_inputs_are_not_the_recipes(fitted, tmp_path):
    _, opened = fitted
    own = {"material": {**opened.material, "varied": []}}
    for varied in ([{"name": "age", "low": 0.0, "high": 2.0, "default": 0.25}],
                   [{"name": "wetness", "low": 0.0, "high": 2.0, "default": 3.0}]):  # fmt: skip
        own = {"material": {**opened.material, "varied": varied}}
        header = dataclasses.replace(opened.header, own=own)
        path = tmp_path / "other.nsh"
        save_asset(path, "material", header, opened.tensors)
        with pytest.raises(AssetError, match="varied inputs that are not its recipe's"):
            neuralshade.load(path)


@pytest.mark.slow
def test_a_fit_on_the_gpu_engine(tmp_path, small_patch, wet):
    """Kernels train decoder and map for every wetness."""
    path = tmp_path / "wet.nsh"
    options = FitOptions(engine="gpu")
    result = fit_material(wet, path, steps=300, mips=0.05, sampler=0.02, options=options, **FEW)
    assert result.engine == "gpu" and result.psnr_db > 25 and result.skipped_steps == 0
    at, wi, wo = wet_pairs(4000)
    opened = neuralshade.load(path)
    wanted, found = wet_paint(at, wi, wo), opened.eval(at, wi, wo)
    assert np.abs(found - wanted).sum() < 0.25 * wanted.sum()
