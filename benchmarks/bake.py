"""What a bake costs beside its fits, and what it gains: overhead of a job, plans, GPUs.

    python benchmarks/bake.py [--only overhead plan gpu gpus] [--count 256] [--one 64] [--jobs 6]
        [--steps 600] [--written 10000] [--name bake_cpu]

overhead: jobs that only write a file, through local processes, Ray on this machine, and a driver
whose jobs end at once. plan: a manifest of 100,000 entries. gpu: COUNT pictures of 512 x 512 on one
GPU, by as many workers at once as --jobs says, and ONE of them one after the other in this process.
gpus: COUNT longer fits on one GPU and on two. Writes results/NAME.json.
"""

import argparse
import os
import tempfile
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from PIL import Image
from shared.devices import device_and_name
from shared.results import installed, write_results
from shared.written_files import install, written_jobs

import neuralshade
from neuralshade.baking.bake import run_jobs
from neuralshade.baking.executors.executor import Ended, Executor
from neuralshade.baking.executors.local_executor import LocalExecutor
from neuralshade.baking.executors.local_slots import local_slots
from neuralshade.baking.job import FAILED, MADE, Job, Row
from neuralshade.baking.stores.folder_store import open_store
from neuralshade.errors import DeviceError
from neuralshade.fitting.options import FitOptions

Rows = list[dict[str, Any]]
SIDE = 512
EARLY = 1000  # jobs after which the driver's memory is read first
PLANNED = 100_000
LINKS = 10_000  # to one picture: file systems bound them
LONGER = 2.0  # steps of fits on two GPUs, over those on one: about 3 s each
PARTS = ("overhead", "plan", "gpu", "gpus")


class Instant:
    """Executor whose jobs end at once: what is left is the driver."""

    def __init__(self) -> None:
        self._ended: deque[Ended] = deque()

    def slots(self) -> int:
        return 16

    def submit(self, job: Job) -> None:
        self._ended.append(Ended(job.name, Row(job.name, job.kind, job.output, MADE)))

    def events(self, timeout: float) -> Sequence[Ended]:
        found = list(self._ended)
        self._ended.clear()
        return found

    def stop(self, name: str) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""


class Memory:
    """Observer that reads this process's memory after EARLY jobs and at the end."""

    def __init__(self) -> None:
        self.process = psutil.Process()
        self.early = self.last = 0  # bytes
        self.ended, self.moment = 0, 0.0  # jobs, and seconds, at ``early``

    def __call__(self, progress: Any) -> None:
        self.last = self.process.memory_info().rss
        if not self.early and progress.ended >= EARLY:
            self.early, self.ended = self.last, progress.ended
            self.moment = time.perf_counter()


@contextmanager
def scratch():
    """Yield an empty folder that is removed afterwards."""
    with tempfile.TemporaryDirectory(
        prefix="neuralshade-bake-", ignore_cleanup_errors=True
    ) as made:
        yield Path(made)


def run(jobs: Sequence[Job], start: Callable[[str], Executor]) -> dict[str, Any]:
    """Bake jobs into an empty folder, and return what it took; the start of workers counts."""
    with scratch() as folder:
        memory, cpu, load = Memory(), time.process_time(), os.getloadavg()[0]
        begun = time.perf_counter()
        executor = start(str(folder))
        ready = time.perf_counter() - begun
        result = run_jobs(jobs, open_store(folder), executor, observer=memory)
        end = time.perf_counter()
        wall = end - begun
        later = (end - memory.moment) / max(1, len(jobs) - memory.ended)
        rows = result.rows
        failed = [row for row in rows if row.state == FAILED]
        assert not failed, failed[0].message
        assert len(rows) == len(jobs)
        return {
            "jobs": len(jobs), "seconds": round(wall, 2), "start [s]": round(ready, 2),
            "ms a job": round(1e3 * wall / len(jobs), 3),
            "ms a job, after the first 1,000": round(1e3 * later, 3) if memory.early else None,
            "of it in the job [ms]": round(1e3 * float(np.mean([r.seconds for r in rows])), 3),
            "driver CPU [ms]": round(1e3 * (time.process_time() - cpu) / len(jobs), 3),
            "driver MB early": round(memory.early / 1e6, 1),
            "driver MB at the end": round(memory.last / 1e6, 1),
            "load before": round(load, 1),
        }  # fmt: skip


