"""Printers of forms whose functions call a compiled Slang program."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from neuralshade.errors import ConfigError
from neuralshade.gpu.module_files import files_folder
from neuralshade.gpu.slang_export import export_module
from neuralshade.languages.cpp import Metal
from neuralshade.languages.glsl import Glsl
from neuralshade.languages.hlsl import Hlsl, Slang
from neuralshade.languages.language import INDENT, Printer
from neuralshade.languages.spirv import KEEP_NAMES, Spirv
from neuralshade.languages.translate import translate
from neuralshade.languages.wgsl import Wgsl
from neuralshade.model.shader_form import SlangProgram

ENTRY = "stub"
# A kernel, as Slang's compiler needs one: it calls the function, and is cut off afterwards.
STUB = """import {module};
RWStructuredBuffer<float> stub_answers : register(u7, space7);
[shader("compute")]
[numthreads(1, 1, 1)]
void stub(uint3 at : SV_DispatchThreadID)
{{
    {result} answer = {function}(float2(at.xy));
    stub_answers[at.x] = {sum};
}}
"""
MADE = re.compile(r"\b(?:[A-Za-z]\w*_\d+|_S\d+)\b")  # names that Slang's compiler makes
BRACKETS = re.compile(rf"(?P<open>[({{\[])|(?P<close>[)}}\]])|{MADE.pattern}")
ALTERNATIVES = {
    "glsl-es": "Take wgsl for browsers: WebGL 2 has no buffers.",
    "cpp": "Take slang, and compile that by slangc -target cpp.",
    "cuda": "Take slang, and compile that with a kernel of yours by slangc -target cuda.",
    "slang-coopvec": "Take slang.",
    "spirv-coopvec": "Take spirv.",
    "js": "Take wgsl for browsers.",
    "torch": "Take slang, and call it through SlangPy.",
}


@dataclass(frozen=True)
class TextPatterns:
    """Patterns of everything in a compiled text besides functions and their buffer."""

    kernel: str  # begins the last function
    others: str


PATTERNS = {
    "wgsl": TextPatterns(
        r"@compute\s", r"@binding\(\d+\) @group\(\d+\) var<storage, read_write> stub_answers.*\n"
    ),
    "glsl": TextPatterns(
        r"layout\(local_size_x",
        r"#version .*\n|layout\(\w+_major\) .*\n"
        r"|layout\(std430, binding = \d+[^)]*\) buffer \w+ \{\n[^}]*\} stub_answers\w*;\n",
    ),
    "hlsl": TextPatterns(
        r"(?:\[shader\(\"compute\"\)\]\s*)?\[numthreads",
        r"#pragma pack_matrix.*\n|#ifdef SLANG_HLSL_ENABLE_NVAPI\n.*\n#endif\n"
        r"|RWStructuredBuffer<float > stub_answers.*\n",
    ),
    "metal": TextPatterns(
        r"\[\[kernel\]\]",
        r"#include .*\n|using namespace metal;\n"
        r"|struct KernelContext_0\n\{\n +float device\* stub_answers\w*;\n\};\n"
        r"| +float device\* stub_answers\w*;\n",
    ),
}  # fmt: skip


def compile_in_process(
    text: str, files: Mapping[str, str], target: str, entries: Sequence[str]
) -> bytes:
    """Return Slang text in a language, compiled in this process.

    Args:
        files: its imports, by path beside it.
        target: of ``translate``; spirv contains all of ``entries``, others the first.

    Raises: KernelError with the compiler's whole log; DeviceError without slangpy.
    """
    folder = files_folder(files)
    if target == Spirv.name:
        return export_module(text, entries, target, KEEP_NAMES, folder)
    return translate(text, entries[0], target, folder=folder)


@dataclass(frozen=True)
class ProgramPrinter(Printer):
    """A printer whose functions call the form's program."""

    def head(self) -> list[str]:
        """Return the program in this language, before the functions that call it."""
        return self.program_lines()

    @property
    def program(self) -> SlangProgram:
        """Return the form's program."""
        assert self.form.program is not None, self.form.name
        return self.form.program

    def program_lines(self) -> list[str]:
        """Return the lines that declare the program's function."""
        function = self.program.function
        total = "answer" if function.result == "float" else f"dot(answer, {function.result}(1.0))"
        stub = STUB.format(module=self.program.module, function=function.name,
                           result=function.result, sum=total)  # fmt: skip
        text = self.program.compiled(stub, self.program.files, self.name, [ENTRY]).decode()
        return library_lines(text, PATTERNS[self.name], self.form.name, function.name)


