"""ktx2: read by the specification's own rules, and by Khronos' tool where there is one."""

import json
import math
import shutil
import struct
import subprocess
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import neuralshade
from neuralshade.asset.texture import mip_chain
from neuralshade.asset.texture.ktx2 import write_ktx2
from neuralshade.asset.texture.mip_chain import encoded
from neuralshade.asset.texture.texture_format import FORMATS
from neuralshade.errors import ShapeError

IDENTIFIER = bytes.fromhex("AB4B5458203230BB0D0A1A0A")
# vkFormat, typeSize, bytes of a texel block, side of a texel block; Vulkan 1.4, "Formats"
VULKAN = {
    "r8": (9, 1, 1, 1), "rg8": (16, 1, 2, 1), "rgba8": (37, 1, 4, 1), "rgba8_srgb": (43, 1, 4, 1),
    "r16": (70, 2, 2, 1), "rg16": (77, 2, 4, 1), "rgba16": (91, 2, 8, 1),
    "r16f": (76, 2, 2, 1), "rg16f": (83, 2, 4, 1), "rgba16f": (97, 2, 8, 1),
    "r32f": (100, 4, 4, 1), "rg32f": (103, 4, 8, 1), "rgba32f": (109, 4, 16, 1),
    "bc4": (139, 1, 8, 4), "bc5": (141, 1, 16, 4), "bc6h": (143, 1, 16, 4), "bc7": (145, 1, 16, 4),
    "bc7_srgb": (146, 1, 16, 4), "bc1": (131, 1, 8, 4), "bc1_srgb": (132, 1, 8, 4),
}  # fmt: skip


def chain(width, height, channels, count=None):
    """Return levels of float32 noise, as many as there can be or ``count``."""
    rng = np.random.default_rng(width * 1000 + height)
    sizes = [
        (max(1, height >> number), max(1, width >> number), channels)
        for number in range(count or max(width, height).bit_length())
    ]
    return [rng.random(size, np.float32) for size in sizes]


def written(tmp_path, levels, format):
    path = tmp_path / f"{format}.ktx2"
    write_ktx2(path, levels, format)
    return path


@dataclass
class Ktx2:
    """What a KTX2 file says, in the specification's words."""

    vk_format: int
    type_size: int
    size: tuple[int, int]
    levels: list[bytes]
    offsets: list[int]
    descriptor: bytes
    notes: dict[str, bytes]


def read_ktx2(raw):
    """Read a 2D texture without supercompression; refuse what the specification forbids."""
    assert raw[:12] == IDENTIFIER
    vk_format, type_size, width, height, depth, layers, faces, count, scheme = struct.unpack_from(
        "<9I", raw, 12
    )
    assert (depth, layers, faces, scheme) == (0, 0, 1, 0)
    assert 1 <= count <= math.floor(math.log2(max(width, height))) + 1
    dfd_at, dfd_size, kvd_at, kvd_size, sgd_at, sgd_size = struct.unpack_from("<4I2Q", raw, 48)
    index = [struct.unpack_from("<3Q", raw, 80 + 24 * number) for number in range(count)]
    assert all(size == inflated for _, size, inflated in index)
    assert dfd_at == 80 + 24 * count and kvd_at == dfd_at + dfd_size
    assert (sgd_at, sgd_size) == (0, 0)
    descriptor = raw[dfd_at:kvd_at]
    assert struct.unpack_from("<I", descriptor)[0] == dfd_size
    return Ktx2(
        vk_format,
        type_size,
        (width, height),
        [raw[offset : offset + size] for offset, size, _ in index],
        [offset for offset, _, _ in index],
        descriptor,
        read_notes(raw[kvd_at : kvd_at + kvd_size]),
    )


