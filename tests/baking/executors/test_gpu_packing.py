"""baking/gpu_packing and gpu_meter: fits a GPU by measured memory, with a stand-in for NVML."""

import os
import shutil
import subprocess

import pytest

from neuralshade.baking.bake import run_jobs
from neuralshade.baking.executors import local_executor, nvml
from neuralshade.baking.executors.executor import Lost
from neuralshade.baking.executors.gpu_meter import GpuMeter
from neuralshade.baking.executors.gpu_packing import GpuPacking
from neuralshade.baking.executors.local_executor import LocalExecutor
from neuralshade.baking.stores.folder_store import open_store

slow = pytest.mark.slow  # workers start
GB = 2**30
# Two GPUs; this process is on the first, in both lists, beside others. Types are as in nvml.h.
STAND_IN = """
#include <stdlib.h>
#include <unistd.h>
typedef struct {
    unsigned int pid; unsigned long long usedGpuMemory;
    unsigned int gpuInstanceId; unsigned int computeInstanceId;
} info;
static int gpus[2];
int nvmlInit_v2(void) { return 0; }
int nvmlDeviceGetCount_v2(unsigned int *count) { *count = 2; return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned int index, void **gpu) { *gpu = &gpus[index]; return 0; }
static int listed(void *gpu, unsigned int *count, info *found, unsigned long long used) {
    if (*count < 2) return 7;
    found[0].pid = 1; found[0].usedGpuMemory = 77;
    found[1].pid = getpid(); found[1].usedGpuMemory = used;
    *count = gpu == &gpus[0] ? 2 : 1;
    return 0;
}
int nvmlDeviceGetComputeRunningProcesses_v3(void *gpu, unsigned int *count, info *found) {
    return listed(gpu, count, found, strtoull(getenv("STAND_IN_BYTES"), 0, 10));
}
int nvmlDeviceGetGraphicsRunningProcesses_v3(void *gpu, unsigned int *count, info *found) {
    return listed(gpu, count, found, -1);  /* not known */
}
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """Give the path of the stand-in."""
    if shutil.which("gcc") is None:
        pytest.skip("needs a C compiler")
    folder = tmp_path_factory.mktemp("nvml")
    (source := folder / "nvml.c").write_text(STAND_IN)
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", folder / nvml.LIBRARY, source], check=True)
    return folder / nvml.LIBRARY


@pytest.fixture
def stand_in(library, monkeypatch):
    """Return what sets the memory of this process and its children on a GPU."""
    monkeypatch.setenv("LD_LIBRARY_PATH", str(library.parent))
    monkeypatch.setattr(nvml, "LIBRARY", str(library))
    nvml._library.cache_clear()
    yield lambda size: monkeypatch.setenv("STAND_IN_BYTES", str(size))
    nvml._library.cache_clear()


def test_the_memory_of_this_process_is_read(stand_in, monkeypatch):
    stand_in(5 * GB)
    assert nvml.process_bytes(os.getpid()) == 5 * GB
    assert nvml.process_bytes(1) == 2 * 77 and nvml.process_bytes(2) is None
    stand_in(0)
    with GpuMeter() as meter:
        stand_in(GB)
    assert meter.bytes == GB


@pytest.mark.parametrize("why", ["no library", "a container", "an old library"])
def test_without_numbers_nothing_is_known(stand_in, monkeypatch, why):
    stand_in(GB)
    if why == "no library":
        monkeypatch.setattr(nvml, "LIBRARY", "/no/such/library.so")
    elif why == "a container":
        monkeypatch.setattr(nvml, "FIRST_NAMESPACE", -1)
    else:
        monkeypatch.setattr(nvml, "LISTS", (*nvml.LISTS, "nvmlOfLater"))
    with GpuMeter() as meter:
        pass
    assert meter.bytes is None


def test_the_number_follows_the_greatest_fit_and_falls_without_memory():
    packing = GpuPacking({"0": 24 * GB, "1": 20 * GB}, most=30)
    assert packing.count() == 12  # 3 GiB each
    packing.measured(GB)
    assert packing.count() == 30  # 1.25 GiB each: the cores decide
    packing.measured(2 * GB)
    packing.measured(GB)
    assert packing.count() == 16
    packing.measured(1000)  # no GPU was used
    packing.out_of_memory(16)
    packing.out_of_memory(16)  # of another that began beside it
    assert packing.count() == 8
    packing.measured(100 * GB)
    assert packing.count() == 2  # one on each GPU
    packing.out_of_memory(2)
    assert packing.count() == 2


def test_a_number_of_the_user_stays_until_memory_lacks():
    packing = GpuPacking({"0": 24 * GB}, most=20, fixed=True)
    packing.measured(12 * GB)
    assert packing.count() == 20
    packing.out_of_memory(20)
    assert packing.count() == 10


def test_where_processes_are_unknown_their_mean_counts():
    packing = GpuPacking({"0": 24 * GB, "1": 24 * GB}, most=30)
    packing.shared({"0": 16 * GB, "1": 20 * GB}, {"0": 4, "1": 4})
    assert packing.count() == 18  # 2.5 GiB each


def bake(probes, jobs, packing, **options):
    """Return the rows and the executor of a bake, begun with its first number."""
    executor = LocalExecutor(str(probes.output), packing.count(), packing=packing)
    return run_jobs(jobs, open_store(probes.output), executor, **options).rows, executor


@pytest.mark.skipif(not nvml._has_true_numbers(), reason="a container hides its processes")
@pytest.mark.parametrize("size, count", [(GB, 3), pytest.param(6 * GB, 1, marks=slow)])
def test_processes_come_and_go_with_what_fits_take(stand_in, probes, size, count):
    stand_in(size)
    packing, running = GpuPacking({"0": 8 * GB}, most=3), []
    jobs = probes.gated_jobs(9)
    probes.pass_gate(1)

    def observer(progress):
        if progress.made >= 2:  # the other of the two that began first has ended, too
            running.append(progress.running)
            if progress.running == count:
                probes.pass_gate(9)
        elif progress.made:
            probes.pass_gate(2)

    rows, executor = bake(probes, jobs, packing, observer=observer)
    assert {row.gpu_bytes for row in rows} == {size} and len(rows) == 9
    assert executor.slots() == count and max(running) == count


@slow
def test_a_fit_without_memory_is_repeated_beside_fewer(probes):
    jobs = [*probes.jobs(3), probes.job("large", memory=1)]
    rows, executor = bake(probes, jobs, GpuPacking({"0": 99 * GB}, most=2))
    assert executor.slots() == 1 and {row.state for row in rows} == {"made"}
    assert Lost("a", "memory: got no 3 MB on GPU").memory and not Lost("a", "worker: died").memory


@slow
def test_free_memory_counts_where_a_container_hides_processes(probes, monkeypatch):
    monkeypatch.setattr(local_executor, "free_bytes", lambda: {"0": 2 * GB})
    monkeypatch.setenv("LD_LIBRARY_PATH", "")
    rows, executor = bake(probes, probes.jobs(2), GpuPacking({"0": 8 * GB}, most=8))
    assert executor.slots() in (1, 2) and rows[0].gpu_bytes is None
