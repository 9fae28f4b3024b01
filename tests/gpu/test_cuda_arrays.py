"""gpu/cuda_text.py: arrays of uniforms."""

import struct
from types import SimpleNamespace

import numpy as np
import pytest

from neuralshade.errors import KernelError
from neuralshade.gpu.cuda_text import packed, patched_text
from neuralshade.gpu.slang_export import export_slang

MANY = """
uniform float many[3];
uniform uint4 table[2];
uniform float2x2 turned;
RWStructuredBuffer<float> into;

[shader("compute")]
[numthreads(1, 1, 1)]
void f(uint thread : SV_GroupIndex)
{
    into[0] = many[thread] + float(table[thread].w) + TURNED;
}
"""
BOUND = {"many": [1.5, 2.5, 3.5], "table": np.arange(8, dtype=np.uint32).reshape(2, 4),
         "into": SimpleNamespace(pointer=0x1000, size=4)}  # fmt: skip


def many_layout(turned="0.0f"):
    return patched_text(export_slang(MANY.replace("TURNED", turned), "f"), "f").layout


def test_arrays_lie_element_by_element():
    layout = many_layout()
    raw = packed(layout, BOUND)
    at = {p["name"]: p["binding"]["offset"] for p in layout.parameters}
    assert struct.unpack_from("<3f", raw, at["many"]) == (1.5, 2.5, 3.5)
    assert struct.unpack_from("<8I", raw, at["table"]) == tuple(range(8))


def test_arrays_in_constant_memory_are_read_as_such():
    """Slang reads an element as if it were in device memory."""
    text = patched_text(export_slang(MANY.replace("TURNED", "0.0f"), "f"), "f")
    assert not text.layout.copies
    assert "__ldg(&" not in text.code.partition("__global__")[2]


def test_arrays_must_be_as_long_as_declared(same_message):
    with pytest.raises(KernelError) as caught:
        packed(many_layout(), {**BOUND, "many": np.zeros(2)})
    same_message(str(caught.value), "many", "Pass")


def test_matrices_are_refused(same_message):
    with pytest.raises(KernelError) as caught:
        packed(many_layout("turned[0][0]"), {**BOUND, "turned": np.eye(2)})
    same_message(str(caught.value), "turned", "Put")
