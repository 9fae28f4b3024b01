"""Reference BSDF of a material: Slang text, and its evaluation on a device.

Device half: reference_bsdf.cs.slang, after the text of the reference.
"""

from __future__ import annotations

import json
import pathlib
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.errors import KernelError
from neuralshade.gpu.gpu import QUICK, Buffer, Gpu, Kernel, KernelText, bound_kernel
from neuralshade.gpu.open import open_gpu
from neuralshade.kinds.material.references.light import (
    LIGHT,
    Pair,
    check_bright,
    check_finite,
    check_light,
    check_values,
)
from neuralshade.kinds.material.varied import Input, Varied

Floats = npt.NDArray[np.float32]
# A buffer that starts with float32 [n, numbers], and n: the same buffer is reused for each part.
Parts = Iterator[tuple[Buffer, int]]

LOWEST = 1e-3  # cosine below which a direction counts as below the surface
GROUP = 64  # threads, as in reference_bsdf.cs.slang
AT_ONCE = 2**16  # samples of one dispatch
WORDS = 8  # of a sample: uv, wi, wo; and a share for each varied input
HEAD = """static const int REFERENCE_PARAMETERS = {count};
static const float REFERENCE_LOWEST = {lowest};
"""
VALUES_MARK = "    // computed values of the graph are assigned here\n"
NOT_VARIED = "\nvoid set_varied(float4 share)\n{\n}\n"
# a fit waits for them, and they run a few times
KERNELS = QUICK + '#include "neuralshade/kinds/material/references/reference_bsdf.cs.slang"\n'


def _joined(parts: Parts, total: int, numbers: int) -> Floats:
    """Return all of ``parts`` on the host: float32 [total, numbers]."""
    found, first = np.empty((total, numbers), np.float32), 0
    for buffer, count in parts:
        answers = buffer.read(4 * numbers * count).view(np.float32)
        found[first : first + count] = answers.reshape(-1, numbers)
        first += count
    return found


def _none(uv: Floats) -> Floats:
    """Return a direction for each place where a kernel reads none: float32 [n, 3], not writable."""
    return np.broadcast_to(np.zeros(3, np.float32), (len(uv), 3))


def open_reference_gpu() -> Gpu:
    """Open the GPU of references: Vulkan, in software without a GPU; Metal on a Mac.

    Raises: DeviceError if there is none.
    """
    return open_gpu("auto" if sys.platform == "darwin" else "vulkan")


@dataclass(frozen=True)
class ReferenceBsdf:
    """Slang text of a material: ``eval(uv, wi, wo)``, ``emission(uv, wo)`` and ``parameters(uv)``.

    wi points to the light and wo to the eye, in the frame of the flat surface: x along u, y against
    v, z up. ``eval`` returns f * cos of wi in linear light, ``emission`` emitted light.
    """

    name: str
    text: str
    parameters: tuple[str, ...]  # names of the values of ``parameters``
    variables: Mapping[str, npt.NDArray[Any]]  # buffers that the text declares
    notes: tuple[str, ...] = ()  # parts of the material that are left out
    folder: pathlib.Path | None = field(default=None)  # of files that the text includes
    element: str | None = None  # the material's name in a document
    inputs: Mapping[str, Input] = field(default_factory=dict)  # inputs that may be varied, by name
    origin: ReferenceBsdf | None = None  # the reference before inputs were varied
    written: Callable[[Sequence[str]], ReferenceBsdf] | None = (
        None  # builds the text with variables for these inputs, if needed
    )
    varied: tuple[Varied, ...] = ()  # varied inputs; the text then has ``set_varied``
    file: str | None = None  # of the text, for messages
    probes: Sequence[Pair] = ()  # direction pairs whose light its parameters are, if any
    # Whether training samples may use fast sines and quotients, see ``Gpu.kernel``: not if noise
    # may depend on a sine's rounding. Judges use exact ones.
    coarse: bool = False
    # Variables that ``eval`` has assigned its parameters to at VALUES_MARK, in order; empty if it
    # computes them in another form.
    targets: tuple[str, ...] = ()
    dark: bool = False  # its emission is known to be 0: no kernel is compiled to learn it

    @property
    def owner(self) -> str:
        """Return its name in messages."""
        return self.file or self.name

    def places(self, uv: Floats, shares: Sequence[float] | None = None) -> Floats:
        """Return places: uv [n, 2] followed by shares of varied inputs, by default their defaults.

        Places that already have shares stay unchanged.
        """
        usual = [one.share(one.default) for one in self.varied] if shares is None else shares
        return places(uv, usual)


