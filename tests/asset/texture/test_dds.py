"""asset/texture/dds: every level as OpenImageIO, Pillow, SlangPy and a GPU driver read it."""

import os
import struct
import subprocess
import sys

import numpy as np
import pytest
import slangpy as spy
from fixtures.other_readers import DECODERS, by_openimageio
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from neuralshade.asset.texture import mip_chain
from neuralshade.asset.texture.dds import write_dds
from neuralshade.asset.texture.mip_chain import stored_texels
from neuralshade.asset.texture.texture_format import FORMATS
from neuralshade.errors import OutputError

PLAIN = [name for name, each in FORMATS.items() if not each.compressed_bytes]
BLOCKS = ["bc1", "bc1_srgb", "bc4", "bc5", "bc7", "bc7_srgb"]
NOT_BY_128_BITS = ["bc7", "bc7_srgb"]
SIZES = [(37, 130), (64, 32), (5, 3), (1, 1)]  # width, height
# A kernel that reads one level, so that the GPU driver decodes its blocks.
FETCH = """
import slangpy;
float4 fetch(int2 at, int level, Texture2D<float4> source) { return source.Load(int3(at, level)); }
"""


def chain(width, height, channels, dtype="float32", count=None):
    """Return levels of smooth color and little noise, as many as there can be or ``count``."""
    rng = np.random.default_rng(width * 1000 + height)
    levels = []
    for number in range(count or max(width, height).bit_length()):
        rows, columns = max(1, height >> number), max(1, width >> number)
        y, x = np.meshgrid(np.linspace(0, 1, rows), np.linspace(0, 1, columns), indexing="ij")
        smooth = np.stack([x, y, 1 - x, 0.5 + y / 2], axis=2)[..., :channels]
        values = (0.98 * smooth + 0.02 * rng.random(smooth.shape)).astype(np.float32)
        whole = dtype.startswith("uint")
        levels.append((values * np.iinfo(dtype).max if whole else values).astype(dtype))
    return levels


def written(tmp_path, levels, format):
    path = tmp_path / f"{format}.dds"
    write_dds(path, levels, format)
    return path


def reference(path, format, levels):
    """Return uint8 [H, W, C] of each level: the file's bytes, through another decoder."""
    chosen, raw, at, images = FORMATS[format], path.read_bytes(), 148, []
    for level in levels:
        height, width = level.shape[:2]
        blocks = raw[at : (at := at + chosen.level_bytes(level))]
        bgra = DECODERS[format.removesuffix("_srgb")](blocks, width, height)
        image = np.frombuffer(bgra, np.uint8).reshape(height, width, 4)[..., [2, 1, 0, 3]]
        images.append(image[..., : chosen.channels])
    assert at == len(raw)
    return images


@pytest.mark.parametrize("width, height", SIZES)
@pytest.mark.parametrize("format", ["rgba8", "rgba8_srgb"])
def test_oiio_reads_every_plain_level(tmp_path, format, width, height):
    levels = chain(width, height, 4, "uint8")
    images = by_openimageio(written(tmp_path, levels, format), "uint8")
    assert len(images) == len(levels)
    for image, level in zip(images, levels, strict=True):
        np.testing.assert_array_equal(image, level)


@pytest.mark.parametrize("width, height", SIZES)
@pytest.mark.parametrize("format", BLOCKS)
def test_oiio_reads_every_compressed_level(tmp_path, format, width, height):
    channels = 3 if format.startswith("bc7") else FORMATS[format].channels
    levels = chain(width, height, channels)
    path = written(tmp_path, levels, format)
    images = by_openimageio(path, "uint8")
    assert len(images) == len(levels)
    for image, twin, level in zip(images, reference(path, format, levels), levels, strict=True):
        shown = image[..., : twin.shape[2]].astype(int)  # of BC1 there is an alpha beside
        # decoders of BC4 round, or cut off; those of BC1 do so before and after they mix
        assert np.abs(shown - twin).max() <= 1 + format.startswith("bc1")
        if min(level.shape[:2]) >= 16:  # in smaller ones a block holds all colors
            assert np.abs(image[..., :channels] - level * 255).mean() < 6
        assert image.shape[2] < 4 or (image[..., 3] == 255).all()


@pytest.mark.parametrize("width, height", SIZES)
@pytest.mark.parametrize("format", ["rgba8", "rgba8_srgb", "bc1", "bc5", "bc7", "bc7_srgb"])
def test_pillow_reads_the_largest_level(tmp_path, format, width, height):
    levels = chain(width, height, FORMATS[format].channels)
    path = written(tmp_path, levels, format)
    with Image.open(path) as image:
        pixels = np.asarray(image).reshape(height, width, -1)[..., : FORMATS[format].channels]
    if format in BLOCKS:
        assert np.abs(pixels.astype(int) - reference(path, format, levels)[0]).max() <= 1
    else:
        np.testing.assert_array_equal(pixels, stored_texels(levels[0], FORMATS[format]))


@pytest.fixture(scope="module")
def loader(device):
    return spy.TextureLoader(device)


# Powers of two, none taller than wide: others' levels SlangPy 0.43.1 looks for in wrong places.
LOADED = [(64, 32, None), (16, 16, 3), (1, 1, None)]


