"""Background builds of CUDA kernels."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context

from neuralshade.base.cores import core_count
from neuralshade.gpu.cuda_cache import BuiltKernel, build_kernel
from neuralshade.gpu.gpu import KernelText


class KernelBuilds:
    """Background builds for one architecture, one per core at a time, in order of submission.

    In threads: NVRTC and Slang's compiler release Python's lock. There are only a few Slang
    compilers. To be used from one thread.
    """

    def __init__(self, architecture: str):
        self.architecture = architecture
        self._begun: dict[KernelText, Future[BuiltKernel]] = {}
        self._pool: ThreadPoolExecutor | None = None

    def begin(self, kernels: Sequence[KernelText]) -> None:
        """Build kernels in the background; ``built`` raises the errors."""
        if self._pool is None:
            self._pool = ThreadPoolExecutor(core_count(), "neuralshade")
        for kernel in kernels:
            if kernel not in self._begun:
                # in the caller's context, which has the folder of a kernel dump
                run = copy_context().run
                self._begun[kernel] = self._pool.submit(run, self._build, kernel)

    def built(self, kernel: KernelText) -> BuiltKernel:
        """Return a kernel: a begun build is waited for, any other is built here.

        Raises: as ``build_kernel``.
        """
        begun = self._begun.get(kernel)
        return self._build(kernel) if begun is None else begun.result()

    def close(self) -> None:
        """Drop all kernels. Running builds end by themselves; no others begin."""
        self._begun.clear()
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None

    def _build(self, kernel: KernelText) -> BuiltKernel:
        return build_kernel(
            kernel.text,
            kernel.entry,
            self.architecture,
            fast_math=kernel.fast_math,
            folder=kernel.folder,
        )
