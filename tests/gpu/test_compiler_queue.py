"""gpu/compiler_queue: few compilers, lent in the order of need."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from neuralshade.gpu.compiler_queue import CompilerQueue
from neuralshade.gpu.cuda_builds import PLACE, KernelBuilds
from neuralshade.gpu.gpu import KernelText

MOST, PATIENCE = 4, 4
ENDLESS = 60  # seconds, which no test waits


class Compiler:
    """Stands for a compiler."""


@pytest.mark.parametrize("waiting, compilers", [(4, 1), (5, 2), (9, 2), (10, 3), (40, 4)])
def test_another_compiler_is_made_only_for_threads_behind_many_others(waiting, compilers):
    """Each has to import all modules, and several that do so slow each other down."""
    queue, opened, made, dropped = CompilerQueue(MOST, PATIENCE), threading.Event(), [], []

    def use():
        compiler = queue.take(0)
        if compiler is None:
            compiler = Compiler()
            made.append(compiler)
        assert opened.wait(ENDLESS)
        if not queue.give_back(compiler):
            dropped.append(compiler)
        return compiler

    with ThreadPoolExecutor(waiting + 1) as pool:
        uses = [pool.submit(use) for _ in range(waiting + 1)]
        while len(made) < compilers or len(queue.waiting) < waiting + 1 - compilers:
            pass
        opened.set()
        used = {one.result() for one in uses}
    assert len(made) == compilers and used == set(made)
    assert len(queue.kept) == 1 and {*queue.kept, *dropped} == set(made)


def test_who_is_needed_first_goes_first_whenever_they_came():
    queue, order = CompilerQueue(MOST, PATIENCE), []
    assert queue.take(0) is None

    def use(place):
        compiler = queue.take(place)
        order.append(place)
        queue.give_back(compiler)

    with ThreadPoolExecutor(4) as pool:
        for count, place in enumerate((3, 1, 2, 1), 1):
            pool.submit(use, place)
            while len(queue.waiting) < count:
                pass
        queue.give_back(Compiler())
    assert order == [1, 1, 2, 3]


def test_a_turn_that_ends_without_a_compiler_is_the_next_one_s():
    queue = CompilerQueue(MOST, PATIENCE)
    assert queue.take(0) is None
    assert not queue.give_back(None)
    assert queue.take(0) is None


def test_kernels_have_the_places_in_which_they_were_begun(monkeypatch):
    monkeypatch.setattr("neuralshade.gpu.cuda_builds.build_kernel", lambda *_, **__: PLACE.get())
    builds = KernelBuilds("sm_90a")
    kernels = [KernelText(name, "run") for name in "abc"]
    builds.begin(kernels[:2])
    builds.begin(kernels)
    assert [builds.built(kernel) for kernel in kernels] == [0, 1, 2]
    builds.close()
