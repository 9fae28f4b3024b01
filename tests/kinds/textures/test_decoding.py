"""kinds/textures/decoding: a GPU makes of texels what the CPU makes; which of them is asked."""

import logging

import numpy as np
import pytest
import torch

from neuralshade.errors import AssetError, ConfigError, DeviceError
from neuralshade.gpu.slangpy_gpu import SlangpyGpu
from neuralshade.kinds.textures import decoding as decodings
from neuralshade.kinds.textures.channels import MapCoding
from neuralshade.kinds.textures.decoding import Decoding
from neuralshade.kinds.textures.engine import mip_positions, rounded_field
from neuralshade.kinds.textures.field import build_field
from neuralshade.kinds.textures.gpu_decoder import GpuDecoder
from neuralshade.kinds.textures.recipe import TexturesRecipe
from neuralshade.source.material_mips import mip_sizes

SIZE = (37, 20)  # neither a power of two nor a multiple of a tile
SIZES = mip_sizes(*SIZE)
CHANNELS = 5
APART = 1e-5  # float32 in another order
# one map is left out, one is the same everywhere
CODINGS = [MapCoding("normal", "normal", 3, 8, 3, "none", -1.0, 1.0, None),
           MapCoding("ao", "data", 1, 8, 5, "none", 0.0, 1.0, (0.5,)),
           MapCoding("roughness", "data", 1, 8, 0, "none", 0.0, 1.0, None)]  # fmt: skip


def field_of(latents="plain", wrap="clamp"):
    recipe = TexturesRecipe(bpp=5.0, latents=latents, wrap=wrap, hidden_width=16)
    return rounded_field(build_field(recipe, SIZE, CHANNELS, torch.Generator().manual_seed(3)))


@torch.no_grad()
def by_pytorch(field, mip, region):
    """Return what each texel of a region is, asked one by one: float32 [n, C]."""
    x, y, width, height = region
    rows = torch.arange(y, y + height)[:, None] * SIZES[mip][0]
    at = mip_positions(SIZES, mip, (rows + torch.arange(x, x + width)).reshape(-1))
    return field.on_samples(at, torch.float32).t().numpy()


def regions_of(mip):
    """Yield a whole mip, and a part of odd width and height where there is one."""
    width, height = SIZES[mip]
    yield 0, 0, width, height
    yield width // 3, height // 4, max(1, width // 2 - 3), max(1, height // 2 - 1)


def check(decoder, field):
    for mip in range(len(SIZES)):
        for region in regions_of(mip):
            wanted = by_pytorch(field, mip, region)
            assert np.abs(decoder.floats(mip, region) - wanted).max() < APART
            words = decoder.words(mip, region, CODINGS)
            assert sorted(words) == ["normal", "roughness"]
            wanted = np.rint(wanted.clip(0, 1) * 65535).reshape(region[3], region[2], -1)
            for name, channels in (("normal", [3, 4]), ("roughness", [0])):
                assert words[name].dtype == np.uint16
                assert np.abs(words[name] - wanted[..., channels]).max() <= 1


@pytest.mark.parametrize("latents", ["plain", "bc1"])
def test_the_cpu_decodes_what_texels_are(latents):
    field = field_of(latents)
    decoding = Decoding(field, SIZES, "x.nsh", "cpu")
    check(decoding, field)
    assert decoding.device == "cpu"


class SharedGpu(SlangpyGpu):
    """The session's GPU, which notes that it was closed."""

    closed = 0

    def close(self):
        self.closed += 1


@pytest.fixture
def shared(device):
    return SharedGpu(device, owned=False)


@pytest.mark.slow
@pytest.mark.parametrize("latents", ["plain", "bc1"])
def test_a_gpu_decodes_what_texels_are(latents, shared, monkeypatch):
    monkeypatch.setattr(decodings, "open_gpu", lambda api: shared)
    # tiles of one row, of several, and the last of fewer
    small = lambda gpu, field, sizes: GpuDecoder(gpu, field, sizes, 3 * SIZE[0] + 1)  # noqa: E731
    monkeypatch.setattr("neuralshade.kinds.textures.gpu_decoder.GpuDecoder", small)
    field = field_of(latents)
    decoding = Decoding(field, SIZES, "x.nsh", "vulkan")
    check(decoding, field)
    assert decoding.device == f"{shared.name} (vulkan)"
    decoding.close()
    assert shared.closed == 1 and decoding.device == "cpu"


