"""Vector types for C++ and CUDA, as far as the dialect uses them."""

from __future__ import annotations

import re
from itertools import product

from neuralshade.languages.numbers import LANES

HEAD = """#ifndef NEURALSHADE_VECTORS
#define NEURALSHADE_VECTORS
#ifdef __CUDACC__
#define NEURALSHADE_FN __host__ __device__ inline
#else
#define NEURALSHADE_FN inline
#endif

// Vectors as shading languages have them.
namespace neuralshade
{
typedef unsigned int uint;
struct int2
{
    int x, y;
    int2() = default;
    NEURALSHADE_FN int2(int x_, int y_) : x(x_), y(y_) {}
};
struct int3
{
    int x, y, z;
    int3() = default;
    NEURALSHADE_FN int3(int x_, int y_, int z_) : x(x_), y(y_), z(z_) {}
};
"""
SCALARS = """NEURALSHADE_FN float min(float a, float b) { return a < b ? a : b; }
NEURALSHADE_FN float max(float a, float b) { return a > b ? a : b; }
NEURALSHADE_FN int min(int a, int b) { return a < b ? a : b; }
NEURALSHADE_FN int max(int a, int b) { return a > b ? a : b; }
NEURALSHADE_FN float clamp(float x, float low, float high) { return min(max(x, low), high); }
NEURALSHADE_FN int clamp(int x, int low, int high) { return min(max(x, low), high); }
NEURALSHADE_FN float mix(float a, float b, float t) { return a * (1.0f - t) + b * t; }
NEURALSHADE_FN float abs(float x) { return fabsf(x); }
NEURALSHADE_FN float floor(float x) { return floorf(x); }
NEURALSHADE_FN float fract(float x) { return x - floorf(x); }
NEURALSHADE_FN float sqrt(float x) { return sqrtf(x); }
NEURALSHADE_FN float inversesqrt(float x) { return 1.0f / sqrtf(x); }
NEURALSHADE_FN float exp(float x) { return expf(x); }
NEURALSHADE_FN float log(float x) { return logf(x); }
NEURALSHADE_FN float sin(float x) { return sinf(x); }
NEURALSHADE_FN float cos(float x) { return cosf(x); }
NEURALSHADE_FN float tanh(float x) { return tanhf(x); }
NEURALSHADE_FN float as_float(uint bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
NEURALSHADE_FN float half_of(uint bits)
{
    const uint sign = (bits & 0x8000u) << 16, rest = bits & 0x7fffu;
    if (rest >= 0x7c00u)
        return as_float(sign | 0x7f800000u | (rest & 0x3ffu) << 13);
    const float scaled = as_float(rest << 13) * as_float(0x77800000u); // 2^112
    return sign ? -scaled : scaled;
}
"""
UNARY = ("abs", "floor", "fract", "sqrt", "inversesqrt", "exp", "log", "sin", "cos", "tanh")
BINARY = ("min", "max")
LONGEST = 3  # swizzles of more lanes are none of the dialect's but the whole


def vectors_text() -> str:
    """Return the vectors, in namespace ``neuralshade``, once in a program."""
    types = "".join(_vector(count) for count in (2, 3, 4))
    declared = "".join(f"struct float{count};\n" for count in (2, 3, 4))
    after = "".join(_functions(count) for count in (2, 3, 4))
    swizzles = "".join(_swizzles(count) for count in (2, 3, 4))
    return (HEAD + declared + types + SCALARS + after + swizzles + EXTRA
            + "} // namespace neuralshade\n#endif\n")  # fmt: skip


def used_names() -> list[str]:
    """Return declarations that use all of ``vectors_text`` in another namespace.

    They hide CUDA's own types; ``using namespace`` would be ambiguous.
    """
    text = vectors_text()
    functions = re.findall(r"^NEURALSHADE_FN \w+ (\w+)\(", text, re.MULTILINE)
    types = re.findall(r"^struct (\w+);?$", text, re.MULTILINE)
    names = dict.fromkeys([*types, "uint", *functions])
    return [f"using neuralshade::{name};" for name in names]


