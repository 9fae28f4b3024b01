"""What a material is fitted to: a function of place and directions, on a device.

Device half: reference_bsdf.cs.slang, behind the text that a reference brings.
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
from neuralshade.gpu.gpu import Buffer, Gpu, Kernel, KernelText, bound_kernel
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
# A buffer that begins with float32 [n, numbers], and n: the same one each time, with the next ones.
Parts = Iterator[tuple[Buffer, int]]

LOWEST = 1e-3  # cosine of a direction below which nothing is seen
GROUP = 64  # threads, as in reference_bsdf.cs.slang
AT_ONCE = 2**16  # samples of one dispatch
WORDS = 8  # of a sample: uv, wi, wo; and a share for each input that is varied
HEAD = """static const int REFERENCE_PARAMETERS = {count};
static const float REFERENCE_LOWEST = {lowest};
"""
GIVEN = "    // values of the graph that are given go here\n"
NOT_VARIED = "\nvoid set_varied(float4 share)\n{\n}\n"
KERNELS = '#include "neuralshade/kinds/material/references/reference_bsdf.cs.slang"\n'


def _joined(parts: Parts, total: int, numbers: int) -> Floats:
    """Return all of ``parts`` on the host: float32 [total, numbers]."""
    found, first = np.empty((total, numbers), np.float32), 0
    for buffer, count in parts:
        answers = buffer.read().view(np.float32)[: numbers * count]
        found[first : first + count] = answers.reshape(-1, numbers)
        first += count
    return found


def open_reference_gpu() -> Gpu:
    """Return what references run on: Vulkan, in software where there is no GPU; on a Mac Metal.

    Raises: DeviceError where nothing answers.
    """
    return open_gpu("auto" if sys.platform == "darwin" else "vulkan")


@dataclass(frozen=True)
class ReferenceBsdf:
    """Slang text of a material: ``eval(uv, wi, wo)``, ``emission(uv, wo)`` and ``parameters(uv)``.

    wi points to the light and wo to the eye, in the frame of the flat surface: x along u, y against
    v, z up. ``eval`` returns f * cos of wi in linear light, ``emission`` what shines by itself.
    """

    name: str
    text: str
    parameters: tuple[str, ...]  # names of what ``parameters`` returns
    variables: Mapping[str, npt.NDArray[Any]]  # buffers that the text declares
    notes: tuple[str, ...] = ()  # what it leaves out
    folder: pathlib.Path | None = field(default=None)  # where files of the text's own lie
    element: str | None = None  # which material of a document it is
    inputs: Mapping[str, Input] = field(default_factory=dict)  # which may be varied, by name
    origin: ReferenceBsdf | None = None  # what it was before that
    written: Callable[[Sequence[str]], ReferenceBsdf] | None = (
        None  # with variables for these, if not so
    )
    varied: tuple[Varied, ...] = ()  # which are; the text has ``set_varied`` then
    file: str | None = None  # whose text it is, for messages
    probes: Sequence[Pair] = ()  # of whose light its parameters are made, if they are
    # Whether sines and quotients may be as coarse as ``Gpu.kernel`` has them where a fit draws its
    # samples: not where noise may be made of what a sine rounds to. Judges ask for exact ones.
    coarse: bool = False
    # What ``eval`` has assigned its parameters to where the text says GIVEN, in their order; none
    # where it computes them in ways of its own.
    targets: tuple[str, ...] = ()

    @property
    def owner(self) -> str:
        """Return what messages call it."""
        return self.file or self.name

    def places(self, uv: Floats, shares: Sequence[float] | None = None) -> Floats:
        """Return places: uv [n, 2], and behind it shares of what is varied, the usual for None.

        What has them already stays as it is.
        """
        usual = [one.share(one.default) for one in self.varied] if shares is None else shares
        return places(uv, usual)


def places(uv: Floats, shares: Sequence[float]) -> Floats:
    """Return uv [n, 2] with the same shares behind each; what has them already stays as it is."""
    if uv.shape[1] == 2 + len(shares):
        return uv
    rows = np.broadcast_to(np.array(shares, np.float32), (len(uv), len(shares)))
    return np.concatenate([uv[:, :2], rows], axis=1)


def reference_text(reference: ReferenceBsdf) -> str:
    """Return Slang that declares all that kernels ask of a reference."""
    count = max(1, len(reference.parameters))
    return "".join([
        HEAD.format(count=count, lowest=LOWEST),
        reference.text if reference.varied else lined_text(reference),
        "" if reference.varied else NOT_VARIED,
        f"static const uint REFERENCE_VARIED = {len(reference.varied)};\n", LIGHT,
    ])  # fmt: skip


def lined_text(reference: ReferenceBsdf) -> str:
    """Return the text, of whose lines the compiler says in which file they are."""
    if reference.file is None:
        return reference.text
    place = json.dumps(reference.file, ensure_ascii=False)
    return f'#line 1 {place}\n{reference.text}\n#line 1 "neuralshade"\n'


def reference_kernel(entry: str) -> KernelText:
    """Return an entry point of reference_bsdf.cs.slang, for ``ReferenceKernels.prepare``."""
    return KernelText(KERNELS, entry)


# what every fit asks: its sampler the values of the graph, its judge what is scattered
FIT_KERNELS = tuple(reference_kernel(entry) for entry in ("reference_read", "reference_evaluate"))


class ReferenceKernels:
    """A reference on a device; use it from one thread."""

    def __init__(self, gpu: Gpu, bsdf: ReferenceBsdf):
        """Raises: DeviceError. What is asked first is compiled then, or ahead: KernelError."""
        self.gpu, self.bsdf = gpu, bsdf
        self._text = reference_text(bsdf)
        self._asked = gpu.buffer(size=4 * (WORDS + len(bsdf.varied)) * AT_ONCE)
        self._answers = gpu.buffer(size=4 * max(3, self.value_count) * AT_ONCE)
        self._variables = {name: gpu.buffer(values) for name, values in bsdf.variables.items()}
        self._kernels: dict[str, Kernel] = {}

    def eval(self, uv: Floats, wi: Floats, wo: Floats) -> Floats:
        """Return f * cos of wi: float32 [n, 3].

        Args:
            uv: float32 [n, 2], in [0, 1], the origin at the upper left; or with a column for the
                share of each varied input, whose default it is without.
            wi: float32 [n, 3], to the light, of length 1.
            wo: float32 [n, 3], to the eye.

        Raises: ConfigError for a value that is not finite or below 0, saying where.
        """
        found = self._run("reference_evaluate", self._rows(uv, wi, wo), 3)
        self.check_light(found, uv, wi, wo)
        return found

    def check_bright(self) -> None:
        """Raise ConfigError where it sends back far more light than falls on it."""
        check_bright(self.bsdf.owner, self.eval, len(self.bsdf.varied))

    def emission(self, uv: Floats, wo: Floats) -> Floats:
        """Return what shines by itself towards the eye: float32 [n, 3]; see ``eval``."""
        wi = np.zeros((len(uv), 3), np.float32)
        found = self._run("reference_emit", self._rows(uv, wi, wo), 3)
        check_finite(self.bsdf.owner, "emission", found, uv=uv, wo=wo)
        return found

    def parameters(self, uv: Floats) -> Floats:
        """Return the values of the graph at places: float32 [n, P], P at least 1; see ``eval``."""
        found = _joined(self.value_parts(uv), len(uv), self.value_count)
        self.check_values(found, uv)
        return found

    @property
    def value_count(self) -> int:
        """Return P: how many values ``parameters`` has."""
        return max(1, len(self.bsdf.parameters))

    def value_parts(self, uv: Floats) -> Parts:
        """Yield the graph's values at some places after the other, where they lie: see Parts."""
        none = np.zeros((len(uv), 6), np.float32)
        yield from self._parts("reference_read", self._rows(uv, none[:, :3], none[:, 3:]))

    def check_values(self, found: Floats, uv: Floats) -> None:
        """Raise ConfigError where one of the graph's values [n, P] is not finite, saying where."""
        check_values(self.bsdf.owner, found, uv, self.bsdf.probes)

    def parameter_map(self, width: int, height: int) -> Floats:
        """Return the values of the graph at the centres of texels: float32 [height, width, P]."""
        rows, cols = np.mgrid[0:height, 0:width].astype(np.float32)
        uv = np.stack([(cols + 0.5) / width, (rows + 0.5) / height], axis=2).reshape(-1, 2)
        return self.parameters(uv.astype(np.float32)).reshape(height, width, -1)

    def _rows(self, uv: Floats, wi: Floats, wo: Floats) -> Floats:
        """Return what kernels are asked, a sample a row."""
        place = self.bsdf.places(uv)
        return np.concatenate([place[:, :2], wi, wo, place[:, 2:]], axis=1)

    def _run(self, entry: str, asked: npt.NDArray[Any], numbers: int) -> Floats:
        """Return what a kernel answers, ``numbers`` a sample."""
        return _joined(self._parts(entry, asked), len(asked), numbers)

    def _parts(self, entry: str, asked: npt.NDArray[Any]) -> Parts:
        """Yield what a kernel answers."""
        for first in range(0, len(asked), AT_ONCE):
            rows = np.ascontiguousarray(asked[first : first + AT_ONCE], np.float32)
            commands = self.gpu.commands()
            commands.upload(self._asked, 0, rows)
            commands.run(self.gpu.steps([(self._kernel(entry), -(-len(rows) // GROUP))]))
            commands.submit()
            yield self._answers, len(rows)

    def _kernel(self, entry: str) -> Kernel:
        """Return an entry point, compiled when it is first asked for."""
        if entry not in self._kernels:
            variables = {"reference_queries": self._asked, "reference_results": self._answers}
            self._kernels[entry] = self.compiled(reference_kernel(entry), variables)
        return self._kernels[entry]

    def prepare(self, kernels: Sequence[KernelText]) -> None:
        """Compile ahead what ``compiled`` is asked for later; see ``Gpu.prepare``."""
        self.gpu.prepare([self._whole(kernel) for kernel in kernels])

    def compiled(self, kernel: KernelText, variables: Mapping[str, Any]) -> Kernel:
        """Return an entry point of a text that may call what the reference declares.

        Raises: KernelError.
        """
        try:
            return bound_kernel(self.gpu, self._whole(kernel), {**self._variables, **variables})
        except KernelError as error:
            said = str(error).partition(": ")[2]  # behind a name that nobody gave
            raise KernelError(f"{self.bsdf.owner}: {said}") from error

    def _whole(self, kernel: KernelText) -> KernelText:
        """Return a kernel behind the text of the reference, whose files it finds."""
        fast = kernel.fast_math and self.bsdf.coarse
        text = self._text + kernel.text
        return replace(kernel, text=text, fast_math=fast, folder=self.bsdf.folder)

    def check_light(self, found: Floats, uv: Floats, wi: Floats, wo: Floats) -> None:
        """Raise ConfigError where what ``eval`` found is not finite or below 0, saying where."""
        check_light(self.bsdf.owner, "eval", found, uv=uv, wi=wi, wo=wo)
