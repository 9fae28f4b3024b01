"""SPIR-V printer: a compute shader for each public function, compiled from Slang."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from neuralshade.languages.harness import GROUP, columns_of, hlsl_entry, results
from neuralshade.languages.hlsl import Slang
from neuralshade.languages.statements import replaced_calls
from neuralshade.model.shader_form import Function

BINDINGS = {"words": 0, "rows": 1, "answers": 2}  # all of set 0
UNPACKED = (  # needs no 16-bit types on the device, as Slang's f16tof32 does
    "{",
    "    return spirv_asm { result: $$float2 = OpExtInst glsl450 UnpackHalf2x16 $w; };",
    "}",
)
KEEP_NAMES = ("-fvk-use-entrypoint-name",)  # of entry points; else all are called main


@dataclass(frozen=True)
class Spirv(Slang):
    """A module of SPIR-V for Vulkan: entry points that call a function for rows of arguments."""

    name: ClassVar[str] = "spirv"
    suffix: ClassVar[str] = ".spv"
    samples: ClassVar[bool] = False

    @cached_property
    def entries(self) -> dict[str, Function]:
        """Return the public functions by the names of their entry points."""
        taken, found = {one.name for one in self.form.functions}, dict[str, Function]()
        for function in self.form.public:
            entry = f"{function.name}_rows"
            while entry in taken:
                entry += "_"
            found[entry] = function
        return found

    def entry_of(self, function: Function) -> str:
        """Return the name of a function's entry point."""
        return next(entry for entry, one in self.entries.items() if one is function)

    @cached_property
    def compiled(self) -> bytes:
        """Return the module.

        Raises: DeviceError where slangpy is missing, KernelError with the compiler's whole log.
        """
        from neuralshade.gpu.slang_export import export_module

        return export_module(self.text(), list(self.entries), "spirv", KEEP_NAMES)

    def content(self) -> bytes:
        return self.compiled

    def text(self) -> str:
        """Return the Slang text to compile."""
        lines = list[str]()
        for entry, function in self.entries.items():
            lines += ["", *hlsl_entry(self, function, entry)]
        return super().text() + "\n".join(lines) + "\n"

    def expression(self, text: str) -> str:
        return super().expression(replaced_calls(
            text, "halves", lambda args: f"{self.form.name}_halves({args[0]})"))  # fmt: skip

    def head(self) -> list[str]:
        buffer, place = f" {self.form.name}_words;", f"[[vk::binding({BINDINGS['words']}, 0)]] "
        words = [place + line if line.endswith(buffer) else line for line in super().head()]
        return [*self.rows_and_answers(), *words, "", f"float2 {self.form.name}_halves(uint w)",
                *UNPACKED]  # fmt: skip

    def rows_and_answers(self) -> list[str]:
        """Return the declarations of the entry points' inputs and outputs."""
        return [f"[[vk::binding({BINDINGS['rows']}, 0)]] StructuredBuffer<float> rows;",
                f"[[vk::binding({BINDINGS['answers']}, 0)]] RWStructuredBuffer<float> answers;",
                ]  # fmt: skip

    def bindings(self) -> dict[str, Any]:
        """Return set, bindings, threads of a group, and inputs and outputs of each entry point."""
        bound = {role: at for role, at in BINDINGS.items() if role != "words" or self.reads_words}
        entries = {
            entry: {"function": one.name, "numbers_of_a_row": columns_of(self.form, one),
                    "numbers_of_an_answer": len(results(self.form, one.result))}
            for entry, one in self.entries.items()
        }  # fmt: skip
        return {"set": 0, **bound, "threads": GROUP, "entries": entries}

    def binding_text(self, stem: str, file: str, container: str) -> str:
        words = f"binding {BINDINGS['words']} has all of `{file}`, "
        words = words if self.reads_words else ""
        return (f"compute shaders in groups of {GROUP} threads, all storage buffers in set 0: "
                f"{words}binding {BINDINGS['rows']} has float32 rows of arguments, binding "
                f"{BINDINGS['answers']} takes float32 results, a row each. Entry points: "
                + ", ".join(f"`{entry}`" for entry in self.entries) + ".")  # fmt: skip
