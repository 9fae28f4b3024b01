"""What the package itself evaluates fields with, its Slang as WGSL: what exports replaced."""

import re
import time
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.engine.kernels.infer.field_inference import field_inference
from neuralshade.engine.kernels.infer.infer import INFER_THREADS
from neuralshade.gpu.gpu import Gpu, run_steps
from neuralshade.languages.translate import translate
from neuralshade.model.field import Field

Floats = npt.NDArray[np.float32]
BINDING = re.compile(r"@binding\((\d+)\) @group\((\d+)\) var(?:<([^>]*)>)? (\w+?)_\d+ :")
TIMES = 4


def slang_in_wgsl(gpu: Gpu, field: Field, at: Floats) -> tuple[float, int]:
    """Return ns a position through wgpu, and how many lines the text has.

    ``gpu``: where the field's numbers are read back from. A material's read-out is held.
    """
    lobes = getattr(field.encoding, "lobes", None)
    if lobes is not None and list(lobes.parameters()):
        lobes.hold_read()
    inference = field_inference(gpu, field, exact=True)
    steps, _ = inference.positions_steps(at)
    run_steps(gpu, steps)
    canvas = inference._positions_canvas(len(at))  # with what has been uploaded
    text = translate(inference.text, "draw_positions", "wgsl").decode()
    held = {**inference.bound, "views": canvas.view, "drawn": canvas.drawn,
            "positions": canvas.positions}  # fmt: skip
    import wgpu  # which the machine of the GPU part may lack

    device = _device()
    module = device.create_shader_module(code=text)
    pipeline = device.create_compute_pipeline(
        layout="auto", compute={"module": module, "entry_point": "draw_positions"}
    )
    usage = wgpu.BufferUsage
    groups: dict[int, list[dict[str, Any]]] = {}
    buffers = {}
    for binding, group, kind, name in BINDING.findall(text):
        way = usage.UNIFORM if kind == "uniform" else usage.STORAGE
        buffers[name] = device.create_buffer_with_data(data=held[name].read(),
                                                       usage=way | usage.COPY_SRC)  # fmt: skip
        groups.setdefault(int(group), []).append(
            {"binding": int(binding), "resource": {"buffer": buffers[name]}}
        )
    bound = {group: device.create_bind_group(layout=pipeline.get_bind_group_layout(group),
                                             entries=entries)
             for group, entries in groups.items()}  # fmt: skip
    least = float("inf")
    for _ in range(TIMES):
        begun = time.perf_counter()
        encoder = device.create_command_encoder()
        compute = encoder.begin_compute_pass()
        compute.set_pipeline(pipeline)
        for group, one in bound.items():
            compute.set_bind_group(group, one)
        compute.dispatch_workgroups(-(-len(at) // INFER_THREADS))
        compute.end()
        device.queue.submit([encoder.finish()])
        found = np.frombuffer(device.queue.read_buffer(buffers["drawn"]), np.float32)
        least = min(least, time.perf_counter() - begun)
    wanted = inference.at_positions(at[:256])
    off = np.abs(found[: wanted.size].reshape(wanted.shape) - wanted).max()
    assert off < 1e-4, f"as WGSL it answers otherwise: {off:.1e} off"
    return 1e9 * least / len(at), len(text.splitlines())


def _device() -> Any:
    import wgpu

    adapters = wgpu.gpu.enumerate_adapters_sync()
    vulkan = [one for one in adapters if one.info["backend_type"] == "Vulkan"]
    return vulkan[0].request_device_sync()