def overhead(count: int, workers: int, executors: Sequence[str]) -> Rows:
    """Return a row for each executor."""
    with scratch() as folder:
        install(folder / "site")
        jobs, rows = written_jobs(count, folder), []
        starts: dict[str, Callable[[str], Executor]] = {
            "driver alone": lambda output: Instant(),
            "local processes": lambda output: LocalExecutor(output, workers),
            "Ray, one machine": on_ray,
        }
        for name, start in starts.items():
            if name.split()[0].rstrip(",") not in executors:
                continue
            with suppress(DeviceError):  # without Ray, its row is left out
                rows.append({"executor": name, **run(jobs, start)})
                print(rows[-1], flush=True)
    return rows


def on_ray(output: str) -> Executor:
    """Return an executor on a cluster of this machine, that starts now."""
    from neuralshade.baking.executors.ray_executor import RayExecutor

    return RayExecutor("local", output, gpu_share=0.0, cpus=1.0)


def plan(count: int) -> Rows:
    """Return what planning a manifest took, each entry with a picture of its own."""
    with scratch() as folder:
        lines = ['[defaults]\nkind = "image"\nsteps = 500\n']
        for number in range(count):
            if number % LINKS == 0:
                Image.new("RGB", (64, 64), "teal").save(first := folder / f"{number}.png")
            else:
                os.link(first, folder / f"{number}.png")
            lines.append(f'[[asset]]\nname = "{number // 1000}/{number}"\n'
                         f'input = "{number}.png"\nseed = {number}\n')  # fmt: skip
        (folder / "assets.toml").write_text("\n".join(lines))
        load, begun = os.getloadavg()[0], time.perf_counter()
        found = neuralshade.bake(folder / "assets.toml", folder / "out", plan=True)
        seconds = time.perf_counter() - begun
        assert len(found.plan.jobs) == count
        return [{"entries": count, "seconds": round(seconds, 2), "load before": round(load, 1),
                 "MB": round(psutil.Process().memory_info().rss / 1e6)}]  # fmt: skip


def pictures(folder: Path, count: int) -> list[Path]:
    """Write pictures of waves, edges and noise, each another; return their paths."""
    along = np.arange(SIDE) / SIDE
    paths = []
    for number in range(count):
        rng = np.random.default_rng(number)
        picture = np.full((SIDE, SIDE, 3), 0.5)
        for _ in range(24):
            across, down = (2 * np.pi * (rng.normal(0, 12) * along + rng.random()) for _ in "xy")
            wave = np.outer(np.sin(down), np.cos(across)) + np.outer(np.cos(down), np.sin(across))
            wave = np.sign(wave) if rng.random() < 0.3 else wave
            picture += 0.08 * wave[..., None] * rng.random(3)
        picture += rng.normal(0, 0.01, picture.shape)
        paths.append(folder / f"p{number}.png")
        Image.fromarray((255 * picture.clip(0, 1)).astype(np.uint8)).save(
            paths[-1], compress_level=1
        )
    return paths


def fits(paths: Sequence[Path], steps: int, device: str) -> list[Job]:
    """Return a job for each picture."""
    settings = {"steps": steps, "device": device}
    return [Job(path.stem, "image", (str(path),), f"{path.stem}.nsh", settings) for path in paths]


def one_after_the_other(paths: Sequence[Path], steps: int, device: str) -> dict[str, Any]:
    """Return what as many fits in this process took, after one that loads and compiles."""
    with scratch() as folder:
        options = FitOptions(device=device)
        neuralshade.fit_image(paths[0], folder / "warm.nsh", options=options, steps=steps)
        begun = time.perf_counter()
        for path in paths:
            neuralshade.fit_image(path, folder / f"{path.stem}.nsh", options=options, steps=steps)
        return timed("one process, one after the other", len(paths), begun)


def timed(how: str, count: int, begun: float) -> dict[str, Any]:
    """Return a row of so many fits since ``begun``."""
    seconds = time.perf_counter() - begun
    return {"how": how, "fits": count, "seconds": round(seconds, 2),
            "seconds a fit": round(seconds / count, 3),
            "fits a minute": round(60 * count / seconds, 1)}  # fmt: skip


