"""gpu/kernel_dump: each kernel that is compiled is in the folder once, with what came of it."""

import re
import threading

import numpy as np
import pytest

from neuralshade.errors import DeviceError, KernelError, OutputError
from neuralshade.gpu import cuda_cache, cuda_packages, kernel_dump
from neuralshade.gpu.cuda_cache import build_kernel
from neuralshade.gpu.gpu import run_once

TEXT = """
RWStructuredBuffer<float> into;

[shader("compute")]
[numthreads(8, 1, 1)]
void fill(uint3 thread : SV_DispatchThreadID)
{
    into[thread.x] = FACTOR * float(thread.x);
}

[shader("compute")]
[numthreads(8, 1, 1)]
void clear(uint3 thread : SV_DispatchThreadID)
{
    into[thread.x] = 0.0f;
}
"""
SPIRV_MAGIC = b"\x03\x02\x23\x07"


def text(factor="2.0f"):
    return TEXT.replace("FACTOR", factor)


def compiled(gpu, entry="fill", factor="2.0f"):
    """Compile and run a kernel, and return what it wrote."""
    into = gpu.buffer(np.ones(8, np.float32))
    run_once(gpu, [(gpu.kernel(text(factor), entry, {"into": into}), 1)])
    return into.read().view(np.float32)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def stems(folder):
    return sorted(path.stem for path in folder.glob("*.slang"))


def test_the_text_and_what_came_of_it_are_written(gpu, tmp_path):
    """Twice: the second time, the kernel lies in a cache."""
    for folder in (tmp_path / "first", tmp_path / "second"):
        with kernel_dump.into(folder):
            np.testing.assert_array_equal(compiled(gpu), 2.0 * np.arange(8))
        assert (folder / "00_fill.slang").read_text() == text()
        if gpu.api == "vulkan":
            assert names(folder) == ["00_fill.slang", "00_fill.spv", "00_fill.spv-asm"]
            assert (folder / "00_fill.spv").read_bytes().startswith(SPIRV_MAGIC)
            assert "OpEntryPoint GLCompute %fill" in (folder / "00_fill.spv-asm").read_text()
        elif gpu.api == "cuda":
            assert names(folder) == [f"00_fill.{end}" for end in ("cu", "cubin", "ptx", "slang")]


def test_each_kernel_is_written_once_under_a_number_of_its_own(gpu, tmp_path):
    with kernel_dump.into(tmp_path):
        for _ in range(2):
            compiled(gpu)
            compiled(gpu, "clear")
            compiled(gpu, factor="3.0f")
    assert stems(tmp_path) == ["00_fill", "01_clear", "02_fill"]
    assert (tmp_path / "02_fill.slang").read_text() == text("3.0f")


def test_numbers_go_on_behind_those_that_are_there(gpu, tmp_path):
    (tmp_path / "07_old.slang").write_text("old")
    (tmp_path / "notes.slang").write_text("mine")
    with kernel_dump.into(tmp_path):
        compiled(gpu)
    assert stems(tmp_path) == ["07_old", "08_fill", "notes"]


def test_files_of_the_text_s_own_are_found(gpu, tmp_path):
    (tmp_path / "own.slang").write_text("public float own() { return 5.0f; }")
    with kernel_dump.into(tmp_path / "dump"):
        into = gpu.buffer(size=32)
        own = "import own;\n" + text("own()")
        run_once(gpu, [(gpu.kernel(own, "fill", {"into": into}, folder=tmp_path), 1)])
    np.testing.assert_array_equal(into.read().view(np.float32), 5.0 * np.arange(8))
    assert stems(tmp_path / "dump") == ["00_fill"]


def test_text_that_does_not_compile_is_there_too(gpu, tmp_path):
    with kernel_dump.into(tmp_path), pytest.raises(KernelError, match="undefined_thing"):
        gpu.kernel(text("undefined_thing()"), "fill", {})
    assert names(tmp_path) == ["00_fill.slang"]


