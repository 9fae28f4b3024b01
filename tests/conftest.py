"""What every test may ask for: a device, a seeded generator, noise; and when `gpu` tests run."""

import atexit
import contextlib
import functools
import gc
import hashlib
import logging
import math
import os
import pathlib
import re
import shutil
import signal
import tempfile
import threading
from collections.abc import Callable, Iterator
from typing import Any

import hypothesis
import numpy as np
import platformdirs
import psutil
import pytest
import torch

from neuralshade.base import progress_scope
from neuralshade.base.cores import core_count
from neuralshade.errors import DeviceError, KernelError
from neuralshade.gpu import slang_export, slang_reflection, slangpy_kernel
from neuralshade.gpu.device import open_device, trim_heap
from neuralshade.gpu.gpu import Gpu
from neuralshade.gpu.open import hardware_adapter, open_gpu
from neuralshade.gpu.slang_reflection import reflect_struct
from neuralshade.gpu.slangpy_gpu import SlangpyGpu

pytest_plugins = [
    "fixtures.browsers",
    "fixtures.disks",
    "fixtures.dispatches",
    "fixtures.image_assets",
    "fixtures.messages",
    "fixtures.node",
    "fixtures.on_cpu",
    "fixtures.object_store",
    "fixtures.outside",
    "fixtures.probe_jobs",
    "fixtures.ray_clusters",
    "fixtures.scenes",
    "fixtures.small_fits",
    "fixtures.small_judges",
    "fixtures.small_material",  # before what imports it
    "fixtures.small_kinds",
    "fixtures.small_textures",
    "fixtures.tasks",
    "fixtures.texture_assets",
    "fixtures.web_sites",
]
# Of a Slang text: lines by which it may load files that are not this package's.
OWN_FILES = re.compile(r"^\s*(import\s+(?!neuralshade\b)|__include|#\s*include)", re.MULTILINE)
NOTES = "NEURALSHADE_TESTS_NOTES"  # the folder that fits of tests note their modules in
MUCH_MEMORY = 3 * 2**29  # bytes
SOFTWARE_VULKAN = {
    "LP_NATIVE_VECTOR_WIDTH": "128", "LP_NUM_THREADS": "1", "GALLIVM_PERF": "nopt",
}  # fmt: skip


def pytest_configure() -> None:
    """Keep to one core, here and in the commands that tests start: what runs beside is a test too.

    PyTorch's threads wait for each other by spinning, which costs more than they give at the sizes
    of tests. Mesa's software Vulkan compiles each kernel when it first runs, and that is most of
    a kernel's time here: vectors of 128 bits halve it. Waves have 4 threads then, in place of 8.
    To leave LLVM's passes out saves a sixth more. Mesa's cache of compiled kernels does not tell
    widths apart, and to run those of one in a process of the other crashes: hence a folder for
    each. What fits of tests note of their modules goes into no folder of this user's. No example of
    hypothesis has a deadline: a machine that others use is no fault. For the same reason work is
    not told of, however long it takes; tests that want that say so.
    """
    progress_scope.SILENT_SECONDS = math.inf
    # a shell that starts the suite in the background lets it ignore Ctrl-C, and all that it starts
    signal.signal(signal.SIGINT, signal.default_int_handler)
    hypothesis.settings.register_profile("unhurried", deadline=None)
    hypothesis.settings.load_profile("unhurried")
    torch.set_num_threads(1)
    os.environ |= {"OMP_NUM_THREADS": "1"}
    os.environ |= {name: os.environ.get(name, value) for name, value in SOFTWARE_VULKAN.items()}
    width = os.environ["LP_NATIVE_VECTOR_WIDTH"]
    caches = pathlib.Path(platformdirs.user_cache_dir("neuralshade"))
    os.environ["MESA_SHADER_CACHE_DIR"] = str(caches / f"tests-mesa-{width}")
    if NOTES not in os.environ:  # processes that this one starts use its own
        os.environ[NOTES] = os.environ["XDG_DATA_HOME"] = tempfile.mkdtemp(prefix="neuralshade-")
        os.environ["XDG_CONFIG_HOME"] = os.environ[NOTES]  # no defaults of this user's
        atexit.register(shutil.rmtree, os.environ[NOTES], ignore_errors=True)


@pytest.hookimpl(trylast=True)  # once pytest has put tests of one ``gpu`` side by side
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests marked `gpu` where no hardware GPU answers; there each file is run whole.

    With one ``gpu`` alone, to have its tests side by side gains nothing, and takes those of a file
    apart: what its fixtures fit or compile would be made twice.
    """
    marked = {item for item in items if item.get_closest_marker("gpu")}
    if marked and hardware_adapter() is None:
        config.hook.pytest_deselected(items=list(marked))
        items[:] = [item for item in items if item not in marked]
        items.sort(key=lambda item: item.path)


def pytest_collection_finish() -> None:
    """Let garbage collections pass over all that was imported and collected: it stays."""
    gc.freeze()


def pytest_sessionfinish() -> None:
    """Let the last collection have it all, and the compiler's session before its library."""
    gc.unfreeze()
    text_session_once.cache_clear()


@pytest.fixture(scope="module", autouse=True)
def _freed_memory() -> Iterator[None]:
    """Give back what compilers freed: a process would keep gigabytes of it for the next ones.

    Once it has much, as looking for it takes longer than most files of tests do.
    """
    yield
    if psutil.Process().memory_info().rss > MUCH_MEMORY:
        trim_heap()