@dataclass(frozen=True)
class SlangProgramPrinter(ProgramPrinter, Slang):
    """A module of Slang, with its imports beside it."""

    def program_lines(self) -> list[str]:
        return [f"import {self.program.module};"]

    def neighbors(self) -> dict[str, bytes]:
        return {place: text.encode() for place, text in self.program.files.items()}

    def binding_text(self, stem: str, file: str, container: str) -> str:
        return (f"{super().binding_text(stem, file, container).removesuffix('.')}. It imports "
                f"`{self.form.name}_modules` beside it: compile with `-I` of its "
                "folder.")  # fmt: skip


@dataclass(frozen=True)
class HlslProgramPrinter(ProgramPrinter, Hlsl):
    """HLSL."""


@dataclass(frozen=True)
class SpirvProgramPrinter(ProgramPrinter, Spirv):
    """A module of SPIR-V."""

    def head(self) -> list[str]:
        return [f"import {self.program.module};", *self.rows_and_answers()]

    @cached_property
    def compiled(self) -> bytes:
        program, entries = self.program, list(self.entries)
        return program.compiled(self.text(), program.files, self.name, entries)


@dataclass(frozen=True)
class GlslProgramPrinter(ProgramPrinter, Glsl):
    """GLSL 4.50."""


@dataclass(frozen=True)
class WgslProgramPrinter(ProgramPrinter, Wgsl):
    """WGSL."""


@dataclass(frozen=True)
class MetalProgramPrinter(ProgramPrinter, Metal):
    """The Metal Shading Language: functions of a struct with the pointer to the words."""

    def head(self) -> list[str]:
        name, function, text = self.form.name, self.program.function, self.program_lines()
        lines = [*self.begin(), *text, "", f"struct {name}_asset", "{"]
        lines += [f"{INDENT}{self.pointer} words;", ""] if self.reads_words else []
        context, arguments = f"{name}_KernelContext_0", "uv"
        steps = list[str]()
        if f"struct {context}" in text:
            steps = [f"thread {context} context;", f"context.{name}_words = words;"]
            arguments = "uv, &context"
        steps.append(f"return ::{function.name}({arguments});")
        head = f"{INDENT}{self.signature(function)}"
        return [*lines, head, f"{INDENT}{{", *(INDENT * 2 + step for step in steps),
                f"{INDENT}}}"]  # fmt: skip


PROGRAM_PRINTERS: dict[str, type[Printer]] = {
    one.name: one
    for one in (
        SlangProgramPrinter,
        HlslProgramPrinter,
        GlslProgramPrinter,
        SpirvProgramPrinter,
        WgslProgramPrinter,
        MetalProgramPrinter,
    )
}


def program_printer(language: str) -> type[Printer]:
    """Return the printer class for forms with programs. Raises ConfigError where there is none."""
    if language not in PROGRAM_PRINTERS:
        raise ConfigError(f"to: got {language} for a function that Slang's compiler translates, "
                          f"need one of {', '.join(PROGRAM_PRINTERS)}. "
                          f"{ALTERNATIVES[language]}")  # fmt: skip
    return PROGRAM_PRINTERS[language]


def library_lines(text: str, parts: TextPatterns, asset: str, function: str) -> list[str]:
    """Return the lines of a compiled text without its kernel.

    ``function``, which the kernel calls, keeps its name; other names get the prefix ``asset``.
    """
    *_, kernel = re.finditer(rf"^{parts.kernel}", text, re.M)
    called = re.search(rf"\b{function}_\d+(?=\()", text[kernel.start() :])
    assert called is not None, text[kernel.start() :]
    text = re.sub(rf"^(?:{parts.others})", "", text[: kernel.start()], flags=re.M)
    names = {made: f"{asset}_{made.lstrip('_')}" for made in _outer_names(text)}
    buffer = re.compile(rf"{asset}_words_\d+")  # a member, or a parameter
    names |= {made: f"{asset}_words" for made in MADE.findall(text) if buffer.fullmatch(made)}
    names[called[0]] = function
    text = MADE.sub(lambda found: names.get(found[0], found[0]), text)
    return re.sub(r"\n{3,}", "\n\n", text).strip("\n").splitlines()


def _outer_names(text: str) -> list[str]:
    """Return the compiler's names of functions, structs and buffers."""
    names, depth = dict[str, None](), 0
    for found in BRACKETS.finditer(text):
        depth += (found.lastgroup == "open") - (found.lastgroup == "close")
        if depth == 0 and found.lastgroup is None:
            names[found[0]] = None
    return list(names)