def by_workers(jobs: Sequence[Job], workers: int, gpus: Sequence[str], how: str) -> dict[str, Any]:
    """Return what fits in processes took, their start included."""
    with scratch() as folder:
        begun = time.perf_counter()
        result = run_jobs(jobs, open_store(folder), LocalExecutor(str(folder), workers, gpus))
        row = timed(how, len(jobs), begun)
        assert not result.failed, result.failed[0].message
        seconds = [each.seconds for each in result.rows]
        return {**row, "seconds in a fit, median": round(float(np.median(seconds)), 2),
                "dB, mean": round(float(np.mean([r.psnr_db for r in result.rows])), 2)}  # fmt: skip


def on_one_gpu(arguments: argparse.Namespace, device: str) -> Rows:
    """Return the fits one after the other, and by processes."""
    with scratch() as folder:
        paths = pictures(folder, arguments.count)
        rows = [one_after_the_other(paths[: arguments.one], arguments.steps, device)]
        print(rows[-1], flush=True)
        jobs = fits(paths, arguments.steps, device)
        for workers in arguments.jobs or [local_slots().count]:
            rows.append(by_workers(jobs, workers, ("0",), f"{workers} processes"))
            print(rows[-1], flush=True)
        return with_ratio(rows)


def on_two_gpus(arguments: argparse.Namespace, device: str) -> Rows:
    """Return the fits on one GPU and on two."""
    with scratch() as folder:
        jobs = fits(pictures(folder, arguments.count), round(LONGER * arguments.steps), device)
        workers = max(arguments.jobs or [6])
        rows = [by_workers(jobs, workers, ("0",), f"one GPU, {workers} processes")]
        print(rows[-1], flush=True)
        both = f"two GPUs, {2 * workers} processes"
        rows.append(by_workers(jobs, 2 * workers, ("0", "1"), both))
        return with_ratio(rows)


def with_ratio(rows: Rows) -> Rows:
    """Return the rows with their rate over the first one's."""
    return [{**row, "times as many": round(row["fits a minute"] / rows[0]["fits a minute"], 2)}
            for row in rows]  # fmt: skip


def main() -> None:
    """Run the parts and write what they took."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--written", type=int, default=10_000, help="jobs that only write a file")
    parser.add_argument("--workers", type=int, default=2, help="processes that write them")
    parser.add_argument("--executors", nargs="+", default=("driver", "local", "Ray"),
                        help="first words of those that write them")  # fmt: skip
    parser.add_argument("--entries", type=int, default=PLANNED, help="of the planned manifest")
    parser.add_argument("--count", type=int, default=256, help="pictures by several processes")
    parser.add_argument("--one", type=int, default=64, help="pictures one after the other")
    parser.add_argument("--jobs", type=int, nargs="+", help="processes at once on a GPU")
    parser.add_argument("--steps", type=int, default=600, help="of a fit on one GPU")
    parser.add_argument("--device", help="API of the GPU; by default the first that answers")
    parser.add_argument("--name", help="of the file of results")
    arguments = parser.parse_args()
    sections: dict[str, Rows] = {}
    if "overhead" in arguments.only:
        sections["overhead"] = overhead(arguments.written, arguments.workers, arguments.executors)
    if "plan" in arguments.only:
        sections["plan"] = plan(arguments.entries)
    facts, gpu = {"ray": installed("ray")}, {"gpu", "gpus"} & set(arguments.only)
    if gpu and (found := device_and_name(arguments.device)):
        facts |= {"device": found[0], "gpu": found[1], "steps": str(arguments.steps)}
        if "gpu" in gpu:
            sections["one GPU"] = on_one_gpu(arguments, found[0])
        if "gpus" in gpu and len(local_slots().gpus) > 1:
            sections["two GPUs"] = on_two_gpus(arguments, found[0])
    if sections:
        usual = "bake_gpu" if "gpu" in facts else "bake_cpu"
        write_results(arguments.name or usual, sections, facts)


if __name__ == "__main__":
    main()