EXTRA = """NEURALSHADE_FN float2 halves(uint w)
{
    return float2(half_of(w & 0xffffu), half_of(w >> 16));
}
NEURALSHADE_FN float3 cross(float3 a, float3 b)
{
    return float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
"""


def _vector(count: int) -> str:
    lanes = LANES[:count]
    members = ", ".join(lanes)
    arguments = ", ".join(f"float {each}_" for each in lanes)
    own = ", ".join(f"{each}({each}_)" for each in lanes)
    alike = ", ".join(f"{each}(all)" for each in lanes)
    declared = "".join(
        f"    NEURALSHADE_FN float{len(names)} {''.join(names)}() const;\n"
        for names in _swizzled(count)
    )
    parts = {3: [("float2 xy", "float z_", "x(xy.x), y(xy.y), z(z_)")],
             4: [("float3 xyz", "float w_", "x(xyz.x), y(xyz.y), z(xyz.z), w(w_)"),
                 ("float2 xy", "float2 zw", "x(xy.x), y(xy.y), z(zw.x), w(zw.y)")]}  # fmt: skip
    more = "".join(f"    NEURALSHADE_FN float{count}({a}, {b}) : {made} {{}}\n"
                   for a, b, made in parts.get(count, []))  # fmt: skip
    return (f"struct float{count}\n{{\n    float {members};\n"
            f"    float{count}() = default;\n"
            f"    NEURALSHADE_FN explicit float{count}(float all) : {alike} {{}}\n"
            f"    NEURALSHADE_FN float{count}({arguments}) : {own} {{}}\n{more}{declared}"
            "};\n")  # fmt: skip


def _swizzled(count: int) -> list[tuple[str, ...]]:
    """Return the lanes of a vector in order, two or more neighbors of them."""
    lanes = LANES[:count]
    return [tuple(lanes[first:end]) for first, end in product(range(count), range(1, count + 1))
            if end - first >= 2]  # fmt: skip


def _swizzles(count: int) -> str:
    return "".join(
        f"inline float{len(names)} float{count}::{''.join(names)}() const "
        f"{{ return float{len(names)}({', '.join(names)}); }}\n"
        for names in _swizzled(count)
    )  # fmt: skip


def _functions(count: int) -> str:
    kind, lanes = f"float{count}", LANES[:count]

    def made(parameters: str, name: str, each: str) -> str:
        listed = ", ".join(each.format(l=lane) for lane in lanes)
        return f"NEURALSHADE_FN {kind} {name}({parameters}) {{ return {kind}({listed}); }}\n"

    both = f"{kind} a, {kind} b"
    text = "".join(made(both, f"operator{op}", f"a.{{l}} {op} b.{{l}}") for op in "+-*/")
    text += "".join(made(f"{kind} a, float b", f"operator{op}", f"a.{{l}} {op} b") for op in "+-*/")
    text += "".join(made(f"float a, {kind} b", f"operator{op}", f"a {op} b.{{l}}") for op in "+-*/")
    text += made(f"{kind} a", "operator-", "-a.{l}")
    text += f"NEURALSHADE_FN {kind}& operator+=({kind}& a, {kind} b) {{ return a = a + b; }}\n"
    text += "".join(made(f"{kind} a", name, f"{name}(a.{{l}})") for name in UNARY)
    text += "".join(made(both, name, f"{name}(a.{{l}}, b.{{l}})") for name in BINARY)
    text += made(f"{kind} a, {kind} low, {kind} high", "clamp", "clamp(a.{l}, low.{l}, high.{l})")
    text += made(f"{both}, float t", "mix", "mix(a.{l}, b.{l}, t)")
    sum_ = " + ".join(f"a.{lane} * b.{lane}" for lane in lanes)
    text += f"NEURALSHADE_FN float dot({both}) {{ return {sum_}; }}\n"
    text += f"NEURALSHADE_FN float length({kind} a) {{ return sqrt(dot(a, a)); }}\n"
    text += f"NEURALSHADE_FN {kind} normalize({kind} a) {{ return a / length(a); }}\n"
    return text
