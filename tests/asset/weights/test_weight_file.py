"""asset/weights: files of strangers, whose sizes are looked at before anything is allocated."""

import io
import json
import pickle
import struct
import zipfile
from contextlib import suppress

import numpy as np
import pytest
import safetensors.numpy
import torch
from fixtures.foreign_networks import msgpack
from hypothesis import given
from hypothesis import strategies as st

from neuralshade.asset.weights.foreign_bytes import read_bytes
from neuralshade.asset.weights.msgpack import unpacked
from neuralshade.asset.weights.weight_file import read_tensors
from neuralshade.errors import AssetError

VALUES = np.arange(6, dtype=np.float32).reshape(2, 3)


def npy(values):
    file = io.BytesIO()
    np.save(file, values)
    return file.getvalue()


def npy_header(text, data=b""):
    text = text.encode().ljust(118) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + data


def npz(**members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(f"{name}.npy", data)
    return file.getvalue()


def pt(value):
    file = io.BytesIO()
    torch.save(value, file)
    return file.getvalue()


WHOLE = {
    "a.safetensors": safetensors.numpy.save({"params": VALUES}),
    "a.npy": npy(VALUES),
    "big_endian.npy": npy(VALUES.astype(">f4")),
    "columns.npy": npy(np.asfortranarray(VALUES)),
    "a.npz": npz(params=npy(VALUES)),
    "a.pt": pt({"params": torch.from_numpy(VALUES)}),
    "tensor.pth": pt(torch.from_numpy(VALUES)),
}


@pytest.mark.parametrize("name", WHOLE)
def test_each_form_gives_its_tensors(tmp_path, name):
    (tmp_path / name).write_bytes(WHOLE[name])
    found = read_tensors(tmp_path / name)
    assert list(found) == ["params"]
    np.testing.assert_array_equal(found["params"], VALUES)
    assert found["params"].dtype == np.float32


def test_dtypes(tmp_path, caplog):
    tensors = {"half": torch.ones(2).half(), "brain": torch.ones(2).bfloat16(),
               "double": torch.ones(2).double(), "count": torch.ones(2).int()}  # fmt: skip
    (tmp_path / "a.pt").write_bytes(pt(tensors))
    found = {name: str(values.dtype) for name, values in read_tensors(tmp_path / "a.pt").items()}
    assert found == {"half": "float16", "brain": "float32", "double": "float32"}
    np.save(tmp_path / "a.npy", VALUES.astype(np.float64))
    assert read_tensors(tmp_path / "a.npy")["params"].dtype == np.float32
    assert [record.getMessage() for record in caplog.records] == [
        f"{tmp_path / 'a.pt'}: got double as float64, rounded to float32.",
        f"{tmp_path / 'a.npy'}: got params as float64, rounded to float32.",
    ]


class Run:
    def __reduce__(self):
        return print, ("code of a stranger ran",)


def forged_safetensors(shape, offsets):
    header = json.dumps({"a": {"dtype": "F32", "shape": shape, "data_offsets": offsets}}).encode()
    return struct.pack("<Q", len(header)) + header + bytes(24)


@pytest.mark.parametrize(
    "name, data, words",
    [
        ("a.safetensors", WHOLE["a.safetensors"][:-1], "need a whole safetensors file"),
        ("a.safetensors", b"", "need a whole safetensors file"),
        ("a.safetensors", struct.pack("<Q", 2**60) + b"{}", "need a whole safetensors file"),
        ("a.safetensors", forged_safetensors([2**40], [0, 2**42]), "need a whole safetensors"),
        ("a.safetensors", forged_safetensors([6], [0, 23]), "need a whole safetensors file"),
        ("a.npy", WHOLE["a.npy"][:-1], "need a whole .npy or .npz"),
        ("a.npy", npy_header("{'descr': '<f4', 'fortran_order': False, 'shape': (10**12,), }"),
         "need a whole .npy"),
        ("a.npy", npy_header("{'descr': '<f4', 'fortran_order': False, 'shape': (10000000000,), }"),
         "0 bytes for shape"),
        ("a.npy", npy_header("{'descr': '<f4', 'fortran_order': False, 'shape': (-2, -3), }",
                             bytes(24)), "got bytes that no reader takes"),
        ("a.npy", npy_header("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }",
                             pickle.dumps(Run())), "Python objects, which are never loaded"),
        ("a.npy", npy(np.array([Run()], object)), "Python objects, which are never loaded"),
        ("a.npz", npz(params=pickle.dumps(Run())), "need a whole .npy or .npz"),
        ("a.npz", WHOLE["a.npz"][:40], "need a whole .npy or .npz"),
        ("a.pt", pt({"params": Run()}), "need a state dict or a tensor of torch.save"),
        ("a.pt", pickle.dumps(Run()), "need a state dict or a tensor of torch.save"),
        ("a.pt", WHOLE["a.pt"][:-50], "need a state dict or a tensor of torch.save"),
        ("a.pt", pt({"model": {"w": torch.ones(2)}}), "got dict as 'model', need a state dict"),
        ("a.pt", pt({"a": torch.ones(1).expand(10**13)}), "in fewer bytes, need every number"),
        ("a.pt", pt({"a": torch.ones(3, device="meta")}), "need every number in the file"),
        ("a.pt", pt([torch.ones(2)]), "got list, need a state dict or a tensor"),
        ("a.npy", npy(np.full(3, np.inf, np.float32)), "got NaN or infinity in tensor params"),
        ("a.npy", npy(np.full(3, 1e99)), "got NaN or infinity in tensor params"),
        ("a.bin", b"123", "got suffix '.bin', need safetensors, npz, npy or pt"),
    ],
)  # fmt: skip
def test_damaged_and_hostile_files_are_refused(tmp_path, refusal, capsys, name, data, words):
    (tmp_path / name).write_bytes(data)
    message = refusal(AssetError, read_tensors, tmp_path / name)
    assert message.startswith(f"{tmp_path / name}: got ")
    assert words in message
    assert not capsys.readouterr().out  # nothing ran


def test_files_that_are_not_there(tmp_path, refusal, same_message):
    message = refusal(AssetError, read_tensors, tmp_path / "a.npy")
    same_message(message, tmp_path / "a.npy", "Check")
    assert "got a folder, need a file" in refusal(AssetError, read_bytes, tmp_path)


def test_a_file_and_what_it_expands_to_have_a_limit(tmp_path, refusal, monkeypatch):
    for module in ("foreign_bytes", "numpy_file"):
        monkeypatch.setattr(f"neuralshade.asset.weights.{module}.LARGEST_BYTES", 1000)
    (tmp_path / "a.npy").write_bytes(bytes(1001))
    assert "got 1,001 bytes, need at most 1,000. Save the parameters alone." in refusal(
        AssetError, read_tensors, tmp_path / "a.npy"
    )
    (tmp_path / "a.npz").write_bytes(npz(params=npy(np.zeros(4000, np.float32))))
    assert "need at most 1,000" in refusal(AssetError, read_tensors, tmp_path / "a.npz")


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(max_size=9)
    | st.binary(max_size=9) | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner,
                                                                max_size=4), max_leaves=12,
)  # fmt: skip


