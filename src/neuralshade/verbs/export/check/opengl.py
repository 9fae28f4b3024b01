"""Runner of exported GLSL and GLSL ES by OpenGL, through moderngl and EGL."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from neuralshade.errors import DeviceError, KernelError
from neuralshade.languages.glsl import ACROSS
from neuralshade.languages.harness import GROUP, ROWS_ACROSS, Program
from neuralshade.languages.language import Printer
from neuralshade.model.shader_form import Golden
from neuralshade.verbs.export.check.opengl_textures import bind_textures
from neuralshade.verbs.export.check.timed_rows import ROWS, CheckRun, many_rows

ES_HEAD = ("#version 300 es\nprecision highp float;\nprecision highp int;\n"
           "precision highp usampler2D;\n")  # fmt: skip
EXTENSION = "GL_EXT_shader_explicit_arithmetic_types_float16"
WHOLE_SCREEN = """#version 300 es
void main() { gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, 0.0, 1.0); }
"""


def run_glsl(printer: Printer, program: Program, golden: Golden) -> CheckRun:
    """Run a compute program of GLSL 4.50. Raises DeviceError without OpenGL, KernelError."""
    context = _context()
    if printer.form.halves and EXTENSION not in context.extensions:
        name = context.info["GL_RENDERER"]
        context.release()
        raise DeviceError(f"glsl: got {name} without {EXTENSION}, need it to check 16-bit numbers. "
                          "Check on another GPU.")  # fmt: skip
    try:
        shader = _compiled(lambda: context.compute_shader("#version 450\n" + program.text), "glsl")
        buffers = [context.buffer(_filled(printer.words).tobytes()),
                   context.buffer(many_rows(golden).tobytes()),
                   context.buffer(reserve=4 * ROWS * program.results)]  # fmt: skip
        for binding, buffer in enumerate(buffers):
            buffer.bind_to_storage_buffer(binding)
        bind_textures(context, printer.form, first=1)

        def read() -> Any:
            shader.run(ROWS // GROUP)
            context.memory_barrier()
            context.finish()
            return np.frombuffer(buffers[2].read(), np.float32).reshape(ROWS, -1)

        return _timed(read, golden, context)
    finally:
        context.release()


def run_glsl_es(printer: Printer, program: Program, golden: Golden) -> CheckRun:
    """Draw by a fragment program of GLSL ES 3.00. Raises as ``run_glsl`` does."""
    context = _context()
    try:
        drawn = _compiled(lambda: context.program(vertex_shader=WHOLE_SCREEN,
                                                  fragment_shader=ES_HEAD + program.text),
                          "glsl-es")  # fmt: skip
        size = (ROWS_ACROSS, ROWS // ROWS_ACROSS)
        target = context.texture(size, 4, dtype="f4")
        frame = context.framebuffer([target])
        rows = many_rows(golden).ravel()
        context.texture((256, len(rows) // 256), 1, rows.tobytes(), dtype="f4").use(1)
        units = {"rows": 1, f"{printer.form.name}_words": 0}
        units |= bind_textures(context, printer.form, first=2)
        if printer.reads_words:
            texels = _filled(printer.words, 4 * ACROSS)
            context.texture((ACROSS, len(texels) // (4 * ACROSS)), 4, texels.tobytes(),
                            dtype="u4").use(0)  # fmt: skip
        for uniform in units.keys() & set(drawn):  # unused uniforms are optimized out
            drawn[uniform] = units[uniform]
        frame.use()
        array = context.vertex_array(drawn, [])

        def read() -> Any:
            parts = []
            for part in range(-(-program.results // 4)):
                if "part" in drawn:
                    drawn["part"] = part
                array.render(vertices=3)
                texels = np.frombuffer(frame.read(components=4, dtype="f4"), np.float32)
                parts.append(texels.reshape(ROWS, 4))
            return np.concatenate(parts, axis=1)[:, : program.results]

        return _timed(read, golden, context)
    finally:
        context.release()


def _timed(read: Any, golden: Golden, context: Any) -> CheckRun:
    least = float("inf")
    for _ in range(3):
        begun = time.perf_counter()
        found = read()
        least = min(least, time.perf_counter() - begun)
    name = str(context.info["GL_RENDERER"]).partition(" (")[0]
    return CheckRun(found[: len(golden.inputs)].copy(), least / ROWS * 1e9, f"{name}, OpenGL")


def _filled(words: Any, multiple: int = 1) -> Any:
    """Return words padded to a multiple, and to at least one."""
    count = max(multiple, -(-len(words) // multiple) * multiple)
    return np.pad(words, (0, count - len(words)))


def _compiled(make: Any, name: str) -> Any:
    import moderngl

    try:
        return make()
    except moderngl.Error as error:
        raise KernelError(f"{name}: got an error of OpenGL's compiler: {error}") from error


def _context() -> Any:
    try:
        import moderngl
    except ImportError as error:
        raise DeviceError('glsl: got no package moderngl, need it to check. Run: pip install '
                          '"neuralshade[check]"') from error  # fmt: skip
    try:
        without_window: Any = {"backend": "egl"}  # missing in its type hints
        return moderngl.create_context(standalone=True, require=450, **without_window)
    except Exception as error:
        raise DeviceError(f"glsl: got no OpenGL by EGL ({error}), need 4.5. Install Mesa's EGL and "
                          "its software renderer.") from error  # fmt: skip
