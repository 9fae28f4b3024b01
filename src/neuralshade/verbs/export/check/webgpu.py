"""WGSL by wgpu, which is what Firefox runs (its compiler is naga)."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from neuralshade.errors import DeviceError, KernelError
from neuralshade.languages.harness import GROUP, Program
from neuralshade.languages.language import Printer
from neuralshade.model.shader_form import Golden
from neuralshade.verbs.export.check.timed_rows import ROWS, Ran, many_rows


def run_wgsl(printer: Printer, program: Program, golden: Golden) -> Ran:
    """Run a program of WGSL. Raises DeviceError without wgpu or an adapter, KernelError."""
    device, name = _device()
    import wgpu

    usage = wgpu.BufferUsage
    try:
        module = device.create_shader_module(code=program.text)
        stage = {"module": module, "entry_point": program.entry}
        layouts = [_layout(device, kinds) for kinds in _groups(printer)]
        pipeline = device.create_compute_pipeline(
            layout=device.create_pipeline_layout(bind_group_layouts=layouts), compute=stage
        )
    except wgpu.GPUError as error:
        raise KernelError(f"wgsl: got an error of naga: {error}") from error
    answers = device.create_buffer(size=4 * ROWS * program.results,
                                   usage=usage.STORAGE | usage.COPY_SRC)  # fmt: skip
    rows = device.create_buffer_with_data(data=many_rows(golden), usage=usage.STORAGE)
    words = [device.create_buffer_with_data(data=printer.words, usage=usage.STORAGE)
             ] if printer.reads_words else []  # fmt: skip
    bound = [
        device.create_bind_group(
            layout=layout,
            entries=[{"binding": i, "resource": {"buffer": one}} for i, one in enumerate(buffers)],
        )
        for layout, buffers in zip(layouts, (words, [rows, answers]), strict=True)
    ]
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
    return Ran(read[: len(golden.inputs)].copy(), least / ROWS * 1e9, f"{name}, wgpu")


def _groups(printer: Printer) -> tuple[list[str], list[str]]:
    """Return what is bound in groups 0 and 1: not all functions read all of it."""
    return ["read-only-storage"] * printer.reads_words, ["read-only-storage", "storage"]


def _layout(device: Any, kinds: list[str]) -> Any:
    import wgpu

    return device.create_bind_group_layout(entries=[
        {"binding": i, "visibility": wgpu.ShaderStage.COMPUTE, "buffer": {"type": kind}}
        for i, kind in enumerate(kinds)
    ])  # fmt: skip


def _device() -> tuple[Any, str]:
    try:
        import wgpu
    except ImportError as error:
        raise DeviceError('wgsl: got no package wgpu, need it to check. Run: pip install '
                          '"neuralshade[check]"') from error  # fmt: skip
    adapters = wgpu.gpu.enumerate_adapters_sync()
    vulkan = [one for one in adapters if one.info["backend_type"] == "Vulkan"] or adapters
    if not vulkan:
        raise DeviceError("wgsl: got no adapter of wgpu, need a GPU's driver, or Mesa's lavapipe. "
                          "Install one.")  # fmt: skip
    return vulkan[0].request_device_sync(), str(vulkan[0].info["device"])
