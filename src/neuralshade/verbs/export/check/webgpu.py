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
        pipeline = device.create_compute_pipeline(layout="auto", compute=stage)
    except wgpu.GPUError as error:
        raise KernelError(f"wgsl: got an error of naga: {error}") from error
    answers = device.create_buffer(size=4 * ROWS * program.results,
                                   usage=usage.STORAGE | usage.COPY_SRC)  # fmt: skip
    rows = device.create_buffer_with_data(data=many_rows(golden), usage=usage.STORAGE)
    groups = {1: [rows, answers]}
    if printer.reads_words:
        groups[0] = [device.create_buffer_with_data(data=printer.words, usage=usage.STORAGE)]
    bound = {
        index: device.create_bind_group(
            layout=pipeline.get_bind_group_layout(index),
            entries=[{"binding": i, "resource": {"buffer": one}} for i, one in enumerate(buffers)],
        )
        for index, buffers in groups.items()
    }
    least = float("inf")
    for _ in range(4):
        begun = time.perf_counter()
        encoder = device.create_command_encoder()
        compute = encoder.begin_compute_pass()
        compute.set_pipeline(pipeline)
        for index, group in bound.items():
            compute.set_bind_group(index, group)
        compute.dispatch_workgroups(ROWS // GROUP)
        compute.end()
        device.queue.submit([encoder.finish()])
        read = np.frombuffer(device.queue.read_buffer(answers), np.float32).reshape(ROWS, -1)
        least = min(least, time.perf_counter() - begun)
    return Ran(read[: len(golden.inputs)].copy(), least / ROWS * 1e9, f"{name}, wgpu")


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
