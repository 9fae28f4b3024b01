"""Runner of exported WGSL and SPIR-V by wgpu, as in Firefox (naga compiles)."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from neuralshade.errors import DeviceError, KernelError
from neuralshade.languages.harness import GROUP, Program, function_of, results
from neuralshade.languages.language import Printer
from neuralshade.languages.spirv import BINDINGS, Spirv
from neuralshade.model.shader_form import Golden
from neuralshade.verbs.export.check.timed_rows import ROWS, CheckRun, many_rows
from neuralshade.verbs.export.check.webgpu_textures import BLOCKS, texture_entries

# Group and binding of words, rows, answers and the sampler of textures, which are in group 0.
Places = Mapping[str, tuple[int, int]]
IN_WGSL: Places = {"words": (0, 0), "rows": (1, 0), "answers": (1, 1)}
IN_SPIRV: Places = {role: (0, binding) for role, binding in BINDINGS.items()}  # a group: a set


def run_wgsl(printer: Printer, program: Program, golden: Golden) -> CheckRun:
    """Run a program of WGSL. Raises DeviceError without wgpu or an adapter, KernelError."""
    places = {**IN_WGSL, "sampler": (0, 1 + len(printer.form.textures))}
    return run_module(printer, program.text, program.entry, program.results, golden, places)


def run_spirv(printer: Spirv, golden: Golden) -> CheckRun:
    """Run an entry point of the exported file itself. Raises as ``run_wgsl`` does."""
    function = function_of(printer.form, golden)
    count = len(results(printer.form, function.result))
    return run_module(printer, printer.content(), printer.entry_of(function), count, golden,
                      IN_SPIRV)  # fmt: skip


def run_module(
    printer: Printer,
    code: str | bytes,
    entry: str,
    count: int,
    golden: Golden,
    places: Places,
) -> CheckRun:
    """Run an entry point of WGSL text or of SPIR-V, which naga reads and prints again.

    ``count``: numbers of a result.

    Raises: as ``run_wgsl`` does.
    """
    device, name = _device(printer.name, ["shader-f16"] if printer.form.halves else [])
    import wgpu

    usage = wgpu.BufferUsage
    answers = device.create_buffer(size=4 * ROWS * count, usage=usage.STORAGE | usage.COPY_SRC)
    buffers = {
        "words": device.create_buffer_with_data(data=printer.words, usage=usage.STORAGE)
        if printer.reads_words else None,
        "rows": device.create_buffer_with_data(data=many_rows(golden), usage=usage.STORAGE),
        "answers": answers,
    }  # fmt: skip
    textures = texture_entries(device, printer, places)
    # explicit, not "auto": some functions use only a part of it
    layouts, bound = [], []
    for group in range(1 + max(group for group, _ in places.values())):
        held = {binding: (role, buffers[role]) for role, (its, binding) in places.items()
                if its == group and buffers.get(role) is not None}  # fmt: skip
        more = textures if group == 0 else []
        layouts.append(_layout(device, {binding: role for binding, (role, _) in held.items()},
                               [layout for layout, _ in more]))  # fmt: skip
        entries = [
            {"binding": binding, "resource": {"buffer": one}} for binding, (_, one) in held.items()
        ]
        bound.append(
            device.create_bind_group(
                layout=layouts[-1], entries=[*entries, *(one for _, one in more)]
            )
        )
    try:
        module = device.create_shader_module(code=code)
        pipeline = device.create_compute_pipeline(
            layout=device.create_pipeline_layout(bind_group_layouts=layouts),
            compute={"module": module, "entry_point": entry},
        )
    except wgpu.GPUError as error:
        raise KernelError(f"{printer.name}: got an error of naga: {error}") from error
    least = float("inf")
    for _ in range(4):
        begun = time.perf_counter()
        encoder = device.create_command_encoder()
        compute = encoder.begin_compute_pass()
        compute.set_pipeline(pipeline)
        for index, group in enumerate(bound):
            compute.set_bind_group(index, group)
        compute.dispatch_workgroups(ROWS // GROUP)
        compute.end()
        device.queue.submit([encoder.finish()])
        read = np.frombuffer(device.queue.read_buffer(answers), np.float32).reshape(ROWS, -1)
        least = min(least, time.perf_counter() - begun)
    return CheckRun(read[: len(golden.inputs)].copy(), least / ROWS * 1e9, f"{name}, wgpu")


def _layout(device: Any, roles: Mapping[int, str], more: Sequence[Any]) -> Any:
    import wgpu

    return device.create_bind_group_layout(entries=[
        *({"binding": binding, "visibility": wgpu.ShaderStage.COMPUTE,
           "buffer": {"type": "storage" if role == "answers" else "read-only-storage"}}
          for binding, role in roles.items()), *more
    ])  # fmt: skip


def _device(language: str, features: Sequence[str]) -> tuple[Any, str]:
    try:
        import wgpu
    except ImportError as error:
        raise DeviceError(f"{language}: got no package wgpu, need it to check. Run: pip install "
                          '"neuralshade[check]"') from error  # fmt: skip
    adapters = wgpu.gpu.enumerate_adapters_sync()
    vulkan = [one for one in adapters if one.info["backend_type"] == "Vulkan"] or adapters
    if not vulkan:
        raise DeviceError(f"{language}: got no adapter of wgpu, need a GPU's driver, or Mesa's "
                          "lavapipe. Install one.")  # fmt: skip
    adapter, name = vulkan[0], str(vulkan[0].info["device"])
    if missing := set(features) - set(adapter.features):
        raise DeviceError(f"{language}: got {name} without {', '.join(missing)}, need it to check "
                          "16-bit numbers. Check on another GPU.")  # fmt: skip
    required = [*features, *(one for one in (BLOCKS,) if one in adapter.features)]
    return adapter.request_device_sync(required_features=required), name
