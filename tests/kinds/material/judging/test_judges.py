"""kinds/material/judging/judges: the reference is evaluated beside training, with equal results."""

import threading
from concurrent.futures import Future

import numpy as np
import pytest
import torch
from fixtures.small_material import DARK, PAINT, TOLD, paint_reference, upper_pairs

import neuralshade
from neuralshade import FitOptions
from neuralshade.errors import DeviceError
from neuralshade.gpu.open import open_gpu
from neuralshade.kinds.material.asset import pack_field
from neuralshade.kinds.material.field import build_field
from neuralshade.kinds.material.judging import judge as judging
from neuralshade.kinds.material.judging import judges as module
from neuralshade.kinds.material.judging import mip_judge
from neuralshade.kinds.material.judging.judge import field_shade
from neuralshade.kinds.material.mip_fit import LeveledEngine
from neuralshade.kinds.material.recipe import MaterialRecipe
from neuralshade.kinds.material.references.reference_bsdf import ReferenceKernels

RECIPE = MaterialRecipe(size=8)


class Beside:
    """The same GPU for another thread; it tells whether it was closed."""

    def __init__(self, gpu):
        self.gpu, self.closed = gpu, False

    def __getattr__(self, name):
        return getattr(self.gpu, name)

    def close(self):
        self.closed = True


def at_once(work):
    """Return the result of work that a thread would do."""
    future = Future()
    try:
        future.set_result(work())
    except BaseException as error:
        future.set_exception(error)
    return future


@pytest.fixture
def small(monkeypatch):
    for name, value in (("SIDE_PX", 32), ("QUICK_PIXELS", 8), ("SKY_LIGHTS", 2)):
        monkeypatch.setattr(judging, name, value)
    for name, value in (("FOOTPRINTS", 64), ("POINTS", 4), ("POOL", 256)):
        monkeypatch.setattr(mip_judge, name, value)
    monkeypatch.setattr(module, "in_thread", at_once)


@pytest.fixture
def fitted():
    return build_field(RECIPE, RECIPE.size, torch.Generator().manual_seed(1))


def judged(judges, field):
    """Return all that a fit asks of its judges."""
    quick = judges.quick_psnr(field_shade(field))
    whole = judges.judge(field_shade(field))
    tensors, levels = judges.with_levels(pack_field(field), None)
    return quick, whole, levels, {name: values.tolist() for name, values in tensors.items()}


def test_what_was_evaluated_beside_gives_equal_results(small, painted, fitted, monkeypatch):
    alone = judged(module.Judges(painted, RECIPE), fitted)
    beside = Beside(painted.gpu)
    monkeypatch.setattr(type(painted.gpu), "beside", lambda gpu: beside)
    judges = module.Judges(painted, RECIPE)
    judges.quick_psnr(field_shade(fitted))
    assert beside.closed
    monkeypatch.setattr(painted.__class__, "eval", lambda *given: pytest.fail("evaluated again"))
    assert judged(judges, fitted) == alone


def test_a_fit_that_never_looked_is_judged(small, painted, fitted, monkeypatch):
    monkeypatch.setattr(type(painted.gpu), "beside", lambda gpu: pytest.fail("too late"))
    judges = module.Judges(painted, RECIPE)
    assert judges.judge(field_shade(fitted)).psnr_db > 0


def test_without_memory_for_it_the_reference_is_evaluated_afterwards(
    small, painted, fitted, monkeypatch
):
    alone = judged(module.Judges(painted, RECIPE), fitted)

    def full(*given, **named):
        raise DeviceError("device: got no memory")

    monkeypatch.setattr(type(painted.gpu), "beside", full)
    assert judged(module.Judges(painted, RECIPE), fitted) == alone
    beside = Beside(painted.gpu)
    monkeypatch.setattr(beside, "buffer", full, raising=False)
    monkeypatch.setattr(type(painted.gpu), "beside", lambda gpu: beside)
    assert judged(module.Judges(painted, RECIPE), fitted) == alone and beside.closed


def test_large_textures_are_not_held_twice(small, painted, fitted, monkeypatch):
    monkeypatch.setattr(module, "MOST_BYTES", -1)
    monkeypatch.setattr(type(painted.gpu), "beside", lambda gpu: pytest.fail("held twice"))
    module.Judges(painted, RECIPE).quick_psnr(field_shade(fitted))


def test_a_stage_begins_when_nothing_uses_the_gpu_beside(small, painted, fitted, monkeypatch):
    """PyTorch records a graph then, which an allocation of another thread ends."""
    ended, order = threading.Event(), []

    def begun(work):
        future = Future()

        def run():
            ended.wait()
            order.append("ended")
            future.set_result(work())

        threading.Thread(target=run).start()
        return future

    monkeypatch.setattr(module, "in_thread", begun)
    monkeypatch.setattr(type(painted.gpu), "beside", lambda gpu: Beside(gpu))
    judges = module.Judges(painted, RECIPE)
    judges.wait()  # nothing was begun
    judges.quick_psnr(field_shade(fitted))
    threading.Timer(0.1, ended.set).start()
    judges.wait()
    order.append("recorded")
    assert order == ["ended", "recorded"]


def test_a_fit_waits_before_each_stage(monkeypatch, tmp_path):
    order, begin = [], LeveledEngine.begin

    def begun(engine):
        order.append("mips")
        begin(engine)

    monkeypatch.setattr(module.Judges, "wait", lambda judges: order.append("wait"))
    monkeypatch.setattr(LeveledEngine, "begin", begun)
    paint = tmp_path / "paint.slang"
    paint.write_text(PAINT + TOLD + DARK)
    neuralshade.fit_material(paint, tmp_path / "a.nsh", size=8, steps=40, batch=256, mips=0.2,
                             hidden_width=16, options=FitOptions(engine="torch"))  # fmt: skip
    assert order[:2] == ["wait", "mips"] and order.count("wait") == 2  # and the sampler's


@pytest.mark.gpu
def test_through_cuda_a_thread_evaluates_it_while_this_one_uses_the_gpu(fitted, monkeypatch):
    try:
        gpu = open_gpu("cuda")
    except DeviceError as error:
        pytest.skip(str(error))
    painted = ReferenceKernels(gpu, paint_reference())
    uv, wi, wo = upper_pairs(2**16)
    light = painted.eval(uv, wi, wo)
    judges = module.Judges(painted, RECIPE)
    judges.quick_psnr(field_shade(fitted))
    while not judges._ahead.done():
        np.testing.assert_array_equal(painted.eval(uv, wi, wo), light)
    beside = judged(judges, fitted)
    monkeypatch.setattr(module, "MOST_BYTES", -1)
    assert beside == judged(module.Judges(painted, RECIPE), fitted)
    gpu.close()
