"""gpu/shipped_kernels: what came with the package is taken where it is of today's sources."""

import logging

import pytest

from neuralshade.gpu import cuda_cache, shipped_kernels
from neuralshade.gpu.cuda_cache import BuiltKernel, build_kernel, kernel_parts, packed_kernel
from neuralshade.gpu.cuda_text import CudaLayout
from neuralshade.gpu.shipped_kernels import shipped_name, write_archive

LAYOUT = CudaLayout("main", [{"name": "into"}], (8, 1, 1), frozenset(("into",)), copies=False)
SHIPPED = BuiltKernel(LAYOUT, b"shipped code\n of two lines")
COMPILED = BuiltKernel(LAYOUT, b"compiled code")


@pytest.fixture
def archive(monkeypatch, tmp_path):
    """Give the path of an archive with one kernel; others are compiled, by a stand-in."""
    pytest.importorskip("slangpy")
    monkeypatch.setattr(shipped_kernels, "FOLDER", tmp_path)
    monkeypatch.setattr(cuda_cache, "compile_kernel", lambda *_: COMPILED)
    monkeypatch.setattr(cuda_cache, "cache_folder", lambda: None)
    path = tmp_path / "sm_90a.zip"
    parts = kernel_parts("text", "main", "sm_90a", False)
    write_archive(path, [(shipped_name(parts), packed_kernel(SHIPPED))])
    return path


def test_a_shipped_kernel_is_taken(archive):
    assert build_kernel("text", "main", "sm_90a") == SHIPPED


@pytest.mark.parametrize("other", [
    {"text": "other"}, {"entry": "other"}, {"architecture": "sm_86"}, {"fast_math": True},
])  # fmt: skip
def test_another_kernel_is_compiled(archive, other):
    asked = {"text": "text", "entry": "main", "architecture": "sm_90a"} | other
    assert build_kernel(**asked) == COMPILED


def test_kernels_of_other_sources_are_of_no_effect(archive, monkeypatch):
    monkeypatch.setattr(cuda_cache, "_sources", lambda: "a digest of changed files")
    assert build_kernel("text", "main", "sm_90a") == COMPILED


def test_a_text_with_files_of_its_own_is_compiled(archive, tmp_path):
    assert build_kernel("text", "main", "sm_90a", folder=tmp_path) == COMPILED


@pytest.mark.parametrize("damage", [lambda raw: raw[:40], lambda raw: b"", lambda raw: raw[::-1]])
def test_a_damaged_archive_is_told_and_passed_over(archive, damage, caplog, same_message):
    archive.write_bytes(damage(archive.read_bytes()))
    with caplog.at_level(logging.WARNING, "neuralshade"):
        assert build_kernel("text", "main", "sm_90a") == COMPILED
    (line,) = [text for text in map(logging.LogRecord.getMessage, caplog.records) if "zip" in text]
    same_message(line.replace(str(archive.parent), "FOLDER"), "kernels", "Install")


def test_a_damaged_kernel_is_told_and_passed_over(archive, caplog):
    raw = bytearray(archive.read_bytes())
    raw[90] ^= 0xFF
    archive.write_bytes(raw)
    with caplog.at_level(logging.WARNING, "neuralshade"):
        assert build_kernel("text", "main", "sm_90a") == COMPILED
    assert "sm_90a.zip" in caplog.text


def test_equal_kernels_make_equal_archives(tmp_path):
    kernels = [("b", b"1" * 1000), ("a", b"2")]
    for name in ("x.zip", "y.zip"):
        write_archive(tmp_path / name, kernels if name == "x.zip" else kernels[::-1])
    assert (tmp_path / "x.zip").read_bytes() == (tmp_path / "y.zip").read_bytes()