def places(uv: Floats, shares: Sequence[float]) -> Floats:
    """Return uv [n, 2] followed by these shares; places that have shares stay unchanged."""
    if uv.shape[1] == 2 + len(shares):
        return uv
    rows = np.broadcast_to(np.array(shares, np.float32), (len(uv), len(shares)))
    return np.concatenate([uv[:, :2], rows], axis=1)


def reference_text(reference: ReferenceBsdf) -> str:
    """Return the Slang text that kernels call into."""
    count = max(1, len(reference.parameters))
    return "".join([
        HEAD.format(count=count, lowest=LOWEST),
        reference.text if reference.varied else lined_text(reference),
        "" if reference.varied else NOT_VARIED,
        f"static const uint REFERENCE_VARIED = {len(reference.varied)};\n", LIGHT,
    ])  # fmt: skip


def lined_text(reference: ReferenceBsdf) -> str:
    """Return the text with a #line directive, so that compiler messages name its file."""
    if reference.file is None:
        return reference.text
    place = json.dumps(reference.file, ensure_ascii=False)
    return f'#line 1 {place}\n{reference.text}\n#line 1 "neuralshade"\n'


def reference_kernel(entry: str) -> KernelText:
    """Return an entry point of reference_bsdf.cs.slang, for ``ReferenceKernels.prepare``."""
    return KernelText(KERNELS, entry)


# used by every fit: the sampler reads values of the graph, the judge evaluates
FIT_KERNELS = tuple(reference_kernel(entry) for entry in ("reference_read", "reference_evaluate"))


