"""gpu/cuda_text: reads of parameters are put right, and their bytes lie as Slang says.

Kernels are found under the names that Slang gives them, and large groups are bounded.
"""

import re
import struct
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from neuralshade.errors import KernelError
from neuralshade.gpu.cuda_text import (
    COPY,
    CudaLayout,
    CudaText,
    element_size,
    not_inlined,
    packed,
    patched_text,
)
from neuralshade.gpu.device import SOURCE_FOLDER
from neuralshade.gpu.slang_export import Exported, export_slang

pytest.importorskip("slangpy")
TEXT = """
struct Inner
{
    float a;
    float2 b;
    half h;

    float twice() { return 2.0f * a; }

    float limited(float x)
    {
        if (x > a)
            return b.y;
        return b.x * x;
    }
}

struct Outer
{
    Inner inner;
    uint k;
}

uniform Outer outer;
uniform int2 size_px;
uniform bool flag;
uniform float spare;
uniform Inner alone;
StructuredBuffer<Inner> inners;
StructuredBuffer<uint4> words;
ByteAddressBuffer bytes;
RWTexture2D<float4> canvas;
RWStructuredBuffer<float> into;

[shader("compute")]
[numthreads(32, 1, 1)]
void plain(uint3 thread : SV_DispatchThreadID)
{
    Inner inner = outer.inner;
    if (flag)
        into[thread.x] = inner.twice() + float(size_px.y) + inners[1].a + float(words[0].w)
            + bytes.Load<float>(4u) + float(outer.k);
}

[shader("compute")]
[numthreads(32, 1, 1)]
void addressed(uint3 thread : SV_DispatchThreadID)
{
    into[thread.x] = alone.limited(into[thread.x]);
}

[shader("compute")]
[numthreads(32, 1, 1)]
void drawn(uint3 thread : SV_DispatchThreadID)
{
    canvas[thread.xy] = float4(spare);
}
"""

GROUP = """
RWStructuredBuffer<float> into;

[shader("compute")]
[numthreads(X, Y, Z)]
void NAME(uint thread : SV_GroupIndex)
{
    into[thread] = 1.0f;
}
"""


def buffer(pointer, size):
    return SimpleNamespace(pointer=pointer, size=size)


VARIABLES = {
    "outer": {"inner": {"a": 1.5, "b": np.array([2.0, 3.0]), "h": 0.25}, "k": 7},
    "size_px": np.array([30, -4]),
    "flag": True,
    "inners": buffer(0x1000, 96),
    "words": buffer(0x2000, 64),
    "bytes": buffer(0x3000, 64),
    "into": buffer(0x4000, 64),
    "unheard_of": 3,
}


@pytest.fixture(scope="module")
def texts():
    """Give each entry point's text, mended."""
    names = ("plain", "addressed", "drawn")
    return {name: patched_text(export_slang(TEXT, name), name) for name in names}


@pytest.mark.parametrize("entry", ["plain", "addressed"])
def test_no_parameter_is_read_as_if_it_lay_in_device_memory(texts, entry):
    code = texts[entry].code
    assert "(&globalParams_0->" in export_slang(TEXT, entry).code, "is this still needed?"
    assert "&globalParams_0->" not in code


def test_a_method_s_parameter_lies_in_device_memory_too(texts):
    assert not texts["plain"].layout.copies and COPY not in texts["plain"].code
    code = texts["addressed"].code
    assert texts["addressed"].layout.copies
    assert f'extern "C" __device__ GlobalParams_0 {COPY};' in code
    assert f"(&{COPY}.alone" in code


def test_bytes_lie_as_slang_says(texts):
    layout = texts["plain"].layout
    raw = packed(layout, VARIABLES)
    at = {p["name"]: p["binding"]["offset"] for p in layout.parameters}
    assert struct.unpack_from("<f4xff", raw, at["outer"]) == (1.5, 2.0, 3.0)
    assert np.frombuffer(raw, np.float16, 1, at["outer"] + 16)[0] == 0.25
    assert struct.unpack_from("<I", raw, at["outer"] + 24) == (7,)
    assert struct.unpack_from("<ii?", raw, at["size_px"]) == (30, -4, True)
    counts = {"inners": (0x1000, 4), "words": (0x2000, 4), "bytes": (0x3000, 64),
              "into": (0x4000, 16)}  # fmt: skip
    for name, words in counts.items():
        assert struct.unpack_from("<QQ", raw, at[name]) == words, name
    assert raw[at["canvas"] : at["canvas"] + 8] == bytes(8)  # not read, not bound


def test_elements_are_as_far_apart_as_cuda_has_them():
    def vector(count, scalar):
        element = {"kind": "scalar", "scalarType": scalar}
        return {"kind": "vector", "elementCount": count, "elementType": element}

    def of(*fields):
        kinds = [{"type": kind, "binding": {"offset": offset}} for offset, kind in fields]
        return {"kind": "struct", "fields": kinds}

    assert element_size(vector(3, "float32")) == 12
    assert element_size(vector(4, "uint32")) == 16
    assert element_size(of((0, vector(3, "float32")))) == 12
    assert element_size(of((0, vector(2, "float32")), (8, vector(1, "float16")))) == 16
    assert element_size(of((0, vector(4, "float32")), (16, vector(1, "uint32")))) == 32


