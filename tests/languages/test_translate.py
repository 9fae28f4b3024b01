"""languages/translate: one entry point in each target's language, and refusals."""

import shutil
import subprocess

import pytest

from neuralshade.errors import ConfigError, KernelError
from neuralshade.gpu.slang_export import export_slang
from neuralshade.languages.translate import TARGETS, translate

pytest.importorskip("slangpy")
TEXT = """
import neuralshade.model.activation;
uniform float slope;
StructuredBuffer<float> from;
RWStructuredBuffer<float> into;

[shader("compute")]
[numthreads(64, 2, 1)]
void scale(uint3 thread : SV_DispatchThreadID)
{
    into[thread.x] = slope * from[thread.x];
}
"""
HALVES = """
ByteAddressBuffer from;
RWStructuredBuffer<float> into;

[shader("compute")]
[numthreads(1, 1, 1)]
void f(uint3 thread : SV_DispatchThreadID)
{
    into[thread.x] = float(from.Load<half>(2u * thread.x));
}
"""
SIGNS = {
    "wgsl": "@workgroup_size(64, 2, 1)",
    "glsl": "layout(local_size_x = 64, local_size_y = 2, local_size_z = 1) in;",
    "hlsl": "[numthreads(64, 2, 1)]",
    "metal": "[[kernel]] void scale(",
    "cuda": 'extern "C" __global__ void scale()',
}


@pytest.mark.parametrize("target", SIGNS)
def test_an_entry_point_becomes_text(target):
    assert SIGNS[target] in translate(TEXT, "scale", target).decode()


def test_an_entry_point_becomes_spirv():
    words = translate(TEXT, "scale", "spirv")
    assert words.startswith(b"\x03\x02\x23\x07") and len(words) % 4 == 0
    if shutil.which("spirv-val"):
        subprocess.run(["spirv-val", "-"], input=words, check=True)


def test_every_target_is_looked_at():
    assert set(TARGETS) == {*SIGNS, "spirv"}


def test_cuda_text_reads_its_parameters_where_they_are():
    assert "(&globalParams_0->" in export_slang(TEXT, "scale").code, "is this still needed?"
    assert b"(&globalParams_0->" not in translate(TEXT, "scale", "cuda")


def test_files_of_the_text_s_own_are_found(tmp_path):
    (tmp_path / "own.slang").write_text("public float own() { return 12.5f; }")
    text = "import own;\n" + TEXT.replace("slope *", "own() *")
    assert b"12.5" in translate(text, "scale", "wgsl", folder=tmp_path)


@pytest.mark.parametrize("target, hint", [
    ("wsgl", " Did you mean wgsl?"), ("HLSL", " Did you mean hlsl?"), ("fortran", ""),
])  # fmt: skip
def test_an_unknown_target_is_refused(refusal, target, hint):
    assert refusal(ConfigError, translate, TEXT, "scale", target) == (
        f"target: got {target!r}, need one of wgsl, glsl, hlsl, metal, spirv, cuda.{hint}"
    )


def test_what_the_compiler_calls_an_error_is_one_though_it_returns_text():
    """WGSL cannot load halves from bytes: the compiler says so, and emits what is not WGSL."""
    with pytest.raises(KernelError) as caught:
        translate(HALVES, "f", "wgsl")
    assert "error[E56103]" in str(caught.value)