@pytest.mark.slow
def test_numbers_that_are_not_finite_are_refused_on_both(
    shared, monkeypatch, refusal, same_message
):
    monkeypatch.setattr(decodings, "open_gpu", lambda api: shared)
    field = field_of()
    field.network.members[-1].bias.data[4] = torch.nan
    for device in ("cpu", "vulkan"):
        decoding = Decoding(field, SIZES, "x.nsh", device)
        message = refusal(AssetError, decoding.words, 1, (0, 0, *SIZES[1]), CODINGS)
        same_message(message, "x.nsh", "numbers")


def test_nothing_is_decoded_where_no_map_varies():
    assert Decoding(field_of(), SIZES, "x.nsh", "cuda").words(0, (0, 0, 4, 4), CODINGS[1:2]) == {}


class Opened:
    """What stands for hardware, and for what decodes on it."""

    name, api, closed, refuses = "Hardware", "vulkan", 0, False
    device = "Hardware (vulkan)"

    def close(self):
        self.closed += 1

    def decoder(self, gpu, field, sizes):
        if self.refuses:
            raise DeviceError("memory: got none.")
        return self


@pytest.fixture
def hardware(monkeypatch):
    """Give a list of what is opened, one after the other, each time hardware is asked for."""
    found = []

    def open_hardware():
        gpu = found.pop(0)
        if gpu is not None:
            monkeypatch.setattr("neuralshade.kinds.textures.gpu_decoder.GpuDecoder", gpu.decoder)
        return gpu

    monkeypatch.setattr(decodings, "open_hardware", open_hardware)
    monkeypatch.setattr(torch, "get_num_threads", lambda: 2)
    return found


SMALL = [(0, 0, 14_000, 1_000)]  # what two threads take 2 s for
LARGE = [(0, 0, 14_000, 1_001)]


def test_auto_opens_hardware_for_many_texels_alone(hardware):
    hardware[:] = [Opened()]
    decoding, gpu = Decoding(field_of(), SIZES, "x.nsh"), hardware[0]
    decoding.expect(SMALL)
    assert decoding.device == "cpu" and hardware == [gpu]
    decoding.expect(LARGE)
    decoding.expect(LARGE)
    assert decoding.device == "Hardware (vulkan)" and not hardware
    decoding.close()
    assert gpu.closed == 1


def test_levels_count_together(hardware):
    hardware[:] = [Opened()]
    decoding = Decoding(field_of(), SIZES, "x.nsh")
    decoding.expect([*SMALL, (0, 0, 1, 1)])
    assert decoding.device == "Hardware (vulkan)"


def test_auto_is_the_cpu_where_no_hardware_answers(hardware, caplog):
    hardware[:] = [None]  # asked for once
    decoding = Decoding(field_of(), SIZES, "x.nsh")
    with caplog.at_level(logging.INFO, "neuralshade"):
        for _ in range(2):
            decoding.expect(LARGE)
    assert decoding.device == "cpu"
    assert caplog.messages == ["device: the CPU decodes, since no hardware GPU answers"]


def test_auto_says_so_where_a_gpu_refuses(hardware, caplog):
    hardware[:] = [Opened()]
    gpu = hardware[0]
    gpu.refuses = True
    decoding = Decoding(field_of(), SIZES, "x.nsh")
    decoding.expect(LARGE)
    assert decoding.device == "cpu" and gpu.closed == 1
    assert caplog.messages == ["device: the CPU decodes in place of Hardware. memory: got none."]


def test_a_device_that_is_asked_for_and_refuses_is_an_error(monkeypatch):
    def open_gpu(api):
        raise DeviceError(f"device: got no {api}.")

    monkeypatch.setattr(decodings, "open_gpu", open_gpu)
    decoding = Decoding(field_of(), SIZES, "x.nsh", "cuda")
    with pytest.raises(DeviceError, match="got no cuda"):
        decoding.expect(SMALL)


def test_another_device_is_refused(refusal, same_message):
    message = refusal(ConfigError, Decoding, field_of(), SIZES, "x.nsh", "cdua")
    same_message(message, "device", "cuda?")