def test_a_layout_survives_being_kept(texts):
    layout = texts["plain"].layout
    assert CudaLayout.from_facts(layout.facts()) == layout
    assert layout.used == frozenset(VARIABLES) - {"unheard_of"}
    assert layout.threads == (32, 1, 1)


def refusal(layout, **changes):
    with pytest.raises(KernelError) as caught:
        packed(layout, {**VARIABLES, **changes})
    return str(caught.value)


def test_what_is_read_must_be_bound(texts, same_message):
    layout = texts["plain"].layout
    with pytest.raises(KernelError) as caught:
        packed(layout, {k: v for k, v in VARIABLES.items() if k != "words"})
    same_message(str(caught.value), "plain.words", "Name")


def test_numbers_must_be_as_many_as_declared(texts, same_message):
    same_message(refusal(texts["plain"].layout, size_px=np.zeros(3)), "size_px", "Pass")


def test_textures_are_refused(texts, same_message):
    same_message(refusal(texts["drawn"].layout, canvas=buffer(1, 1), spare=0.0), "canvas", "Use")


def group_text(threads: tuple[int, int, int], entry: str = "fill") -> CudaText:
    text = GROUP.replace("NAME", entry)
    for axis, count in zip("XYZ", threads, strict=True):
        text = text.replace(axis, str(count))
    return patched_text(export_slang(text, entry), entry)


@pytest.mark.parametrize("threads, bounds", [
    ((32, 1, 1), ""), ((256, 1, 1), ""), ((16, 16, 1), ""),
    ((257, 1, 1), "__launch_bounds__(257) "), ((16, 8, 3), "__launch_bounds__(384) "),
    ((1024, 1, 1), "__launch_bounds__(1024) "),
])  # fmt: skip
def test_only_large_groups_are_bounded(threads, bounds):
    """Without, NVRTC may give each thread more registers than a multiprocessor has for them."""
    text = group_text(threads)
    assert f'extern "C" __global__ void {bounds}fill(' in text.code
    assert text.code.count("__launch_bounds__") == (1 if bounds else 0)
    assert (text.layout.entry, text.layout.threads) == ("fill", threads)


@pytest.mark.parametrize("threads", [(64, 1, 1), (512, 1, 1), (16, 16, 1), (8, 8, 4)])
def test_threads_in_a_row_have_one_coordinate(threads):
    """NVRTC keeps the others in registers even where they are 0."""
    kernel = group_text(threads).code.split("fill(")[-1]
    assert ("threadIdx.y" in kernel) == (threads[1] > 1) and "threadIdx.x" in kernel


def test_a_group_that_hands_registers_over_is_said_to_be_alone():
    """Without the 1, NVRTC ignores the instruction that does it."""
    exported = export_slang(GROUP.replace("NAME", "fill").replace("X, Y, Z", "512, 1, 1"), "fill")
    code = exported.code + '// asm("setmaxnreg.dec.sync.aligned.u32 112;");\n'
    text = patched_text(replace(exported, code=code), "fill")
    assert "__launch_bounds__(512, 1) fill(" in text.code


@pytest.mark.parametrize("threads", [(64, 1, 1), (512, 1, 1)])
def test_an_entry_point_is_found_by_the_name_that_slang_gave_it(threads):
    text = group_text(threads, "main")
    assert text.layout.entry != "main", "is this still needed?"
    assert re.search(rf'extern "C" __global__ void [^;]*\b{text.layout.entry}\(', text.code)


def test_text_without_a_kernel_is_refused(same_message):
    reflection = {"entryPoints": [{"threadGroupSize": [32, 1, 1]}], "parameters": []}
    with pytest.raises(KernelError) as caught:
        patched_text(Exported("void fill() {}", reflection), "fill")
    same_message(str(caught.value), "fill", "Mark")


def test_a_struct_without_a_field_is_refused():
    field = {"name": "size", "binding": {"offset": 0, "size": 4},
             "type": {"kind": "scalar", "scalarType": "uint32"}}  # fmt: skip
    parameter = {"name": "many", "binding": {"offset": 0, "size": 4},
                 "type": {"kind": "struct", "fields": [field]}}  # fmt: skip
    layout = CudaLayout("main_0", [parameter], (1, 1, 1), frozenset({"many"}), False)
    assert packed(layout, {"many": {"size": 7}}) == b"\7\0\0\0"
    with pytest.raises(KernelError, match=r"^many\.size: got nothing bound"):
        packed(layout, {"many": {}})


MARKED = """
// CUDA: not inlined
public float2 twice(float x) { return float2(x, 2.0f * x); }

RWStructuredBuffer<float2> found;

[shader("compute")]
[numthreads(32, 1, 1)]
void f(uint3 thread : SV_DispatchThreadID)
{
    found[thread.x] = twice(found[thread.x].x);
}
"""


def test_what_slang_text_keeps_apart_is_apart_in_cuda():
    names = not_inlined(MARKED)
    assert names == {"twice"}
    code = patched_text(export_slang(MARKED, "f"), "f", names).code
    marked = re.findall(r"__noinline__ \S+ +(\w+)\(", code)
    assert [name.rpartition("_")[0] for name in marked] == ["twice"]


def test_noises_of_materials_are_apart():
    text = (SOURCE_FOLDER / "neuralshade/kinds/material/references/stack_masks.slang").read_text()
    assert not_inlined(text) == {"fractal", "nearest", "scratches"}