@given(PLAIN)
def test_messagepack_comes_back(value):
    assert unpacked(msgpack(value)) == value


@pytest.mark.parametrize(
    "data, value",
    [
        (b"\x00", 0), (b"\x7f", 127), (b"\xff", -1), (b"\xe0", -32), (b"\xc0", None),
        (b"\xc2", False), (b"\xc3", True), (b"\xcc\xff", 255), (b"\xcd\x01\x00", 256),
        (b"\xce\x00\x01\x00\x00", 65536), (b"\xcf" + b"\xff" * 8, 2**64 - 1),
        (b"\xd0\x80", -128), (b"\xd1\x80\x00", -32768), (b"\xd2\x80\x00\x00\x00", -(2**31)),
        (b"\xca\x3f\x80\x00\x00", 1.0), (b"\xa2hi", "hi"), (b"\x92\x01\x02", [1, 2]),
        (b"\x81\xa1a\x01", {"a": 1}), (b"\xc4\x02ab", b"ab"), (b"\xc5\x00\x02ab", b"ab"),
        (b"\xd4\x05a", b"a"), (b"\xd8\x05" + b"a" * 16, b"a" * 16), (b"\xc7\x02\x05ab", b"ab"),
        (b"\xda\x00\x02hi", "hi"), (b"\xdb\x00\x00\x00\x02hi", "hi"),
        (b"\xdd\x00\x00\x00\x01\x01", [1]), (b"\xdf\x00\x00\x00\x01\xa1a\x01", {"a": 1}),
    ],
)  # fmt: skip
def test_each_form_of_messagepack(data, value):
    found = unpacked(data)
    assert (found, type(found)) == (value, type(value))
    with pytest.raises(ValueError, match="behind the end"):
        unpacked(data + b"\xc0")
    if len(data) > 1:
        with pytest.raises(ValueError, match=r"cut|behind"):
            unpacked(data[:-1])


@pytest.mark.parametrize(
    "data",
    [b"", b"\xc1", b"\xdd\xff\xff\xff\xff", b"\xc6\xff\xff\xff\xff", b"\x91" * 10_000,
     b"\x81\x01\x02", b"\x82\xa1a\x01\xa1a\x02", b"\xa1\xff", b"\x81\x91\x01\x02"],
)  # fmt: skip
def test_what_is_no_messagepack_is_refused(data):
    with pytest.raises(ValueError, match=r"cut|byte|deep|name|decode"):
        unpacked(data)


@given(st.binary(max_size=40))
def test_any_bytes_are_read_or_refused(data):
    with suppress(ValueError):
        unpacked(data)