@pytest.fixture(autouse=True)
def _same_level_of_messages() -> Iterator[None]:
    """Undo what ``--quiet`` makes of the package's logger: other tests look at its warnings."""
    log = logging.getLogger("neuralshade")
    level = log.level
    yield
    log.setLevel(level)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return one process more than cores: tests keep to one each, and some wait for browsers."""
    return core_count() + 1


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name bytes by their argument: archives hold the time, and processes must agree on names."""
    return argname if isinstance(val, bytes) else None


@pytest.fixture(scope="session")
def device() -> Iterator[Any]:
    """Give the session's SlangPy device; without one, skip, but fail in CI where apt has Mesa."""
    try:
        opened = open_device("auto")
    except DeviceError as error:
        if os.environ.get("CI") == "true" and shutil.which("apt-get"):
            pytest.fail(f"CI has apt, so it must have software Vulkan: {error}")
        pytest.skip(str(error))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slangpy_kernel, "_pipeline", compiled_once(opened))
        yield opened
    opened.close()


def compiled_once(device: Any) -> Callable[[Any, Any, str], Any]:
    """Return what compiles each entry point of a text for ``device`` once, all else every time."""
    compile_, known = slangpy_kernel._pipeline, {}

    def compiled(for_device: Any, module: Any, entry: str) -> Any:
        # modules bear the name of their text, but in another session they may import other files
        if for_device is not device or module.session is not device.slang_session:
            return compile_(for_device, module, entry)
        if (module.name, entry) not in known:
            known[module.name, entry] = compile_(for_device, module, entry)
        return known[module.name, entry]

    return compiled


@functools.cache
def reflected_once(text: str, place: str, name: str, methods: tuple[str, ...]) -> Any:
    """Return what ``reflect_struct`` finds in a text; what it imports of ours is parsed once.

    One session has all texts, a name and a place each, but those that may load files of a user's
    own; and those that are refused are asked again, for words that name the right place.
    """
    digest = hashlib.sha256(f"{place}\n{text}".encode()).hexdigest()
    with pytest.MonkeyPatch.context() as patch, contextlib.suppress(KernelError):
        patch.setattr(slang_reflection, "text_session", text_session_once)
        patch.setattr(slang_export, "MODULE", digest)
        if not OWN_FILES.search(text):
            return reflect_struct(text, f"{digest}.slang", name, methods)
    return reflect_struct(text, place, name, methods)


text_session_once = functools.cache(slang_export.text_session)


@pytest.fixture(scope="session")
def share_device(request: pytest.FixtureRequest) -> Callable[[pytest.MonkeyPatch], None]:
    """Return what patches so that all that opens a GPU here has the session's device."""
    shared: list[Any] = []

    def opened(backend: str) -> Any:
        if threading.current_thread() is threading.main_thread():
            shared[:] = [request.getfixturevalue("device")]
            if backend in ("auto", shared[0].info.type.name):
                return shared[0]
        return open_device(backend)

    def wrapped(native: Any) -> SlangpyGpu:
        return SlangpyGpu(native, owned=native not in shared)

    def reflected(text: str, place: str, name: str, methods: Any, folder: Any = None) -> Any:
        if folder is not None:
            return reflect_struct(text, place, name, methods, folder)
        return reflected_once(text, place, name, tuple(methods))

    def share(patch: pytest.MonkeyPatch) -> None:
        patch.setattr("neuralshade.gpu.open.open_device", opened)
        patch.setattr("neuralshade.gpu.open._through_slangpy", wrapped)
        patch.setattr("neuralshade.kinds.shader.build.reflect_struct", reflected)

    return share


@pytest.fixture
def one_device(share_device: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let all that opens a GPU in the main thread have the session's device, which stays open.

    To open one, and to compile this package's modules anew for it, takes longer than a small fit.
    So does what asks the compiler for a task's members, whose answers are kept too.
    """
    share_device(monkeypatch)


@pytest.fixture(scope="session", params=[
    pytest.param("slangpy", marks=pytest.mark.slangpy),
    pytest.param("cuda", marks=pytest.mark.gpu),
])  # fmt: skip
def gpu(request: pytest.FixtureRequest) -> Iterator[Gpu]:
    """Give the session's GPU: through SlangPy as ``device``, then, where there is one, by CUDA."""
    if request.param == "slangpy":
        opened: Gpu = SlangpyGpu(request.getfixturevalue("device"), owned=False)
    else:
        try:
            opened = open_gpu("cuda")
        except DeviceError as error:
            pytest.skip(str(error))
    yield opened
    opened.close()


@pytest.fixture
def rng() -> torch.Generator:
    """Give a generator that starts equal in every test."""
    return torch.Generator().manual_seed(0)


@pytest.fixture
def refusal():
    """Return what calls a function that must raise, and returns the message: one line."""

    def message(kind, call, *arguments, **named):
        with pytest.raises(kind) as caught:
            call(*arguments, **named)
        assert "\n" not in str(caught.value)
        return str(caught.value)

    return message


@pytest.fixture
def noise() -> np.random.Generator:
    """Give NumPy's generator, starting equal in every test."""
    return np.random.default_rng(2)
