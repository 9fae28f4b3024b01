"""gpu/cuda_prelude: kernels keep what they use of Slang's prelude, and nothing else."""

import re

import pytest

from neuralshade.errors import DeviceError, KernelError
from neuralshade.gpu import cuda_cache, cuda_packages
from neuralshade.gpu.cuda_compiler import compile_cuda
from neuralshade.gpu.cuda_prelude import GUARD, own_text, trimmed
from neuralshade.gpu.cuda_text import patched_text
from neuralshade.gpu.slang_export import export_slang

PRELUDE = f"""{GUARD}
#define SLANG_CUDA_PRELUDE_H
#if SLANG_CUDA_RTC  // a comment
#define LIKE(T) \\
    struct T##_pair {{ T x, y; }}; \\
    inline T##_pair both(T x) {{ return {{x, x}}; }}
#else
#define LIKE(T) struct T##_none {{ T x; }};
#endif
struct Plain {{ int a; }};
typedef Plain Same;
template<typename T, int N = (2 + 3) / 4>
struct Wide {{ T values[N]; Plain plain; }};
template<>
inline Plain read<Plain>(DROP (int x), const Plain& p) {{ return p; }}
inline int sum(int2 a) {{ return text("a }} (", a.x); }}
inline int sum(float2 a) {{ return (int)factor(a.x); }}
inline float factor(float a) {{ return a * BIG; }}
inline int2 operator+(int2 a, int2 b) {{ return {{a.x + b.x, a.y + b.y}}; }}
inline uint3 operator*(uint3 a, uint3 b) {{ return {{a.x * b.x, a.y * b.y, a.z * b.z}}; }}
static const int BIG = 3;
#define ONES ONE(1)
#define ONE(n) inline int one_##n() {{ return #n[0]; }}
LIKE(int)
LIKE(float)
ONES
#endif

"""


def kept(kernel):
    """Return what is kept for the text of a kernel, without directives."""
    text = trimmed(PRELUDE + kernel)
    assert text.endswith("\n" + kernel)
    lines = text.removesuffix(kernel).splitlines()
    return " ".join(line.strip() for line in lines if not line.startswith("#"))


def names(kernel):
    return set(re.findall(r"\w+", kept(kernel)))


def test_what_a_kernel_does_not_name_is_left_out():
    assert names("void f() {}") == set(re.findall(r"\w+", "inline uint3 operator uint3 a uint3 b "
                                                  "return a x b x a y b y a z b z"))  # fmt: skip


@pytest.mark.parametrize("kernel, needs, not_needed", [
    ("Plain p;", "struct Plain", "Wide"),
    ("Same p;", "struct Plain", "Wide"),
    ("Wide<int> p;", "Wide", "sum"),
    ("int2 a; sum(a);", "int sum(int2 a)", "float2"),
    ("float2 a; sum(a);", "int sum(float2 a)", "int2"),
    ("float2 a; sum(a);", "static const int BIG", "Wide"),
    ("int2 a;", "int2 operator+(int2 a, int2 b)", "sum"),
    ("int_pair p;", "struct int_pair { int x, y; };", "float_pair"),
    ("float_pair p = both(1.0f);", "float_pair both(float x)", "Plain"),
    ("read<Plain>(1, p)", "read<Plain>", "Wide"),
    ("one_1();", 'one_1() { return "1"[0]; }', "Plain"),
])  # fmt: skip
def test_a_kernel_keeps_what_it_names_and_what_that_needs(kernel, needs, not_needed):
    assert needs in kept(kernel)
    assert not_needed not in kept(kernel)


def test_conditions_stay_balanced():
    text = trimmed(PRELUDE + "Plain p;")
    assert len(re.findall(r"^#if", text, re.M)) == len(re.findall(r"^#endif", text, re.M)) == 2


@pytest.mark.parametrize("text", ["void f() {}", GUARD + "\nstruct A {};"])
def test_other_texts_are_left_alone(text):
    assert trimmed(text) == text == own_text(text)


def test_own_text_is_what_surrounds_the_prelude():
    assert own_text("before\n" + PRELUDE + "after") == "before\n\n\nafter"


TEXT = """
StructuredBuffer<float3> points;
RWStructuredBuffer<float> into;
uniform float3x3 turn;

[shader("compute")]
[numthreads(32, 1, 1)]
void plain(uint3 thread : SV_DispatchThreadID)
{
    int2 at = int2(thread.xy) % int2(3, 5);
    let bits = asuint(points[at.x]) ^ WaveActiveBitOr(thread.x);
    into[thread.x] = dot(mul(turn, points[thread.x]), float3(bits)) + float(all(at == 1));
}

[shader("compute")]
[numthreads(32, 1, 1)]
void halves(uint3 thread : SV_DispatchThreadID)
{
    half4 v = half4(half3(points[thread.x]), 1.0h);
    into[thread.x] = float(dot(v * v, min(v, v.wzyx))) + f16tof32(thread.x);
}
"""


def emitted(entry):
    pytest.importorskip("slangpy")
    return patched_text(export_slang(TEXT, entry), entry).code


@pytest.mark.parametrize("entry", ["plain", "halves"])
def test_most_of_slangs_own_prelude_goes(entry):
    code = emitted(entry)
    assert own_text(code) in trimmed(code)
    assert len(trimmed(code)) < len(code) / 2


@pytest.fixture
def nvrtc():
    try:
        cuda_packages.nvrtc()
    except DeviceError as error:
        pytest.skip(str(error))


def instructions(made):
    """Return the text before assembly without global variables: the whole prelude's are unused."""
    lines = made.ptx.decode().splitlines()
    return [line for line in lines if line and not line.startswith(".global")]


@pytest.mark.parametrize("entry", ["plain", "halves"])
def test_machine_code_is_the_same(entry, nvrtc):
    code = emitted(entry)
    short, whole = (compile_cuda(text, "sm_80") for text in (trimmed(code), code))
    assert instructions(short) == instructions(whole)
    assert len(short.cubin) < len(whole.cubin)


def test_a_refused_short_text_is_compiled_whole(monkeypatch):
    seen = []

    def refusing(code, architecture, *, fast_math, options):
        seen.append(code)
        if code == "short":
            raise KernelError("refused")
        return "made"

    monkeypatch.setattr(cuda_cache, "compile_cuda", refusing)
    monkeypatch.setattr(cuda_cache, "trimmed", lambda code: "short")
    assert cuda_cache._machine_code("whole", "sm_80", False) == "made"
    assert seen == ["short", "whole"]
    with pytest.raises(KernelError, match="refused"):
        cuda_cache._machine_code("short", "sm_80", False)
