"""gpu/slang_reflection: members, attributes and methods of a struct, as the compiler knows them."""

import subprocess
import sys

import pytest

from neuralshade.errors import KernelError
from neuralshade.gpu.slang_reflection import (
    Field,
    Method,
    Parameter,
    reflect_parameters,
    reflect_struct,
)

pytest.importorskip("slangpy")
TEXT = """
[__AttributeUsage(_AttributeTargets.Var)] public struct RateAttribute { float rate; };
[__AttributeUsage(_AttributeTargets.Var)] public struct SideAttribute { int width; int height; };
struct Holder<T> { T inside; }
struct Box
{
    [Rate(0.25)] float a = -1.5;
    [Rate(2)] [Side(-3, 40)] float3 b;
    float2x3 c;
    float2 d[2][3];
    int e = -7;
    bool f = true;
    float g = 2 * 1.5;
    Holder<float4> h;
    uint i;

    float first(float2 x, int y) { return x.x; }
    static void none() {}
}
"""


def test_members_as_they_are():
    struct = reflect_struct(TEXT, "box.slang", "Box", ())
    assert struct.methods == {}
    assert struct.fields == (
        Field("a", "float", {"Rate": (0.25,)}, -1.5, True),
        Field("b", "vector<float,3>", {"Rate": (2.0,), "Side": (-3.0, 40.0)}, None, False),
        Field("c", "matrix<float,2,3>", {}, None, False),
        Field("d", "vector<float,2>[3][2]", {}, None, False),  # the inner array first
        Field("e", "int", {}, -7.0, True),
        Field("f", "bool", {}, None, True),
        Field("g", "float", {}, None, True),
        Field("h", "Holder<vector<float,4>>", {}, None, False),
        Field("i", "uint", {}, None, False),
    )


def test_methods_that_are_asked_for():
    struct = reflect_struct(TEXT, "box.slang", "Box", ("first", "none", "second"))
    assert struct.methods == {
        "first": Method("float", ("vector<float,2>", "int")),
        "none": Method("void", ()),
    }


LIBRARY = """module library;
public uniform float gain;
public static const float2 PAIR = float2(1, 2);
"""
BOUND = """import library;
#include "table.slang"
Texture2D albedo;
SamplerState linear;
cbuffer Block { float inside; }
namespace other { float implied; }
static const float CONSTANT = 2;
static float own = 1;
groupshared float shared[4];
[SpecializationConstant] const int specialized = 3;
float f(uniform float argument) { return argument; }
"""


@pytest.mark.parametrize("struct", [False, True])
def test_parameters_of_a_module_and_of_what_it_takes_in(tmp_path, struct):
    (tmp_path / "library.slang").write_text(LIBRARY)
    (tmp_path / "table.slang").write_text("StructuredBuffer<float> table;\n")
    if struct:
        text = BOUND + "struct Box { float a; }"
        found = reflect_struct(text, "box.slang", "Box", (), tmp_path).parameters
    else:
        found = reflect_parameters(BOUND, "box.slang", tmp_path)
    assert found == (
        Parameter("table", "StructuredBuffer<float, DefaultDataLayout>"),
        Parameter("albedo", "Texture2D<vector<float,4>>"),
        Parameter("linear", "SamplerState"),
        Parameter("Block", "ConstantBuffer<SLANG_ParameterGroup_Block, DefaultDataLayout>"),
        Parameter("implied", "float"),
        Parameter("gain", "float"),
    )


def test_a_struct_that_is_not_there():
    assert reflect_struct(TEXT, "box.slang", "Bax", ()) is None
    assert reflect_struct("", "box.slang", "Box", ()) is None


def test_a_text_that_does_not_compile():
    with pytest.raises(KernelError) as caught:
        reflect_struct(TEXT.replace("x.x", "y.z.w"), "my folder/box.slang", "Box", ())
    message = str(caught.value)
    assert message.startswith(
        "my folder/box.slang: got Slang text that does not compile, need one that does. "
        "The compiler says:\n"
    )
    line = next(i for i, text in enumerate(TEXT.split("\n"), 1) if "first(" in text)
    assert f"--> my folder/box.slang:{line}:" in message


def test_one_text_after_the_other():
    """A name stands for what the last text says."""
    for size in (2, 3):
        text = f"struct Box {{ float a[{size}]; }}"
        assert reflect_struct(text, "b.slang", "Box", ()).fields[0].type == f"float[{size}]"


FREED_ELSEWHERE = """
import threading
from neuralshade.gpu.device import open_device
from neuralshade.gpu.slang_export import export_slang
from neuralshade.gpu.slang_reflection import reflect_struct

def ask():
    assert reflect_struct("struct Box { float a; }", "box.slang", "Box", ()).fields
    entry = '[shader("compute")] [numthreads(1, 1, 1)] void main() {}'
    assert "main" in export_slang("RWStructuredBuffer<float> x; " + entry, "main").code

def free():
    devices.pop().close()

ask()
devices = [open_device("auto")]
other = threading.Thread(target=free)
other.start()
other.join()
ask()
"""


@pytest.mark.slow  # a process that compiles anew
def test_a_device_of_this_thread_that_another_has_freed(device):
    """The compiler still looks for it: a crash, and so in a process of its own."""
    found = subprocess.run([sys.executable, "-c", FREED_ELSEWHERE], capture_output=True, text=True)
    assert (found.returncode, found.stderr) == (0, "")
