"""CUDA kernels, and CUDA graphs of several launches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from neuralshade.errors import KernelError
from neuralshade.gpu.cuda_cache import BuiltKernel
from neuralshade.gpu.cuda_context import CudaContext, CudaResource
from neuralshade.gpu.cuda_packages import driver
from neuralshade.gpu.cuda_text import COPY, PARAMETERS, packed
from neuralshade.gpu.gpu import Dispatch, launches

STATIC_SHARED_BYTES = 48 * 1024  # of group-shared memory; more needs an attribute
REPEATS = 16  # of a list of launches in one graph


class CudaKernel(CudaResource):
    """A Kernel with machine code and parameters of its own."""

    def __init__(
        self,
        context: CudaContext,
        built: BuiltKernel,
        variables: Mapping[str, Any],
        shared_bytes: int,
    ):
        api = driver()
        self.threads, self.shared_bytes = built.layout.threads, shared_bytes
        self.variables = dict(variables)  # keeps bound objects alive
        context.enter()
        self.module = context.checked(api.cuModuleLoadData(built.cubin))
        super().__init__(context, api.cuModuleUnload, self.module)
        entry = built.layout.entry
        self.function = context.checked(api.cuModuleGetFunction(self.module, entry.encode()))
        if shared_bytes > STATIC_SHARED_BYTES:
            self._ask_for_shared(entry)
        values = np.frombuffer(packed(built.layout, variables), np.uint8)
        if built.layout.used:
            self._fill(PARAMETERS, values)
        if built.layout.copies:
            self._fill(COPY, values)

    def _ask_for_shared(self, entry: str) -> None:
        api = driver()
        attribute = api.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
        if api.cuFuncSetAttribute(self.function, attribute, self.shared_bytes)[0]:
            name = self.context.name
            raise KernelError(f"{entry}: got {self.shared_bytes} bytes of group-shared memory, "
                              f"need fewer on {name}. Use a smaller plan.")  # fmt: skip

    def _fill(self, symbol: str, values: Any) -> None:
        api, context = driver(), self.context
        place, size = context.checked(api.cuModuleGetGlobal(self.module, symbol.encode()))
        assert values.size <= size, (symbol, values.size, size)
        stream = context.stream
        context.checked(api.cuMemcpyHtoDAsync(place, values.ctypes.data, values.size, stream))
        context.wait()  # `values` may be freed afterwards

    def launch(self, groups: tuple[int, int]) -> None:
        """Put a launch of so many groups on the stream."""
        context = self.context
        context.checked(
            driver().cuLaunchKernel(
                self.function, *groups, 1, *self.threads, self.shared_bytes, context.stream, 0, 0
            )
        )

    def node(self, groups: tuple[int, int]) -> Any:
        """Return the same launch as a node of a graph."""
        node = driver().CUDA_KERNEL_NODE_PARAMS()
        node.func = self.function
        node.gridDimX, node.gridDimY, node.gridDimZ = *groups, 1
        node.blockDimX, node.blockDimY, node.blockDimZ = self.threads
        node.sharedMemBytes = self.shared_bytes
        return node

    def occupancy(self) -> int:
        """Return how many groups a multiprocessor runs at once."""
        x, y, z = self.threads
        self.context.enter()
        return int(self.context.checked(
            driver().cuOccupancyMaxActiveBlocksPerMultiprocessor(
                self.function, x * y * z, self.shared_bytes
            )
        ))  # fmt: skip


class CudaSteps:
    """A list of launches; run repeatedly it becomes a graph, launched by one call."""

    def __init__(self, context: CudaContext, dispatches: Sequence[Dispatch]):
        self.context = context
        self.launches = launches(dispatches)
        self._once: CudaGraph | None = None
        self._often: CudaGraph | None = None
        self._ran = False

    def run(self, times: int) -> None:
        """Launch all, ``times`` times. The context must be current."""
        if not self._ran or not self.launches:  # most lists run only once
            self._ran = True
            self._launch_all()
            times -= 1
        if times >= REPEATS:
            if self._often is None:
                self._often = CudaGraph(self.context, self, REPEATS)
            for _ in range(times // REPEATS):
                self._often.launch()
        if times % REPEATS:
            if self._once is None:
                self._once = CudaGraph(self.context, self, 1)
            for _ in range(times % REPEATS):
                self._once.launch()

    def _launch_all(self) -> None:
        for kernel, groups in self.launches:
            kernel.launch(groups)

    def graph(self, times: int) -> Any:
        """Return a graph of all launches in order, ``times`` times."""
        api, context = driver(), self.context
        graph = context.checked(api.cuGraphCreate(0))
        before: list[Any] = []
        for kernel, groups in self.launches * times:
            node = api.cuGraphAddKernelNode(graph, before, len(before), kernel.node(groups))
            before = [context.checked(node)]
        return graph


class CudaGraph(CudaResource):
    """A graph ready for launching. Its steps keep its kernels alive."""

    def __init__(self, context: CudaContext, steps: CudaSteps, times: int):
        api = driver()
        graph = steps.graph(times)
        self.handle = context.checked(api.cuGraphInstantiate(graph, 0))
        super().__init__(context, api.cuGraphExecDestroy, self.handle)
        context.checked(api.cuGraphDestroy(graph))
        self._launch = api.cuGraphLaunch
        self._stream = context.stream

    def launch(self) -> None:
        """Put the graph on the stream."""
        answer = self._launch(self.handle, self._stream)
        if answer[0]:
            self.context.checked(answer)
