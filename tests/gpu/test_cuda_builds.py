"""gpu/cuda_builds: kernels are built in the background, and waited for where they are asked for."""

import os
import signal
import subprocess
import sys
import threading

import pytest

from neuralshade.errors import KernelError
from neuralshade.gpu import cuda_builds, kernel_dump
from neuralshade.gpu.cuda_builds import KernelBuilds
from neuralshade.gpu.gpu import KernelText

FIRST, SECOND = KernelText("first", "run"), KernelText("second", "run")
ENDLESS = 60  # seconds, which no test waits


class Compiler:
    """Stands for what builds kernels: none is done before ``done`` is set."""

    def __init__(self):
        self.begun, self.done = [], threading.Event()
        self.first = threading.Event()  # set when the first one has begun

    def __call__(self, text, entry, architecture, *, fast_math, folder, opened):
        self.begun.append(KernelText(text, entry, fast_math, folder))
        self.first.set()
        kernel_dump.begin(text, entry)
        assert self.done.wait(ENDLESS)
        if text == "wrong":
            raise KernelError("kernel: it does not compile")
        return f"{text} for {architecture}"


@pytest.fixture
def compiler(monkeypatch):
    stand_in = Compiler()
    monkeypatch.setattr(cuda_builds, "build_kernel", stand_in)
    monkeypatch.setattr(cuda_builds, "core_count", lambda: 1)
    yield stand_in
    stand_in.done.set()


@pytest.fixture
def builds(compiler):
    opened = KernelBuilds("sm_90a")
    yield opened
    opened.close()


def test_builds_go_on_behind_the_caller_who_waits_where_one_is_asked_for(builds, compiler):
    builds.begin([FIRST])
    builds.begin([SECOND, FIRST])
    threading.Timer(0.05, compiler.done.set).start()
    assert not compiler.done.is_set()
    assert compiler.first.wait(ENDLESS) and compiler.begun == [FIRST]
    assert builds.built(FIRST) == "first for sm_90a"
    assert compiler.done.is_set() and builds.built(SECOND) == "second for sm_90a"
    assert compiler.begun == [FIRST, SECOND]


def test_nobody_waits_for_kernels_that_are_needed_later(builds, compiler, tmp_path, monkeypatch):
    """One that no core has begun is built by who asks, with the folder of whoever began it."""
    builds.begin([FIRST])
    with kernel_dump.into(tmp_path):
        builds.begin([SECOND])
    assert compiler.first.wait(ENDLESS) and compiler.begun == [FIRST]
    monkeypatch.setattr(compiler.done, "wait", lambda _: True)  # of what begins from now on
    assert builds.built(SECOND) == "second for sm_90a"
    assert [path.name for path in tmp_path.iterdir()] == ["00_run.slang"]
    assert compiler.begun == [FIRST, SECOND]


def test_as_many_are_built_at_a_time_as_there_are_cores(compiler, monkeypatch):
    monkeypatch.setattr(cuda_builds, "core_count", lambda: 2)
    met = threading.Barrier(2, action=compiler.done.set)
    monkeypatch.setattr(cuda_builds, "build_kernel", lambda *_, **__: met.wait(ENDLESS))
    builds = KernelBuilds("sm_90a")
    builds.begin([FIRST, SECOND])
    assert {builds.built(FIRST), builds.built(SECOND)} == {0, 1}
    builds.close()


def test_what_does_not_compile_is_told_where_it_is_asked_for(builds, compiler):
    compiler.done.set()
    wrong = KernelText("wrong", "run")
    builds.begin([wrong, FIRST])
    assert builds.built(FIRST) == "first for sm_90a"
    for _ in range(2):
        with pytest.raises(KernelError) as caught:
            builds.built(wrong)
        assert str(caught.value) == "kernel: it does not compile"


def test_a_kernel_is_one_of_a_text_an_entry_point_and_how_it_is_compiled(
    builds, compiler, tmp_path
):
    compiler.done.set()
    here = KernelText("own", "run", folder=tmp_path)
    builds.begin([here])
    assert builds.built(here) == "own for sm_90a"
    others = [KernelText("own", "run"), KernelText("own", "run", True, tmp_path),
              KernelText("own", "other", folder=tmp_path)]  # fmt: skip
    for other in others:
        builds.built(other)
    assert compiler.begun == [here, *others]


def test_what_was_not_begun_never_is_once_they_are_closed(builds, compiler):
    builds.begin([FIRST, SECOND])
    assert compiler.first.wait(ENDLESS) and compiler.begun == [FIRST]
    builds.close()
    builds.close()
    compiler.done.set()
    for thread in threading.enumerate():
        if thread.name.startswith("neuralshade_"):
            thread.join(ENDLESS)
    assert compiler.begun == [FIRST]


def test_they_are_written_where_the_caller_s_are(builds, compiler, tmp_path):
    compiler.done.set()
    with kernel_dump.into(tmp_path):
        builds.begin([FIRST])
    builds.begin([SECOND])
    assert [builds.built(kernel) for kernel in (FIRST, SECOND)]
    assert [path.name for path in tmp_path.iterdir()] == ["00_run.slang"]


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="Windows sends no such signal")
def test_ctrl_c_ends_the_wait(builds):
    builds.begin([FIRST])
    main = threading.main_thread().ident
    threading.Timer(0.05, signal.pthread_kill, (main, signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        builds.built(FIRST)


def test_a_process_ends_with_what_is_under_way_and_prints_nothing():
    code = (
        "import time\n"
        "from neuralshade.gpu import cuda_builds\n"
        "from neuralshade.gpu.gpu import KernelText\n"
        "cuda_builds.build_kernel = lambda *_, **__: time.sleep(0.3)\n"
        "builds = cuda_builds.KernelBuilds('sm_90a')\n"
        "builds.begin([KernelText(str(number), 'run') for number in range(10_000)])\n"
        "builds.close()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                          env={**os.environ, "OMP_NUM_THREADS": "2"}, timeout=ENDLESS)  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
