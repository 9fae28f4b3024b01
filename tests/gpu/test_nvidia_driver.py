"""gpu/nvidia_driver: a start in the background, shown with a driver that waits for events."""

import threading
from functools import partial
from types import SimpleNamespace

import pytest

from neuralshade.errors import ConfigError, DeviceError
from neuralshade.gpu import cuda_gpu, nvidia_driver
from neuralshade.gpu.nvidia_driver import driver_started, has_nvidia_driver
from neuralshade.gpu.open import open_gpu

NO_DEVICE = 100  # of CUresult
RETAIN, RELEASE = "cuDevicePrimaryCtxRetain", "cuDevicePrimaryCtxRelease_v2"


class Driver:
    """A driver whose first call of one function waits for ``gate``; counts retained contexts."""

    def __init__(self, slow=None, error=0):
        self.slow, self.error = slow, error
        self.entered, self.gate = threading.Event(), threading.Event()
        self.calls, self.busy, self.twice, self.retained = [], None, False, 0

    def __getattr__(self, name):
        if name not in nvidia_driver.CALLS:
            raise AttributeError(name)
        return partial(self._call, name)

    def _call(self, name, *_):
        self.twice |= self.busy == name
        self.calls.append(name)
        if name == self.slow and self.calls.count(name) == 1:
            self.busy = name
            self.entered.set()
            self.gate.wait()
            self.busy = None
        self.retained += (name == RETAIN) - (name == RELEASE)
        return self.error if name == "cuInit" else 0


@pytest.fixture
def made(monkeypatch):
    """Give a function that makes a driver; it goes on as soon as anybody waits for its thread."""

    def made(**settings):
        driver = Driver(**settings)

        class Waited(threading.Event):
            def wait(self, timeout=None):
                if not self.is_set():
                    driver.gate.set()
                return super().wait(timeout)

        monkeypatch.setattr(nvidia_driver, "load_driver", lambda: driver)
        monkeypatch.setattr(nvidia_driver, "threading", SimpleNamespace(
            Event=Waited, Lock=threading.Lock, Thread=threading.Thread))  # fmt: skip
        monkeypatch.setattr(cuda_gpu, "CudaGpu", lambda: getattr(driver, RETAIN)(None, 0))
        return driver

    return made


@pytest.mark.parametrize("slow", ["cuInit", RETAIN])
def test_the_driver_starts_beside_other_work_and_the_opener_waits(made, slow):
    driver = made(slow=slow)
    with driver_started():
        driver.entered.wait()  # this work goes on while the driver is busy
        assert driver.busy
        open_gpu("cuda")
        assert not driver.twice and driver.retained == 1  # by the open device
    assert driver.retained == 1
    assert [name for name in driver.calls if name != "cuInit"] == [
        "cuDeviceGet", RETAIN, RETAIN, RELEASE,
    ]  # fmt: skip


@pytest.mark.parametrize("slow", [None, "cuInit", RETAIN])
def test_a_fit_that_fails_before_it_opens_a_device_holds_none(made, slow):
    driver = made(slow=slow)
    with pytest.raises(ConfigError, match="bad"), driver_started():
        raise ConfigError("bad")
    assert driver.retained == 0 and not driver.busy
    assert driver.calls.count(RETAIN) == driver.calls.count(RELEASE)


def test_a_device_that_does_not_open_is_not_held(made, monkeypatch):
    driver = made()

    def refused():
        raise DeviceError("no package")

    monkeypatch.setattr(cuda_gpu, "CudaGpu", refused)
    with driver_started():
        with pytest.raises(DeviceError, match="no package"):
            open_gpu("cuda")
        assert driver.retained == 0 and driver.calls.count(RETAIN) == 1


@pytest.mark.parametrize("slow", ["cuInit", RETAIN])
def test_ctrl_c_waits_for_no_driver_and_leaves_no_context(made, slow):
    driver, starts = made(slow=slow), []

    @driver_started()
    def interrupted():
        driver.entered.wait()
        starts.append(nvidia_driver._start)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert driver.busy and not driver.gate.is_set()
    starts[0].ended.wait()
    assert driver.retained == 0
    assert driver.calls.count(RETAIN) == driver.calls.count(RELEASE) == (slow == RETAIN)


def test_a_driver_without_a_gpu_is_refused_as_ever(made):
    made(error=NO_DEVICE)
    with pytest.raises(DeviceError) as usual:
        open_gpu("cuda")
    driver = made(slow="cuInit", error=NO_DEVICE)
    with driver_started():
        driver.entered.wait()
        assert not has_nvidia_driver()
        with pytest.raises(DeviceError) as caught:
            open_gpu("cuda")
    assert str(caught.value) == str(usual.value)
    assert {*driver.calls} == {"cuInit"}


@pytest.mark.parametrize("driver", [None, SimpleNamespace(cuInit=lambda flags: 0)])
def test_without_a_driver_no_thread_begins(monkeypatch, driver):
    """None, or one too old to have what is called."""
    monkeypatch.setattr(nvidia_driver, "load_driver", lambda: driver)
    monkeypatch.setattr(nvidia_driver, "DriverStart", None)
    with driver_started():
        assert nvidia_driver._start is None and has_nvidia_driver() == (driver is not None)