class ReferenceKernels:
    """A reference on a device; use it from one thread."""

    def __init__(self, gpu: Gpu, bsdf: ReferenceBsdf):
        """Raises: DeviceError. Kernels are compiled on first use, or in advance: KernelError."""
        self.gpu, self.bsdf = gpu, bsdf
        self._text = reference_text(bsdf)
        self._queries = gpu.buffer(size=4 * (WORDS + len(bsdf.varied)) * AT_ONCE)
        self._results = gpu.buffer(size=4 * max(3, self.value_count) * AT_ONCE)
        self._variables = {name: gpu.buffer(values) for name, values in bsdf.variables.items()}
        self._kernels: dict[str, Kernel] = {}

    def eval(self, uv: Floats, wi: Floats, wo: Floats) -> Floats:
        """Return f * cos of wi: float32 [n, 3].

        Args:
            uv: float32 [n, 2], in [0, 1], the origin at the upper left; or with a column for the
                share of each varied input, which otherwise has its default.
            wi: float32 [n, 3], to the light, of length 1.
            wo: float32 [n, 3], to the eye.

        Raises: ConfigError, with the place, for a value that is not finite or below 0.
        """
        found = _joined(self._parts("reference_evaluate", uv, wi, wo), len(uv), 3)
        self.check_light(found, uv, wi, wo)
        return found

    def check_bright(self) -> None:
        """Raise ConfigError if it returns far more light than falls on it."""
        check_bright(self.bsdf.owner, self.eval, len(self.bsdf.varied))

    def emission(self, uv: Floats, wo: Floats) -> Floats:
        """Return light emitted towards the eye: float32 [n, 3]; see ``eval``."""
        found = _joined(self._parts("reference_emit", uv, _none(uv), wo), len(uv), 3)
        check_finite(self.bsdf.owner, "emission", found, uv=uv, wo=wo)
        return found

    def parameters(self, uv: Floats) -> Floats:
        """Return the values of the graph at places: float32 [n, P], P at least 1; see ``eval``."""
        found = _joined(self.value_parts(uv), len(uv), self.value_count)
        self.check_values(found, uv)
        return found

    @property
    def value_count(self) -> int:
        """Return P: the number of values of ``parameters``."""
        return max(1, len(self.bsdf.parameters))

    def value_parts(self, uv: Floats) -> Parts:
        """Yield the graph's values part by part, as buffers: see Parts."""
        yield from self._parts("reference_read", uv, _none(uv), _none(uv))

    def check_values(self, found: Floats, uv: Floats) -> None:
        """Raise ConfigError, with the place, if one of the graph's values [n, P] is not finite."""
        check_values(self.bsdf.owner, found, uv, self.bsdf.probes)

    def parameter_map(self, width: int, height: int) -> Floats:
        """Return the values of the graph at texel centers: float32 [height, width, P]."""
        rows, cols = np.mgrid[0:height, 0:width].astype(np.float32)
        uv = np.stack([(cols + 0.5) / width, (rows + 0.5) / height], axis=2).reshape(-1, 2)
        return self.parameters(uv.astype(np.float32)).reshape(height, width, -1)

    def _rows(self, uv: Floats, wi: Floats, wo: Floats) -> Floats:
        """Return samples as rows for kernels."""
        place = self.bsdf.places(uv)
        return np.concatenate([place[:, :2], wi, wo, place[:, 2:]], axis=1)

    def _parts(self, entry: str, *samples: Floats) -> Parts:
        """Yield a kernel's results for uv, wi and wo, part by part."""
        for first in range(0, len(samples[0]), AT_ONCE):
            rows = self._rows(*(each[first : first + AT_ONCE] for each in samples))
            rows = np.ascontiguousarray(rows, np.float32)
            commands = self.gpu.commands()
            commands.upload(self._queries, 0, rows)
            commands.run(self.gpu.steps([(self._kernel(entry), -(-len(rows) // GROUP))]))
            commands.submit()
            yield self._results, len(rows)

    def _kernel(self, entry: str) -> Kernel:
        """Return an entry point, compiled on first use."""
        if entry not in self._kernels:
            variables = {"reference_queries": self._queries, "reference_results": self._results}
            self._kernels[entry] = self.compiled(reference_kernel(entry), variables)
        return self._kernels[entry]

    def prepare(self, kernels: Sequence[KernelText]) -> None:
        """Compile in advance kernels that ``compiled`` will return; see ``Gpu.prepare``."""
        self.gpu.prepare([self._with_reference(kernel) for kernel in kernels])

    def compiled(self, kernel: KernelText, variables: Mapping[str, Any]) -> Kernel:
        """Return a kernel whose text may call the reference.

        Raises: KernelError.
        """
        try:
            bound = {**self._variables, **variables}
            return bound_kernel(self.gpu, self._with_reference(kernel), bound)
        except KernelError as error:
            text = str(error).partition(": ")[2]  # after a generated name
            raise KernelError(f"{self.bsdf.owner}: {text}") from error

    def _with_reference(self, kernel: KernelText) -> KernelText:
        """Return a kernel with the text of the reference before it, and its folder."""
        fast = kernel.fast_math and self.bsdf.coarse
        text = self._text + kernel.text
        return replace(kernel, text=text, fast_math=fast, folder=self.bsdf.folder)

    def check_light(self, found: Floats, uv: Floats, wi: Floats, wo: Floats) -> None:
        """Raise ConfigError, with the place, if values of ``eval`` are not finite or below 0."""
        check_light(self.bsdf.owner, "eval", found, uv=uv, wi=wi, wo=wo)
