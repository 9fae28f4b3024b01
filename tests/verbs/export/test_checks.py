"""verbs/export/check: functions that read part of what is bound, or nothing, are run too."""

import numpy as np
import pytest

from neuralshade.errors import DeviceError, KernelError
from neuralshade.gpu import cuda_packages
from neuralshade.languages.cpp import Cuda
from neuralshade.languages.harness import MAKERS
from neuralshade.model.shader_form import Function, Golden, Parameter, ShaderForm
from neuralshade.verbs.export.check import cuda_by_nvrtc, dxc
from neuralshade.verbs.export.check.checks import check_form

COUNT = 128
KERNEL = """
RWStructuredBuffer<float> answers : register(u0);

[numthreads(64, 1, 1)]
void check(uint3 thread : SV_DispatchThreadID)
{
    answers[thread.x] = %s;
}
"""


def answers(last):
    at = (np.arange(COUNT, dtype=np.float32) % 4)[:, None]
    return [Golden("flat_same", at, np.full_like(at, 0.25), 0.0),
            Golden("flat_read", at, np.float32([1, 2, 3, last])[at.astype(int)], 0.0)]  # fmt: skip


def form_of(last):
    """Return a form of which one function reads nothing, and one a buffer."""
    functions = (
        Function("float", "flat_same", (Parameter("float", "x"),), ("return 0.25;",), public=True),
        Function("float", "flat_read", (Parameter("int", "i"),),
                 ("return as_float(flat_word(i));",), public=True),
    )  # fmt: skip
    words = np.float32([1, 2, 3, 4]).view(np.uint32)
    return ShaderForm("flat", (), (), functions, words, lambda: answers(last))


@pytest.mark.parametrize("language", ["cpp", "glsl", "glsl-es", "hlsl", "slang", "spirv", "wgsl"])
def test_what_reads_nothing_is_checked_too(language):
    rows = check_form(form_of(last=4), [language], None)
    if all(row["ran_on"] is None for row in rows):
        pytest.skip(rows[0]["why_not"])
    assert [row["right"] for row in rows] == [True, True]


def test_a_wrong_answer_is_told():
    rows = check_form(form_of(last=5), ["cpp"], None)
    if all(row["ran_on"] is None for row in rows):
        pytest.skip(rows[0]["why_not"])
    assert [row["right"] for row in rows] == [True, False]
    assert [row["error"] for row in rows] == [0, 1]


def has_dxc():
    try:
        return dxc.compile_hlsl(KERNEL % "1.0", "check", "cs_6_0")[:4] == b"DXBC"
    except DeviceError:
        return False


@pytest.mark.parametrize("options", [(), ("-spirv",)], ids=["dxil", "spirv"])
def test_dxc_says_what_it_refuses(options):
    if not has_dxc():
        pytest.skip("no DXC")
    with pytest.raises(KernelError, match="'missing'"):
        dxc.compile_hlsl(KERNEL % "missing", "check", "cs_6_0", options)


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setattr(dxc.importlib.util, "find_spec", lambda name: None)
    dxc._library.cache_clear()
    (row, _) = check_form(form_of(last=4), ["hlsl"], None)
    dxc._library.cache_clear()
    assert row["right"] is None and row["ran_on"] is None
    assert "no package compushady-lrtu" in row["why_not"] and "check" in row["why_not"]


@pytest.mark.gpu
def test_cuda_is_run():
    rows = check_form(form_of(last=4), ["cuda"], None)
    assert [row["right"] for row in rows] == [True, True], list(rows)
    assert "NVRTC" in rows[0]["ran_on"] and rows[0]["ns"] > 0


def test_cuda_says_which_package_is_missing(monkeypatch):
    def missing(name, *words):
        raise DeviceError(f"device: got no package, need {words[0]}\nfor CUDA. {words[-1]}")

    monkeypatch.setattr(cuda_packages, "optional_module", missing)
    cuda_packages.nvrtc.cache_clear()
    (row, _) = check_form(form_of(last=4), ["cuda"], None)
    cuda_packages.nvrtc.cache_clear()
    assert row["right"] is None and row["why_not"] == (
        'not run: device: got no package, need cuda-bindings for CUDA. Run: pip install '
        '"neuralshade[cuda]"'
    )  # fmt: skip


def test_cuda_is_compiled_without_a_gpu(monkeypatch):
    try:
        cuda_packages.nvrtc()
    except DeviceError as error:
        pytest.skip(str(error))
    monkeypatch.setattr(cuda_by_nvrtc, "has_nvidia_driver", lambda: False)
    (row, _) = check_form(form_of(last=4), ["cuda"], None)
    assert row["right"] is None and "compiled by NVRTC" in row["why_not"]
    monkeypatch.setitem(MAKERS, Cuda, lambda *_: ["missing();"])
    (row, _) = check_form(form_of(last=4), ["cuda"], None)
    assert row["right"] is False and "NVRTC says" in row["why_not"]
