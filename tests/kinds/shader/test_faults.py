"""kinds/shader/engine: what is no number, and what does not compile, is named."""

import numpy as np
import pytest

from neuralshade.errors import ConfigError, KernelError
from neuralshade.gpu.slangpy_gpu import SlangpyGpu

FAULTS = {
    "a loss from the first step on": (
        "return thread.index.x == 3u && thread.index.y == 2u ? log(a - 1) : a;",
        "loss that is no number in step 1, thread (3, 2, 0)",
    ),
    "a gradient": (
        "return thread.index.x == 3u && thread.index.y == 2u ? bad(b[1]) : a;",
        "gradient of b[1] that is no number in step 1, thread (3, 2, 0)",
    ),
    "a texture's gradient": (
        "return thread.index.x == 3u && thread.index.y == 2u ? bad(t.load(int2(1, 0)).y) : a;",
        "gradient of t[0][1][1] that is no number in step 1, thread (3, 2, 0)",
    ),
    "a loss later on": (
        "return thread.step == 2u && thread.index.x == 3u && thread.index.y == 2u ? log(-1 - a * a)"
        " : a * 0.0;",
        "loss that is no number in step 3, thread (3, 2, 0)",
    ),
}
BAD = """
[BackwardDerivative(bad_back)] float bad(float x) { return x; }
void bad_back(inout DifferentialPair<float> x, float d) { x = diffPair(x.p, d * log(x.p - 1)); }
"""


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_no_number_is_named_and_stops_training(gpu, fault, module, engine_of):
    body, message = FAULTS[fault]
    members = ("[Trainable(0.1)] float a; [Trainable(0.1)] float2 b;"
               "[Trainable(0.1)] [Size(2, 1)] Texture<float2> t;")  # fmt: skip
    engine = engine_of(gpu, module(members, body, before=BAD))
    before = engine.values()
    with pytest.raises(ConfigError) as caught:
        engine.advance([1.0] * 5)
    assert str(caught.value) == (
        f"task.slang: got a {message}, need finite ones. Guard divisions, roots and logarithms "
        "near 0, or lower the rates."
    )
    np.testing.assert_array_equal(engine.values(), before)


def test_a_gradient_that_is_no_number_is_told_once(gpu, module, engine_of):
    """And what comes after it is not blamed for it."""
    engine = engine_of(gpu, module("[Trainable(0.1)] float2 b;", "return bad(b.x);", before=BAD))
    with pytest.raises(ConfigError, match=r"gradient of b\[0\] that is no number in step 1"):
        engine.gradient()
    other = engine_of(gpu, module("[Trainable(0.1)] float2 b;", "return b.x > 0 ? b.x : bad(b.y);",
                                  before=BAD))  # fmt: skip
    with pytest.raises(ConfigError, match=r"gradient of b\[1\]"):
        other.gradient()
    other.set_values(np.float32([1, 0]))
    np.testing.assert_allclose(other.gradient(), [1, 0], rtol=1e-6)
    other.advance([1.0])


def test_errors_of_kernels_name_the_user_s_file_and_line(gpu, module, engine_of):
    """What the compiler sees only when it builds the kernel: here, two structs of one name."""
    before = "struct Moments { float x; }"
    engine = engine_of(gpu, module("[Trainable(1)] float a;", "return a;", before=before))
    with pytest.raises(KernelError) as caught:
        engine.losses()
    assert "ambiguous reference to 'Moments'" in str(caught.value)
    assert "--> task.slang:2:8" in str(caught.value)


def test_errors_that_only_the_driver_s_form_shows(device, capfd, module, engine_of):
    """A constant index beyond an array's end; Slang gives no line for it."""
    source = module("[Trainable(1)] float a;", "float x[2] = { a, a }; return x[7];")
    engine = engine_of(SlangpyGpu(device, owned=False), source)
    with pytest.raises(KernelError) as caught:
        engine.losses()
    assert "array index out of bounds" in str(caught.value)
    capfd.readouterr()  # SlangPy prints it too
