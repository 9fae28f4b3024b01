"""Test programs that call one public function for rows of numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from neuralshade.languages.cpp import Cpp, Cuda
from neuralshade.languages.cpp_vectors import used_names
from neuralshade.languages.glsl import Glsl, GlslEs
from neuralshade.languages.hlsl import Hlsl, Slang
from neuralshade.languages.language import Printer
from neuralshade.languages.numbers import LANES
from neuralshade.languages.wgsl import Wgsl
from neuralshade.model.shader_form import Function, Golden, ShaderForm

GROUP = 64  # threads
COUNTS = {"float": 1, "int": 1, "uint": 1, "float2": 2, "float3": 3, "float4": 4, "int2": 2,
          "int3": 3}  # fmt: skip
ROWS_ACROSS = 256  # pixels in a row of the picture that WebGL 2 draws


@dataclass(frozen=True)
class Program:
    """Result of ``harness``: a file with one more function that calls it, and its numbers."""

    text: str
    entry: str
    columns: int  # numbers of a row of inputs
    results: int  # and of outputs


def function_of(form: ShaderForm, golden: Golden) -> Function:
    """Return the function of golden rows."""
    return next(one for one in form.public if one.name == golden.function)


def call(function: Function, number: Callable[[int], str]) -> str:
    """Return a call of a function, in the dialect; ``number`` reads a number of the row."""
    first, arguments = 0, []
    for one in function.parameters:
        arguments.append(_argument(one.type, first, number))
        first += COUNTS[one.type]
    return f"{function.name}({', '.join(arguments)})"


def _argument(kind: str, first: int, number: Callable[[int], str]) -> str:
    listed = [number(first + i) for i in range(COUNTS[kind])]
    if kind.startswith(("int", "uint")):
        whole = kind.rstrip("23")
        listed = [f"{whole}({each})" for each in listed]
    return listed[0] if len(listed) == 1 else f"{kind}({', '.join(listed)})"


def results(form: ShaderForm, kind: str, name: str = "found") -> list[str]:
    """Return the numbers of a result of type ``kind`` in the variable ``name``."""
    for struct in form.structs:
        if struct.name == kind:
            return [each for type_, member in struct.members
                    for each in results(form, type_, f"{name}.{member}")]  # fmt: skip
    count = COUNTS[kind]
    return [name] if count == 1 else [f"{name}.{lane}" for lane in LANES[:count]]


def harness(printer: Printer, function: Function) -> Program:
    """Return a program that calls ``function`` for each row of its inputs.

    Raises: StopIteration for a language that is only printed.
    """
    columns = sum(COUNTS[one.type] for one in function.parameters)
    lanes = results(printer.form, function.result)
    makes = next(MAKERS[one] for one in type(printer).__mro__ if one in MAKERS)
    text = printer.text() + "\n" + "\n".join(makes(printer, function, columns, lanes)) + "\n"
    return Program(text, "check", columns, len(lanes))


def _rows(function: Function, columns: int, kind: str = "") -> str:
    return call(function, lambda i: f"{kind}rows[i * {columns} + {i}]")


def _wgsl(printer: Printer, function: Function, columns: int, lanes: Sequence[str]) -> list[str]:
    found = printer.expression(call(function, lambda i: f"rows[i * {columns}u + {i}u]"))
    return [
        "@group(1) @binding(0) var<storage, read> rows: array<f32>;",
        "@group(1) @binding(1) var<storage, read_write> answers: array<f32>;",
        f"@compute @workgroup_size({GROUP})",
        "fn check(@builtin(global_invocation_id) id: vec3u) {",
        "    let i = id.x;",
        f"    if (i * {columns}u >= arrayLength(&rows)) {{ return; }}",
        f"    let found = {found};",
        *(f"    answers[i * {len(lanes)}u + {place}u] = {lane};"
          for place, lane in enumerate(lanes)),
        "}",
    ]  # fmt: skip


def _glsl(printer: Printer, function: Function, columns: int, lanes: Sequence[str]) -> list[str]:
    kind = printer.type(function.result)
    return [
        f"layout(local_size_x = {GROUP}) in;",
        "layout(std430, binding = 1) readonly buffer Rows { float rows[]; };",
        "layout(std430, binding = 2) writeonly buffer Answers { float answers[]; };",
        "void main()",
        "{",
        "    int i = int(gl_GlobalInvocationID.x);",
        f"    if (i * {columns} >= rows.length()) return;",
        f"    {kind} found = {printer.expression(_rows(function, columns))};",
        *(f"    answers[i * {len(lanes)} + {place}] = {lane};" for place, lane in enumerate(lanes)),
        "}",
    ]  # fmt: skip


def _glsl_es(printer: Printer, function: Function, columns: int, lanes: Sequence[str]
             ) -> list[str]:  # fmt: skip
    kind, filled = printer.type(function.result), [*lanes, "0.0", "0.0", "0.0"]
    parts = [filled[first : first + 4] for first in range(0, len(lanes), 4)]
    read = call(function, lambda i: f"row(i * {columns} + {i})")
    return [
        "uniform highp sampler2D rows; // R32F",
        "uniform int part;",
        "out vec4 answer;",
        "float row(int i) { return texelFetch(rows, ivec2(i % 256, i / 256), 0).x; }",
        "void main()",
        "{",
        f"    int i = int(gl_FragCoord.y) * {ROWS_ACROSS} + int(gl_FragCoord.x);",
        f"    {kind} found = {printer.expression(read)};",
        *(f"    if (part == {place}) answer = vec4({', '.join(four)});"
          for place, four in enumerate(parts)),
        "}",
    ]  # fmt: skip


def _hlsl(printer: Printer, function: Function, columns: int, lanes: Sequence[str]) -> list[str]:
    free = 1 + len(printer.form.textures)
    at = (f" : register(t{free})", " : register(u0)") if printer.name == Hlsl.name else ("", "")
    return [f"StructuredBuffer<float> rows{at[0]};", f"RWStructuredBuffer<float> answers{at[1]};",
            *hlsl_entry(printer, function, "check")]  # fmt: skip


def hlsl_entry(printer: Printer, function: Function, entry: str) -> list[str]:
    """Return a compute shader of HLSL or Slang that reads ``rows`` and writes ``answers``."""
    form, lines, arguments, first = printer.form, list[str](), list[str](), 0
    lanes, columns = results(form, function.result), columns_of(form, function)
    members = {one.name: one.members for one in form.structs}
    for one in function.parameters:
        parts = [(f"{one.name}.{name}", kind) for kind, name in members.get(one.type, ())]
        lines += [f"    {one.type} {one.name};"] * bool(parts)
        for name, kind in parts or [("", one.type)]:
            value = _argument(kind, first, lambda i: f"rows[i * {columns} + {i}]")
            arguments += [value] * (not parts)
            lines += [f"    {name} = {printer.expression(value)};"] * bool(parts)
            first += COUNTS[kind]
        arguments += [one.name] * bool(parts)
    found = printer.expression(f"{function.name}({', '.join(arguments)})")
    return [
        '[shader("compute")]',
        f"[numthreads({GROUP}, 1, 1)]",
        f"void {entry}(uint3 thread : SV_DispatchThreadID)",
        "{",
        "    uint i = thread.x, count, stride;",
        "    rows.GetDimensions(count, stride);",
        f"    if (i * {columns} >= count) return;",
        *lines,
        f"    {function.result} found = {found};",
        *(f"    answers[i * {len(lanes)} + {place}] = {lane};" for place, lane in enumerate(lanes)),
        "}",
    ]  # fmt: skip


def columns_of(form: ShaderForm, function: Function) -> int:
    """Return how many numbers a function's arguments have, including members of structs."""
    return sum(len(results(form, one.type)) for one in function.parameters)


