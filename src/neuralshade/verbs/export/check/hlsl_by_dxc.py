"""Runner of exported HLSL: DXC makes validated DXIL, and SPIR-V that runs."""

from __future__ import annotations

from neuralshade.languages.harness import Program
from neuralshade.languages.language import Printer
from neuralshade.model.shader_form import Golden
from neuralshade.verbs.export.check.dxc import compile_hlsl
from neuralshade.verbs.export.check.timed_rows import CheckRun
from neuralshade.verbs.export.check.webgpu import run_module

VALIDATED = ("-select-validator", "internal")  # not the library by which Windows signs
TO_SPIRV = ("-spirv", "-fvk-t-shift", "0", "0", "-fvk-u-shift", "{answers}", "0",
            "-fvk-s-shift", "{sampler}", "0")  # fmt: skip
PROFILE, IN_HALVES = "cs_6_0", "cs_6_2"
HALVES = "-enable-16bit-types"  # else half is float32


def run_hlsl(printer: Printer, program: Program, golden: Golden) -> CheckRun:
    """Compile for Direct3D 12, and run on Vulkan.

    Raises: DeviceError without DXC, wgpu or an adapter; KernelError.
    """
    halves = printer.form.halves
    profile, more = (IN_HALVES, [HALVES]) if halves else (PROFILE, [])
    compile_hlsl(program.text, program.entry, profile, [*VALIDATED, *more])
    # registers t keep their numbers, u0 and s0 follow
    rows = 1 + len(printer.form.textures)
    at = {"words": 0, "rows": rows, "answers": rows + 1, "sampler": rows + 2}
    flags = [flag.format(**at) for flag in TO_SPIRV]
    code = compile_hlsl(program.text, program.entry, profile, [*flags, *more])
    places = {role: (0, binding) for role, binding in at.items()}
    ran = run_module(printer, code, program.entry, program.results, golden, places)
    return CheckRun(ran.results, ran.ns, f"{ran.on}; DXC")
