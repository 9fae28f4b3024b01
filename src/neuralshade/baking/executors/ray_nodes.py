"""Nodes of a Ray cluster: how many jobs they run at once, and which of them cannot work."""

from __future__ import annotations

import logging
import math
import time
from typing import Any

from neuralshade.baking.executors.gpu_packing import gpu_share
from neuralshade.baking.executors.local_slots import CPU_CORES, GPU_CORES
from neuralshade.base.message_text import plain
from neuralshade.base.plugins import one_line_error
from neuralshade.errors import DeviceError

CHECK_SECONDS = 60.0  # for all nodes to answer: each starts a process
READ_SECONDS = 1.0  # between two looks at the cluster
NODE_LABEL = "ray.io/node-id"

log = logging.getLogger("neuralshade")


def on_node(node: str) -> dict[str, Any]:
    """Return the options of a short task that runs on this node alone."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    there = NodeAffinitySchedulingStrategy(node, soft=False)
    return {"scheduling_strategy": there, "num_cpus": 0, "max_retries": 0}


class RayNodes:
    """The nodes that are there, as seen by jobs that need ``cpus`` and ``share`` of a GPU each.

    A share counts only in a cluster that has GPUs; then nodes without one get no jobs. None: by the
    smallest GPU that ``check`` finds, and what fits take of theirs. ``cpus``: None: as on a single
    machine, or what the smallest node has.
    """

    def __init__(self, ray: Any, cpus: float | None, share: float | None):
        self._ray, self._fixed = ray, share is not None
        self._gpu_bytes = self._largest = 0  # of the smallest GPU; the most that a fit took
        self._least = 0.0  # share, since a fit found no memory
        self._unfit: set[str] = set()  # nodes that get no more jobs
        self._read, self._slots, self._waits = -math.inf, 0, False
        has_gpus = any(node["Resources"].get("GPU") for node in self._alive())
        self.gpu_share = (1.0 if share is None else share) if has_gpus else 0.0
        self.cpus = self._usual_cpus() if cpus is None else cpus

    def slots(self) -> int:
        """Return how many jobs run at once; says so where that is none."""
        if time.monotonic() - self._read > READ_SECONDS:
            self._read = time.monotonic()
            self._slots = sum(self._slots_of(node) for node in self._alive())
            if self._slots == 0 and not self._waits:
                what = "GPU" if self.gpu_share else "core"
                log.warning("ray: no machine of the cluster has a %s; jobs wait for one.", what)
            self._waits = self._slots == 0
        return self._slots

    def needs(self) -> dict[str, Any]:
        """Return what a job needs, as options of a task."""
        needs: dict[str, Any] = {"num_cpus": self.cpus}
        if self.gpu_share:
            needs["num_gpus"] = self.gpu_share
        if self._unfit:
            needs["label_selector"] = {NODE_LABEL: f"!in({','.join(sorted(self._unfit))})"}
        return needs

    def measured(self, size: int | None) -> None:
        """Adapt the share of later jobs to the GPU memory that a fit took, if that is known."""
        if size is not None and size > self._largest and self._gpu_bytes and not self._fixed:
            self._largest = size
            self._change(max(self._least, gpu_share(self._gpu_bytes, size)))

    def out_of_memory(self, share: float) -> None:
        """Let half as many fits share a GPU, after one of such a share found no memory."""
        if self.gpu_share:
            self._least = max(self._least, min(1.0, 2 * share))
            self._change(max(self.gpu_share, self._least))

    def _change(self, share: float) -> None:
        self.gpu_share, self._read = share, -math.inf

    def exclude(self, node: str, reason: str) -> None:
        """Give a node no more jobs. Raises DeviceError where none is left."""
        if node not in self._unfit:
            log.warning("%s It gets no jobs.", reason)
        self._unfit.add(node)
        self._read = -math.inf
        if not any(self._slots_of(each) for each in self._alive()):
            raise DeviceError(reason)

    def check(self, function: Any, *arguments: Any) -> None:
        """Raise DeviceError where a node does not answer, or with what ``function`` says there.

        ``function``: a remote one, which returns a reason or None, and the bytes of a GPU.
        """
        calls = {}
        for node in self._alive():
            if self._slots_of(node):
                call = function.options(**on_node(node["NodeID"])).remote(*arguments)
                calls[call] = node["NodeName"]
        if not calls:
            return
        answers, silent = self._ray.wait(list(calls), num_returns=len(calls), timeout=CHECK_SECONDS)
        for answer in silent:
            raise DeviceError(f"ray: got no answer of machine {calls[answer]} in "
                              f"{CHECK_SECONDS:g} s, need machines that run tasks. See Ray's logs "
                              "there.")  # fmt: skip
        kinds, sizes = self._ray.exceptions, []
        for answer in answers:
            try:
                reason, size = self._ray.get(answer)
            except (kinds.NodeDiedError, kinds.TaskUnschedulableError):
                continue  # it is gone, and gets no jobs
            except kinds.RayError as error:
                reason, size = (
                    f"ray: got {plain(one_line_error(error))} of machine {calls[answer]}.",
                    None,
                )
            if reason:
                raise DeviceError(reason)
            sizes.append(size)
        known = [size for size in sizes if size is not None]
        if not self._fixed and self.gpu_share and known:
            self._gpu_bytes = min(known)
            self._change(gpu_share(self._gpu_bytes))

    def _usual_cpus(self) -> float:
        """Return the cores of a fit: those of one on a single machine, or of the smallest node."""
        found = [node["Resources"].get("CPU", 0.0) for node in self._alive()
                 if node["Resources"].get("GPU") or not self.gpu_share]  # fmt: skip
        usual = float(GPU_CORES if self.gpu_share else CPU_CORES)
        return min([usual, *(each for each in found if each)])

    def _alive(self) -> list[dict[str, Any]]:
        nodes = self._ray.nodes()
        return [node for node in nodes if node["Alive"] and node["NodeID"] not in self._unfit]

    def _slots_of(self, node: dict[str, Any]) -> int:
        resources = node["Resources"]
        slots = resources.get("CPU", 0.0) / self.cpus if self.cpus else math.inf
        if self.gpu_share:  # a job lies on one GPU
            slots = min(slots, int(resources.get("GPU", 0.0)) * int(1 / self.gpu_share + 1e-6))
        return int(slots)
