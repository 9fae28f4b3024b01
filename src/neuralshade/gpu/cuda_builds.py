"""Background builds of CUDA kernels."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import Context, copy_context

from neuralshade.base.cores import core_count
from neuralshade.gpu.compiler_queue import PLACE
from neuralshade.gpu.cuda_cache import BuiltKernel, build_kernel, opened_cache, read_sources
from neuralshade.gpu.gpu import KernelText


class KernelBuilds:
    """Background builds for one architecture, one per core at a time, in order of submission.

    In threads: NVRTC and Slang's compiler release Python's lock. There are only a few Slang
    compilers. One thread begins builds, any may ask for what is built.
    """

    def __init__(self, architecture: str):
        self.architecture = architecture
        self._begun: dict[KernelText, tuple[Future[BuiltKernel], Context]] = {}
        self._pool: ThreadPoolExecutor | None = None
        self._opened = functools.cache(opened_cache)  # looks through the whole folder

    def begin(self, kernels: Sequence[KernelText]) -> None:
        """Build kernels in the background; ``built`` raises the errors."""
        if self._pool is None:
            self._pool = ThreadPoolExecutor(core_count(), "neuralshade")
            read_sources()
            self._opened()
        for kernel in kernels:
            if kernel not in self._begun:
                context = copy_context()  # the caller's, which has the folder of a kernel dump
                context.run(PLACE.set, len(self._begun))
                future = self._pool.submit(context.run, self._build, kernel)
                self._begun[kernel] = future, context

    def built(self, kernel: KernelText) -> BuiltKernel:
        """Return a kernel: a running build is waited for, any other is built here.

        So nobody waits for kernels that are needed later, where cores are few.

        Raises: as ``build_kernel``.
        """
        future, context = self._begun.get(kernel, (None, copy_context()))
        if future is None or future.cancel():
            return context.run(self._build, kernel)
        return future.result()

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
            opened=self._opened,
        )