@pytest.mark.parametrize("width, height, count", LOADED)
@pytest.mark.parametrize("format", PLAIN)
def test_slangpy_loads_every_plain_level(tmp_path, loader, format, width, height, count):
    chosen = FORMATS[format]
    levels = chain(width, height, chosen.channels, chosen.dtype, count)
    texture = loader.load_texture(written(tmp_path, levels, format))
    stem = format.removesuffix("_srgb")
    name = f"{stem[:-1]}_float" if stem.endswith("f") else f"{stem}_unorm"
    assert texture.format == spy.Format[name + "_srgb" * chosen.srgb]
    assert (texture.width, texture.height, texture.mip_count) == (width, height, len(levels))
    for number, level in enumerate(levels):
        read = np.asarray(texture.to_numpy(mip=number))
        np.testing.assert_array_equal(read.reshape(level.shape), level)


@pytest.mark.slow
@pytest.mark.parametrize("width, height, count", LOADED)
@pytest.mark.parametrize("format", BLOCKS)
def test_the_gpu_driver_decodes_every_compressed_level(
    tmp_path, device, loader, format, width, height, count
):
    narrow = os.environ["LP_NATIVE_VECTOR_WIDTH"] == "128"
    if narrow and format in NOT_BY_128_BITS and "llvmpipe" in device.info.adapter_name:
        pytest.skip("the next test runs it with vectors of 256 bits")
    levels = chain(width, height, FORMATS[format].channels, count=count)
    path = written(tmp_path, levels, format)
    texture = loader.load_texture(path)
    assert texture.mip_count == len(levels)
    fetch = spy.Module(device.load_module_from_source("fetch_level", FETCH)).fetch
    for number, twin in enumerate(reference(path, format, levels)):
        rows, columns, channels = twin.shape
        at = np.stack(np.meshgrid(np.arange(columns), np.arange(rows)), axis=2).astype(np.int32)
        read = fetch(spy.Tensor.from_numpy(device, at), number, texture, _result="numpy")
        seen = twin / 255
        if FORMATS[format].srgb:
            curve = ((seen + 0.055) / 1.055) ** 2.4
            seen[..., :3] = np.where(seen <= 0.04045, seen / 12.92, curve)[..., :3]
        # of BC1 two steps, as above, where the curve is steepest
        np.testing.assert_allclose(
            read[..., :channels], seen, atol=(4.6 if format == "bc1_srgb" else 1.01) / 255
        )


@pytest.mark.slow  # another process that compiles all anew
def test_mesa_decodes_bc7_in_vectors_of_256_bits():
    """Those that conftest.py asks of Mesa's llvmpipe mix up the channels, in Mesa 25.0 at least."""
    cases = f"{__file__}::{test_the_gpu_driver_decodes_every_compressed_level.__name__}"
    run = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-k", "bc7", cases]
    wide = os.environ | {"LP_NATIVE_VECTOR_WIDTH": "256"}
    done = subprocess.run(run, env=wide, capture_output=True, text=True)
    expected = f"{len(NOT_BY_128_BITS) * len(LOADED)} passed"
    assert done.returncode == 0 and expected in done.stdout, done.stdout


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(FORMATS)), st.integers(1, 40), st.integers(1, 40), st.integers(0, 5))
def test_the_header_tells_the_file(tmp_path_factory, format, width, height, fewer):
    chosen = FORMATS[format]
    count = max(1, max(width, height).bit_length() - fewer)
    levels = chain(width, height, chosen.channels, count=count)
    raw = written(tmp_path_factory.mktemp("dds"), levels, format).read_bytes()
    assert raw[:4] == b"DDS " and raw[84:88] == b"DX10"
    size, flags, rows, columns, pitch, depth, mips = struct.unpack("<7I", raw[4:32])
    assert (size, rows, columns, depth, mips) == (124, height, width, 0, count)
    first = chosen.level_bytes(levels[0])
    if chosen.compressed_bytes:
        assert flags == 0xA1007 and pitch == first
    else:
        assert flags == 0x2100F and pitch == first // height
    assert struct.unpack("<2I", raw[76:84]) == (32, 4)  # the pixel format has a code of letters
    (caps,) = struct.unpack("<I", raw[108:112])
    assert caps == (0x401008 if count > 1 else 0x1000)
    assert struct.unpack("<5I", raw[128:148]) == (chosen.dxgi, 3, 0, 1, 0)
    assert not any(raw[32:76] + raw[88:108] + raw[112:128])
    assert len(raw) == 148 + sum(map(chosen.level_bytes, levels))
    if not chosen.compressed_bytes:
        texels = [stored_texels(level, chosen).tobytes() for level in levels]
        assert raw[148:] == b"".join(texels)


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = written(tmp_path, chain(4, 4, 1), "bc4")
    before = path.read_bytes()

    def full(texels, chosen):
        raise KeyboardInterrupt

    monkeypatch.setattr(mip_chain, "compress_blocks", full)
    with pytest.raises(KeyboardInterrupt):
        write_dds(path, chain(8, 8, 1), "bc4")
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_no_folder(tmp_path, same_message):
    path = tmp_path / "absent/a.dds"
    with pytest.raises(OutputError) as caught:
        write_dds(path, chain(1, 1, 1), "r8")
    same_message(str(caught.value), path, "Create")
