"""asset/file: what is written is read back, and nothing else is read at all."""

import json
import math
import os

import numpy as np
import pytest
import safetensors
import safetensors.numpy
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as st_numpy
from PIL import Image

import neuralshade.asset.file
from neuralshade.asset.file import (
    FORMAT,
    AssetFile,
    from_bytes,
    read_asset_file,
    to_bytes,
    write_asset_file,
)
from neuralshade.errors import AssetError, OutputError

SHAPES = st_numpy.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5)
ARRAYS = st.sampled_from([np.int8, np.float16, np.float32]).flatmap(
    lambda dtype: st_numpy.arrays(dtype, SHAPES)
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text()
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
NAMES = st.text("abcdefgh._0123456789", min_size=1, max_size=20)


def refusal(path, kind=None):
    with pytest.raises(AssetError) as caught:
        read_asset_file(path, kind)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@settings(max_examples=25, deadline=None)
@given(st.dictionaries(st.text(min_size=1), JSON, max_size=3), st.dictionaries(NAMES, ARRAYS))
def test_what_is_written_is_read_back(extra, tensors):
    header = {**extra, "kind": "anything"}
    header = {k: v for k, v in header.items() if k not in ("format", "checksum")}
    back = from_bytes(to_bytes(AssetFile(header, tensors)))
    checksum = back.header.pop("checksum")
    assert back.header == {"format": FORMAT, **header} and len(checksum) == 16
    assert back.tensors.keys() == tensors.keys()
    for name, value in tensors.items():
        assert back.tensors[name].dtype == value.dtype and back.tensors[name].shape == value.shape
        assert back.tensors[name].tobytes() == value.tobytes()  # NaN included


def test_arrays_need_not_be_contiguous():
    value = np.arange(12, dtype=np.float32).reshape(3, 4).T[::2]
    back = from_bytes(to_bytes(AssetFile({"kind": "k"}, {"t": value})))
    assert np.array_equal(back.tensors["t"], value)


def test_tensors_come_back_in_the_order_of_their_names():
    names = [f"t{i}" for i in range(9)]
    file = AssetFile({"kind": "k"}, {name: np.zeros(1, np.int8) for name in reversed(names)})
    assert list(from_bytes(to_bytes(file)).tensors) == names


def test_a_header_may_talk_of_checksums():
    header = {"kind": "k", "name": '\\"checksum\\":\\"0000', "checksums": {"checksum": "x" * 16}}
    back = from_bytes(to_bytes(AssetFile(header, {})))
    assert {name: back.header[name] for name in header} == header


def test_a_file_is_plain_safetensors(asset_path):
    with safetensors.safe_open(asset_path, framework="numpy") as opened:
        metadata = opened.metadata()
        shapes = {name: opened.get_tensor(name).shape for name in opened.keys()}  # noqa: SIM118
    assert list(metadata) == ["neuralshade"]
    assert json.loads(metadata["neuralshade"])["kind"] == "image"
    assert shapes["encoding.parts.0.texels.1"] == (2, 3, 5)
    assert shapes["network.layers.0.weight"] == (8, 4)


def test_size_is_returned(tmp_path):
    path = tmp_path / "a.nsh"
    size = write_asset_file(path, AssetFile({"kind": "k"}, {"t": np.zeros(9, np.int8)}))
    assert size == len(path.read_bytes())


def test_writing_is_all_or_nothing(asset_path, monkeypatch):
    before = asset_path.read_bytes()

    def refuse(*names):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(KeyboardInterrupt):
        write_asset_file(asset_path, AssetFile({"kind": "k"}, {}))
    assert asset_path.read_bytes() == before
    assert [path.name for path in asset_path.parent.iterdir()] == ["a.nsh"]


def test_missing_folder_refused(tmp_path, same_message):
    path = tmp_path / "absent/a.nsh"
    with pytest.raises(OutputError) as caught:
        write_asset_file(path, AssetFile({"kind": "k"}, {}))
    same_message(str(caught.value), path, "Create")


@settings(max_examples=150, deadline=None,
          suppress_health_check=[HealthCheck.function_scoped_fixture])  # fmt: skip
@given(st.data())
def test_every_bit_flip_is_refused(asset_path, data):
    whole = bytearray(asset_path.read_bytes())
    bit = data.draw(st.integers(0, 8 * len(whole) - 1))
    whole[bit // 8] ^= 1 << bit % 8
    with pytest.raises(AssetError) as caught:
        from_bytes(bytes(whole))
    assert "\n" not in str(caught.value)


def test_every_bit_flip_of_the_front_is_refused(asset_path):
    """The length and the first keys steer all other reading, so none of their bits is left out."""
    whole = asset_path.read_bytes()
    for bit in range(8 * 64):
        damaged = bytearray(whole)
        damaged[bit // 8] ^= 1 << bit % 8
        with pytest.raises(AssetError):
            from_bytes(bytes(damaged))


def test_every_truncation_is_refused(asset_path):
    whole = asset_path.read_bytes()
    for length in range(len(whole)):
        with pytest.raises(AssetError):
            from_bytes(whole[:length])
    with pytest.raises(AssetError):
        from_bytes(whole + b"\0")


@pytest.mark.parametrize("start, stop", [(0, 100), (0, -1)])
def test_truncated_message(asset_path, start, stop):
    asset_path.write_bytes(asset_path.read_bytes()[start:stop])
    got = {
        100: "a damaged or truncated asset, need a neuralshade asset. "
        "Make one with neuralshade fit.",
        -1: "bytes that do not match their checksum, need the file as it was written. "
        "Copy it again.",
    }[stop]
    assert refusal(asset_path) == f"{asset_path}: got {got}"


def test_altered_number_message(asset_path, same_message):
    data = bytearray(asset_path.read_bytes())
    data[-1] ^= 1
    asset_path.write_bytes(data)
    same_message(refusal(asset_path), asset_path, "Copy")


def save_png(path):
    Image.new("RGB", (3, 2)).save(path, "PNG")


FOREIGN = {
    "empty": (lambda path: path.write_bytes(b""), "an empty file"),
    "text": (lambda path: path.write_text("hello\n"), "a file that is no safetensors file"),
    "png": (save_png, "a file that is no safetensors file"),
    "json": (lambda path: path.write_text('{"a": 1}'), "a file that is no safetensors file"),
    "zeros": (lambda path: path.write_bytes(bytes(99)), "a file that is no safetensors file"),
    "bare safetensors": (
        lambda path: path.write_bytes(safetensors.numpy.save({"t": np.zeros(2)})),
        "a safetensors file of another program",
    ),
    "foreign safetensors": (
        lambda path: path.write_bytes(safetensors.numpy.save({}, {"format": "pt"})),
        "a safetensors file of another program",
    ),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_foreign_files_refused(tmp_path, name):
    path = tmp_path / "x.nsh"
    write, got = FOREIGN[name]
    write(path)
    assert refusal(path) == (
        f"{path}: got {got}, need a neuralshade asset. Make one with neuralshade fit."
    )


@pytest.mark.parametrize("metadata", ["1", "[]", "{}", '{"kind": 1, "format": 1}', "nonsense",
                                      '{"kind": "image", "format": 1}', "[" * 5000])  # fmt: skip
def test_our_key_with_other_content_refused(tmp_path, metadata, same_message):
    path = tmp_path / "x.nsh"
    path.write_bytes(safetensors.numpy.save({}, {"neuralshade": metadata}))
    same_message(refusal(path), path, "Make")


def test_missing_file_refused(tmp_path, same_message):
    path = tmp_path / "absent.nsh"
    same_message(refusal(path), path, "Check")


def test_folder_refused(tmp_path):
    assert refusal(tmp_path) == (
        f"{tmp_path}: got a folder, need a readable asset file. Check the path."
    )
    (tmp_path / "bark.nsh").touch()
    with pytest.raises(AssetError) as caught:
        read_asset_file(tmp_path)
    assert str(caught.value).endswith(f"Name the one in it: {tmp_path / 'bark.nsh'}.")


def test_newer_format_refused(tmp_path, monkeypatch):
    path = tmp_path / "x.nsh"
    with monkeypatch.context() as future:
        future.setattr(neuralshade.asset.file, "FORMAT", FORMAT + 1)
        write_asset_file(path, AssetFile({"kind": "image"}, {}))
    assert refusal(path) == (
        f"{path}: got format {FORMAT + 1}, need <= {FORMAT}. Upgrade neuralshade."
    )


def test_checkpoint_refused_as_asset(tmp_path, same_message):
    path = tmp_path / "x.nsh"
    write_asset_file(path, AssetFile({"kind": "image-checkpoint"}, {}))
    same_message(refusal(path, "image"), path, "--resume")


def test_other_kind_refused(tmp_path, same_message):
    path = tmp_path / "x.nsh"
    write_asset_file(path, AssetFile({"kind": "splats"}, {}))
    same_message(refusal(path, "image"), path, "Use")


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_header_numbers_that_json_lacks_become_none(value):
    header = {"kind": "k", "progress": {"loss": value, "curve": [[1, value], (2, 0.5)]}}
    back = from_bytes(to_bytes(AssetFile(header, {})))
    assert back.header["progress"] == {"loss": None, "curve": [[1, None], [2, 0.5]]}


def test_tensors_that_do_not_fit_the_bytes_are_told_of(monkeypatch, tmp_path, same_message):
    path = tmp_path / "x.nsh"
    write_asset_file(path, AssetFile({"kind": "image"}, {"t": np.zeros(2)}))

    def refuse(data):
        raise KeyError("F8_E4M3")

    monkeypatch.setattr(safetensors.numpy, "load", refuse)
    same_message(refusal(path), path, "Fit")
