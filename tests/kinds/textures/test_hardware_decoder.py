"""kinds/textures/hardware_decoder: a GPU decodes what the CPU does, of the numbers of now."""

import logging
from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from fixtures.texture_engines import codings_of, texels_of
from fixtures.texture_sets import small_set

from neuralshade.engine.kernels.infer.infer import Inference
from neuralshade.errors import DeviceError
from neuralshade.kinds.textures import hardware_decoder
from neuralshade.kinds.textures.code_refinement import refine_codes
from neuralshade.kinds.textures.engine import (
    GpuTexturesEngine,
    decode_texels,
    latent_grids,
    mip_positions,
    rounded_field,
)
from neuralshade.kinds.textures.field import build_field
from neuralshade.kinds.textures.hardware_decoder import HardwareDecoder, texel_positions
from neuralshade.kinds.textures.recipe import TexturesRecipe

SIZE = (10, 7)  # width and height
CLOSE = {"rtol": 1e-5, "atol": 2e-6}  # float32 sums of 16 terms, in another order
WEIGHTS = torch.ones(6)


@pytest.fixture
def case():
    """Give a field of a small set, and the set's texels."""
    texels = texels_of(small_set(SIZE[1], SIZE[0]))
    recipe = TexturesRecipe(hidden_width=16, grids="2:3:3,4:1:4")
    rng = torch.Generator().manual_seed(3)
    return rounded_field(build_field(recipe, SIZE, texels.channels, rng)), texels


@pytest.fixture
def built(monkeypatch):
    """Give the list of fields whose kernels are built from now on."""
    found, inner = [], hardware_decoder.field_inference

    def noted(gpu, field, **settings):
        found.append(field)
        return inner(gpu, field, **settings)

    monkeypatch.setattr(hardware_decoder, "field_inference", noted)
    return found


class Adapted:
    """A GPU that is hardware, or is not, as its adapter tells."""

    def __init__(self, gpu, software):
        self._gpu, self.adapter = gpu, replace(gpu.adapter, software=software)

    def __getattr__(self, name):
        return getattr(self._gpu, name)


def change(field):
    """Change all of a field's numbers in place; the network is another object, too."""
    with torch.no_grad():
        for grid in latent_grids(field):
            grid.texels.copy_(1 - grid.texels)
        for parameter in field.network.parameters():
            parameter.mul_(0.7).add_(0.01)


def test_each_call_has_the_numbers_of_now(gpu, case, built):
    field, texels = case
    decoder, on_host = HardwareDecoder(gpu), partial(decode_texels, field)
    index = torch.tensor([3, 69, 0, 41])
    seen = []
    for _ in range(2):
        decode = decoder.decoder(field, on_host)
        for mip in range(len(texels.sizes)):
            np.testing.assert_allclose(
                decode(texels.sizes, mip), on_host(texels.sizes, mip), **CLOSE
            )
        seen.append(decode(texels.sizes, 0, index))
        np.testing.assert_allclose(seen[-1], on_host(texels.sizes, 0, index), **CLOSE)
        change(field)
    assert np.abs(seen[0] - seen[1]).max() > 0.01
    assert len(built) == 1


@pytest.mark.parametrize("size", [(1, 1), (7, 10), (1, 3), (1023, 2)])
def test_positions_are_those_of_pytorch(size):
    sizes, every = [size], torch.arange(size[0] * size[1])
    for index in (None, every.flip(0)[::3]):
        wanted = mip_positions(sizes, 0, every if index is None else index)
        assert np.array_equal(texel_positions(size, 0, index), wanted.numpy())


@pytest.mark.parametrize("broken", ["building", "uploading", "evaluating"])
def test_a_gpu_without_memory_leaves_it_to_the_cpu(gpu, case, monkeypatch, caplog, broken):
    def refused(*args, **kwargs):
        raise DeviceError("memory: got none.")

    caplog.set_level(logging.INFO, "neuralshade")
    field, texels = case
    decoder, on_host = HardwareDecoder(gpu), partial(decode_texels, field)
    if broken == "building":
        monkeypatch.setattr(hardware_decoder, "field_inference", refused)
    elif broken == "uploading":
        decoder.decoder(field, on_host)
        monkeypatch.setattr(hardware_decoder, "upload_numbers", refused)
    else:
        monkeypatch.setattr(Inference, "at_positions", refused)
    found = decoder.decoder(field, on_host)(texels.sizes, 1)
    assert np.array_equal(found, on_host(texels.sizes, 1))
    assert caplog.messages == ["the CPU decodes: memory: got none."]


def test_software_leaves_it_to_the_cpu(gpu, case):
    """So that a fit there has the bits of one before; on hardware the GPU decodes."""
    field, texels = case
    found = []
    for software in (True, False):
        engine = GpuTexturesEngine.__new__(GpuTexturesEngine)  # which trains nothing
        engine.trainer, engine._decoder = SimpleNamespace(gpu=Adapted(gpu, software)), None
        decode = engine.decoder(field)
        found.append((decode(texels.sizes, 0), isinstance(decode, partial)))
    (one, is_host), (two, is_also) = found
    assert is_host and not is_also
    np.testing.assert_allclose(two, one, **CLOSE)


def test_the_search_finds_the_same_through_it(gpu, case, built):
    """What is measured decides which decoder is kept; nothing is measured twice."""
    codings, results, asked = codings_of(small_set(SIZE[1], SIZE[0])), [], []
    field, texels = case

    def refit(found):
        off = texels.level(0).reshape(70, -1) - decode_texels(found, texels.sizes, 0)
        with torch.no_grad():
            found.network.members[-1].bias.add_(0.5 * torch.from_numpy(off.mean(0)))

    hardware = HardwareDecoder(gpu)
    for on_gpu in (False, True):
        own = rounded_field(field)

        def decoder(found, on_gpu=on_gpu, asked=asked):
            asked.append(on_gpu)
            on_host = partial(decode_texels, found)
            return hardware.decoder(found, on_host) if on_gpu else on_host

        found = refine_codes(own, texels, codings, WEIGHTS, 2, None, refit, decoder)
        results.append((found, own.network.members[-1].bias.tolist()))
    (one, bias), (two, also) = results
    assert one.moved == two.moved > 10 and bias == also
    assert two.gain_db == pytest.approx(one.gain_db, abs=1e-4) and one.gain_db > 0.5
    assert len(built) == 1 and asked.count(True) == asked.count(False) == 1 + 2 * 2
