"""cli: a kernel that never ends is ended by a signal, and what was kept of the fit is told."""

import signal
import subprocess
import sys

import pytest

import neuralshade

TASK = """import neuralshade.model.trainable;
struct Task : ITask
{
    [Trainable(0.1)] [Start(0.25)] float grey;
    [Differentiable]
    float loss(no_diff Thread thread) { return (grey - 0.5) * (grey - 0.5); }
    float render(float2 uv)
    {
        uint n = 0, tries = 0;
        while (n != 3u) // no square of 32 bits is 2, which no compiler knows
        {
            n = n * n + 1u;
            ++tries;
        }
        return grey + tries * uv.x;
    }
}
"""


SECONDS = 600  # that a process is given: one that hangs, not one that is slow
# Sends itself the signal while the device draws, or while what is drawn is compiled.
COMMAND = """
import os, sys, threading
from neuralshade.__main__ import main
from neuralshade.kinds.shader.engine import ShaderEngine
draw = ShaderEngine.draw
def drawn(*given):
    threading.Timer(0.2, os.kill, (os.getpid(), NUMBER)).start()
    return draw(*given)
ShaderEngine.draw = drawn
main()
"""


@pytest.mark.slow  # a process that compiles, and a grace of its device
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it(device, folder, number):
    """The picture of the first snapshot never comes."""
    (folder / "t.slang").write_text(TASK)
    given = ["fit", "shader", "t.slang", "-o", "x.nsh", "--steps", "1000", "--threads", "4",
             "--snapshots", "snaps"]  # fmt: skip
    code = COMMAND.replace("NUMBER", str(int(number)))
    done = subprocess.run([sys.executable, "-c", code, *given], text=True, capture_output=True,
                          timeout=SECONDS, check=False)  # fmt: skip
    assert (done.returncode, done.stdout) == (130, "")
    last = done.stderr.splitlines()[-1]
    assert last.startswith("neuralshade: interrupted at step 1: device: got work on ")
    assert last.endswith(" that does not end, need kernels that do. Look for loops without an end.")
    assert not (folder / "x.nsh").exists()


@pytest.mark.slow
@pytest.mark.parametrize("number, code, said", [(signal.SIGINT, 130, "interrupted."),
                                                (signal.SIGTERM, 143, "terminated.")])  # fmt: skip
def test_a_signal_ends_a_render(device, folder, number, code, said):
    """Of a task of one's own, which is drawn in the process."""
    (folder / "t.slang").write_text(TASK)
    neuralshade.fit_shader("t.slang", "x.nsh", steps=1, threads="4", size="4x4")
    text = COMMAND.replace("NUMBER", str(int(number)))
    done = subprocess.run([sys.executable, "-c", text, "render", "x.nsh", "-o", "x.png"], text=True,
                          capture_output=True, timeout=SECONDS, check=False)  # fmt: skip
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr.splitlines()[-1] == f"neuralshade: {said}"  # it draws for longer than 2 s
    assert not (folder / "x.png").exists()


@pytest.mark.slow  # ten seconds are a grace of software
def test_a_signal_between_sending_work_and_waiting_ends_a_render(device, folder):
    """Closing the device waited for work that never ends, on a busy machine once in a while."""
    (folder / "t.slang").write_text(TASK)
    neuralshade.fit_shader("t.slang", "x.nsh", steps=1, threads="4", size="4x4")
    text = f"""
import os, signal
from neuralshade.__main__ import main
from neuralshade.gpu.slangpy_gpu import SlangpyBuffer
from neuralshade.kinds.shader.engine import ShaderEngine
draw, read = ShaderEngine.draw, SlangpyBuffer.read
def told(self):
    os.kill(os.getpid(), {int(signal.SIGTERM)})
    return read(self)
def drawn(*given):
    SlangpyBuffer.read = told
    return draw(*given)
ShaderEngine.draw = drawn
main()
"""
    done = subprocess.run([sys.executable, "-c", text, "render", "x.nsh", "-o", "x.png"], text=True,
                          capture_output=True, timeout=SECONDS, check=False)  # fmt: skip
    assert (done.returncode, done.stdout) == (143, "")
    assert done.stderr.splitlines()[-1] == "neuralshade: terminated."