def test_nothing_is_written_outside_the_block_or_by_other_threads(gpu, tmp_path):
    with kernel_dump.into(None):
        compiled(gpu)
    with kernel_dump.into(tmp_path):
        other = threading.Thread(target=kernel_dump.begin, args=("text", "f"))
        other.start()
        other.join()
    compiled(gpu)
    assert names(tmp_path) == []


def test_an_inner_block_has_its_own_folder(tmp_path):
    with kernel_dump.into(tmp_path / "outer"):
        with kernel_dump.into(tmp_path / "inner"):
            kernel_dump.begin("text", "f")
        kernel_dump.begin("text", "g")
    assert (stems(tmp_path / "outer"), stems(tmp_path / "inner")) == (["00_g"], ["00_f"])


def test_of_several_files_with_one_suffix_the_last_is_kept(tmp_path):
    with kernel_dump.into(tmp_path):
        dumped = kernel_dump.begin("text", "f")
        with dumped.intermediates() as beginning:
            for number in (9, 10):
                (tmp_path / f"{beginning}{number}.metal").write_text(str(number))
    assert names(tmp_path) == ["00_f.metal", "00_f.slang"]
    assert (tmp_path / "00_f.metal").read_text() == "10"


@pytest.mark.parametrize("place, rest", [
    ("absent/folder", "got 'No such file or directory', need a folder for kernels. "
                      "Create its parent, or choose another."),
    ("file", "got a file, need a folder for kernels. Choose another."),
])  # fmt: skip
def test_a_folder_that_cannot_be_made_is_refused(tmp_path, refusal, place, rest):
    (tmp_path / "file").touch()
    folder = tmp_path / place
    assert refusal(OutputError, kernel_dump.into(folder).__enter__) == f"{folder}: {rest}"


@pytest.fixture
def nvrtc():
    pytest.importorskip("slangpy")
    try:
        cuda_packages.nvrtc()
    except DeviceError as error:
        pytest.skip(str(error))


def test_cuda_text_and_its_machine_code_are_written_cached_or_not(tmp_path, monkeypatch, nvrtc):
    """Needs no GPU, but NVRTC."""
    (tmp_path / "cache").mkdir()
    monkeypatch.setattr(cuda_cache, "cache_folder", lambda: tmp_path / "cache")
    kernels = [build_kernel(text(), "fill", "sm_90a")]
    for folder in (tmp_path / "first", tmp_path / "second"):
        with kernel_dump.into(folder):
            kernels += [build_kernel(text(), "fill", "sm_90a") for _ in range(2)]
            build_kernel(text(), "fill", "sm_90a", fast_math=True)
        ends = (".cu", ".cubin", ".ptx", ".slang")
        assert names(folder) == [f"{at}_fill{end}" for at in ("00", "01") for end in ends]
        assert (folder / "00_fill.cubin").read_bytes() == kernels[0].cubin
        assert 'extern "C" __global__ void fill()' in (folder / "00_fill.cu").read_text()
        ptx = (folder / "00_fill.ptx").read_text()
        assert re.search(r"\.visible \.entry fill\(", ptx) and "\0" not in ptx
    assert kernels == kernels[:1] * 5


def test_cuda_text_is_there_where_nvrtc_refuses_it(tmp_path, monkeypatch):
    """Needs neither a GPU nor NVRTC, whose place a refusal takes."""
    pytest.importorskip("slangpy")

    def refuse(code, architecture, *, fast_math, options):
        raise KernelError("kernel: refused")

    monkeypatch.setattr(cuda_cache, "cache_folder", lambda: None)
    monkeypatch.setattr(cuda_cache, "compile_cuda", refuse)
    with kernel_dump.into(tmp_path), pytest.raises(KernelError, match="refused"):
        build_kernel(text(), "fill", "sm_90a")
    assert names(tmp_path) == ["00_fill.cu", "00_fill.slang"]
    emitted = (tmp_path / "00_fill.cu").read_text()
    assert 'extern "C" __global__ void fill()' in emitted
