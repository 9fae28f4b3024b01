"""kinds/shader/opened: the device that draws a task is opened late, kept, and closed."""

import numpy as np
import pytest

import neuralshade
from neuralshade.errors import DeviceError
from neuralshade.kinds import open_asset
from neuralshade.kinds.shader.engine import ShaderEngine


@pytest.fixture
def one_device():
    """Leave each its own device: that they are opened and closed is tested here."""


@pytest.fixture
def drawn_task(tmp_path, plain, brief):
    """Return the asset of a task; each device compiles it anew."""
    neuralshade.fit_shader(plain, tmp_path / "x.nsh", **brief)
    return tmp_path / "x.nsh"


@pytest.mark.slow
def test_one_gpu_for_all_draws_until_it_is_closed(drawn_task, drawing_gpus):
    with open_asset(drawn_task) as opened:
        assert drawing_gpus == []  # who asks for its size needs none
        whole, corner = opened.draw(36, 24), opened.draw(3, 2, (0, 0, 0.5, 0.5))
        assert [gpu.closed for gpu in drawing_gpus] == [False]
    assert [gpu.closed for gpu in drawing_gpus] == [True]
    np.testing.assert_array_equal(whole.clip(0, 1), neuralshade.render(drawn_task))
    part = neuralshade.render(drawn_task, size=(3, 2), crop=(0, 0, 0.5, 0.5))
    np.testing.assert_array_equal(corner.clip(0, 1), part)
    np.testing.assert_array_equal(opened.draw(36, 24), whole)  # on another one
    opened.close()
    assert [gpu.closed for gpu in drawing_gpus] == [True] * 4


@pytest.mark.slow
def test_a_gpu_that_fails_is_not_kept(drawn_task, drawing_gpus, monkeypatch):

    def lost(*given):
        raise DeviceError("device: got no answer.")

    with open_asset(drawn_task) as opened:
        with monkeypatch.context() as failing:
            failing.setattr(ShaderEngine, "draw", lost)
            with pytest.raises(DeviceError):
                opened.draw(2, 1)
        assert [gpu.closed for gpu in drawing_gpus] == [True]
        assert np.isfinite(opened.draw(2, 1)).all()
    assert [gpu.closed for gpu in drawing_gpus] == [True, True]