def read_notes(data):
    notes, at = {}, 0
    while at < len(data):
        (size,) = struct.unpack_from("<I", data, at)
        key, value = data[at + 4 : at + 4 + size].split(b"\0", 1)
        notes[key.decode()] = value
        end = at + 4 + size
        at = end + -end % 4
        assert not any(data[end:at])
    assert at == len(data)
    assert list(notes) == sorted(notes)
    return notes


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(sorted(FORMATS)), st.integers(1, 40), st.integers(1, 40), st.integers(0, 5))
def test_every_level_is_where_the_index_says(tmp_path_factory, format, width, height, fewer):
    count = max(1, max(width, height).bit_length() - fewer)
    levels = chain(width, height, FORMATS[format].channels, count)
    raw = written(tmp_path_factory.mktemp("ktx2"), levels, format).read_bytes()
    file = read_ktx2(raw)
    vk_format, type_size, block_bytes, side = VULKAN[format]
    assert (file.vk_format, file.type_size, file.size) == (vk_format, type_size, (width, height))
    assert len(file.levels) == count
    end = 80 + 24 * count + len(file.descriptor) + 56  # bytes of the notes
    for number in reversed(range(count)):
        columns, rows = (-(-max(1, length >> number) // side) for length in (width, height))
        assert len(file.levels[number]) == columns * rows * block_bytes
        assert file.levels[number] == b"".join(encoded(levels[number], FORMATS[format]))
        padding = raw[end : file.offsets[number]]
        assert len(padding) < math.lcm(4, block_bytes) and not any(padding)
        assert file.offsets[number] % math.lcm(4, block_bytes) == 0
        end = file.offsets[number] + len(file.levels[number])
    assert end == len(raw)


def test_notes(tmp_path):
    file = read_ktx2(written(tmp_path, chain(2, 2, 1), "r8").read_bytes())
    writer = f"neuralshade {neuralshade.__version__}\0".encode()
    assert file.notes == {"KTXorientation": b"rd\0", "KTXwriter": writer}


@pytest.mark.parametrize("format", sorted(VULKAN))
def test_descriptor(tmp_path, format):
    """Khronos Data Format Specification 1.3, chapter 5."""
    levels = chain(1, 1, FORMATS[format].channels)
    file = read_ktx2(written(tmp_path, levels, format).read_bytes())
    (total, vendor, version, size, model, primaries, transfer, flags, *rest) = struct.unpack_from(
        "<2I2H4B4B8B", file.descriptor
    )
    samples = file.descriptor[28:]
    assert (total, vendor, version, size) == (len(file.descriptor), 0, 2, total - 4)
    assert model == {"bc1": 128, "bc4": 131, "bc5": 132, "bc6": 133, "bc7": 134}.get(format[:3], 1)
    assert (primaries, flags) == (1, 0)
    assert transfer == (2 if format.endswith("srgb") else 1)
    vk_format, type_size, block_bytes, side = VULKAN[format]
    assert (file.vk_format, file.type_size) == (vk_format, type_size)
    assert rest == [side - 1, side - 1, 0, 0, block_bytes, *[0] * 7]
    if side == 4:
        half = [(0, 63, 0), (64, 63, 1)]
        wanted = {"bc1": half[:1], "bc4": half[:1], "bc5": half}.get(format[:3], [(0, 127, 0)])
        bounds = (0, 0xFFFFFFFF)
        if format == "bc6h":  # float without a sign, up to 1.0
            wanted, bounds = [(0, 127, 0x80)], (0, 0x3F800000)
    else:
        kinds = [0, 1, 2, 15][: block_bytes // type_size]
        bounds = (0, 256**type_size - 1)
        if format.endswith("f"):
            kinds = [kind | 0xC0 for kind in kinds]  # signed, float
            bounds = (0xBF800000, 0x3F800000)  # -1.0, 1.0
        elif transfer == 2:
            kinds[3] |= 0x10  # linear
        bits = 8 * type_size
        wanted = [(number * bits, bits - 1, kind) for number, kind in enumerate(kinds)]
    read = [struct.unpack_from("<H2BI2I", samples, at) for at in range(0, len(samples), 16)]
    assert read == [(*each, 0, *bounds) for each in wanted]


KTX = shutil.which("ktx")


@pytest.mark.skipif(KTX is None, reason="needs ktx of Khronos' KTX-Software in PATH")
@pytest.mark.parametrize("format", sorted(FORMATS))
@pytest.mark.parametrize("width, height, count", [(37, 130, None), (5, 3, 2), (1, 1, 1)])
def test_khronos_tool_accepts_and_reads_it(tmp_path, format, width, height, count):
    levels = chain(width, height, FORMATS[format].channels, count)
    path = written(tmp_path, levels, format)
    check = [KTX, "validate", "--warnings-as-errors", "--format", "json", str(path)]
    done = subprocess.run(check, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)["messages"] == []
    for number, level in enumerate(levels):
        out = tmp_path / f"{number}.raw"
        take = [KTX, "extract", "--raw", "--level", str(number), str(path), str(out)]
        subprocess.run(take, check=True)
        assert out.read_bytes() == b"".join(encoded(level, FORMATS[format]))


def test_a_failed_write_leaves_nothing(tmp_path, monkeypatch):
    def interrupted(texels, chosen):
        raise KeyboardInterrupt

    monkeypatch.setattr(mip_chain, "compress_blocks", interrupted)
    with pytest.raises(KeyboardInterrupt):
        written(tmp_path, chain(8, 8, 1), "bc4")
    assert list(tmp_path.iterdir()) == []


def test_a_broken_chain_is_refused_before_the_old_file_is_touched(tmp_path, same_message):
    path = written(tmp_path, chain(4, 4, 1), "r8")
    before = path.read_bytes()
    with pytest.raises(ShapeError) as caught:
        write_ktx2(path, chain(4, 4, 1)[::-1], "r8")
    same_message(str(caught.value), "levels", "End")
    assert path.read_bytes() == before
