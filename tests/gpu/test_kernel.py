"""gpu/kernel: text that does not compile is refused with all that the compiler says."""

import pytest

from neuralshade.errors import KernelError
from neuralshade.gpu.kernel import device_buffer, load_text


def test_text_that_does_not_compile_is_refused(device):
    with pytest.raises(KernelError) as caught:
        load_text(device, "void f() { undefined_thing(); }")
    assert "got Slang text that does not compile, need one that does." in str(caught.value)
    assert "undefined_thing" in str(caught.value)


def test_the_same_text_may_be_loaded_again(device):
    text = "public float f() { return 1; }"
    assert load_text(device, text).name == load_text(device, text).name


@pytest.mark.parametrize("size", [0, 1, 17])
def test_a_buffer_is_never_empty_and_begins_as_zeros(device, size):
    raw = device_buffer(device, size=size).to_numpy()
    assert raw.nbytes >= max(1, size)
    assert not raw.any()