def _cpp(printer: Printer, function: Function, columns: int, lanes: Sequence[str]) -> list[str]:
    name, found = printer.form.name, printer.expression(_rows(function, columns, "row_"))
    return [
        "#include <chrono>",
        "#include <cstdio>",
        "#include <vector>",
        f"namespace check_ = {name}_shader;",
        f"struct Called : check_::{name}_asset",
        "{",
        "    void run(const float* row_rows, float* answers, int count) const",
        "    {",
        "        using namespace neuralshade;",
        f"        using namespace {name}_shader;",
        "        for (int i = 0; i < count; ++i)",
        "        {",
        f"            const {function.result} found = {found};",
        *(f"            answers[i * {len(lanes)} + {place}] = {lane};"
          for place, lane in enumerate(lanes)),
        "        }",
        "    }",
        "};",
        "int main(int, char** files)",
        "{",
        "    std::FILE* in = std::fopen(files[1], \"rb\");",
        "    std::fseek(in, 0, SEEK_END);",
        f"    const int count = int(std::ftell(in) / 4 / {columns});",
        f"    std::vector<float> rows(count * {columns}), answers(count * {len(lanes)});",
        "    std::rewind(in);",
        "    if (std::fread(rows.data(), 4, rows.size(), in) != rows.size()) return 1;",
        "    std::fclose(in);",
        *(["    std::FILE* file = std::fopen(files[3], \"rb\");",
           "    std::fseek(file, 0, SEEK_END);",
           "    std::vector<std::uint32_t> words(std::ftell(file) / 4);",
           "    std::rewind(file);",
           "    if (std::fread(words.data(), 4, words.size(), file) != words.size()) return 1;",
           "    std::fclose(file);"] if printer.reads_file else []),
        f"    const Called asset{'{{words.data()}}' if printer.reads_file else '{}'};",
        "    double least = 1e30;",
        "    for (int time = 0; time < 5; ++time)",
        "    {",
        "        const auto begun = std::chrono::steady_clock::now();",
        "        asset.run(rows.data(), answers.data(), count);",
        "        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - "
        "begun;",
        "        least = took.count() < least ? took.count() : least;",
        "    }",
        "    std::FILE* out = std::fopen(files[2], \"wb\");",
        "    std::fwrite(answers.data(), 4, answers.size(), out);",
        "    std::fclose(out);",
        "    std::printf(\"%.9g\\n\", least / count * 1e9);",
        "}",
    ]  # fmt: skip


def _cuda(printer: Printer, function: Function, columns: int, lanes: Sequence[str]) -> list[str]:
    name, found = printer.form.name, printer.expression(_rows(function, columns))
    words = "words" if printer.reads_words else ""
    return [
        'extern "C" __global__ void check(const unsigned int* words, const float* rows, '
        "float* answers, int count)",
        "{",
        *(f"    {line}" for line in used_names()),
        f"    const {name}_shader::{name}_asset asset{{ {words} }};",
        "    const int i = int(blockIdx.x * blockDim.x + threadIdx.x);",
        "    if (i >= count) return;",
        f"    const auto found = asset.{found};",
        *(f"    answers[i * {len(lanes)} + {place}] = {lane};" for place, lane in enumerate(lanes)),
        "}",
    ]  # fmt: skip


MAKERS: dict[type[Printer], Callable[..., list[str]]] = {
    Wgsl: _wgsl, Glsl: _glsl, GlslEs: _glsl_es, Hlsl: _hlsl, Slang: _hlsl, Cpp: _cpp, Cuda: _cuda,
}  # fmt: skip
