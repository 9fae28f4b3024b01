"""Check of an encoding's two halves against each other. Device half: encodings.slang."""

from __future__ import annotations

import copy
import pathlib
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.gpu.gpu import Gpu, run_once
from neuralshade.model.encoding import Encoding
from neuralshade.model.parameters import SlangType, pack_halves
from neuralshade.model.registry import build_encoding, parameter_count
from neuralshade.testing.device import some_gpu
from neuralshade.testing.lanes import Lanes, close

Floats = npt.NDArray[np.float32]

PARTS = (1, 2, 3, 100)  # threads that share a position
FIRST_BYTE = 8  # of the numbers, where they are read as bytes
CHECKS = pathlib.Path(__file__).with_suffix(".slang")
ODD_HALVES = 0x7E007E00  # two NaN: what lies before the numbers is not to be read
SAMPLES = 24


class EncodingKernels:
    """The entry points of encodings.slang for one encoding, with every buffer they may read.

    ``at``: positions, float32 [N, D]; ``d_encoded``: gradients by what is encoded there, float32
    [N, width].
    """

    def __init__(self, gpu: Gpu, encoding: Encoding, at: Floats, d_encoded: Floats):
        self.gpu, half = gpu, encoding.sized_slang("Tested")
        self.text = program_text(half)
        flat = encoding.flatten(list(encoding.parameters())).numpy()
        stored = np.resize(flat, max(2, len(flat)))
        words = pack_halves(stored)
        before = np.full(FIRST_BYTE // 4, ODD_HALVES, np.uint32)
        inputs = {"positions": at, "floats": stored, "words": words, "d_encoded": d_encoded,
                 "parts_of_row": np.array(PARTS, np.int32),
                 "bytes": np.concatenate([before, words])}  # fmt: skip
        self.inputs: dict[str, Any] = {n: gpu.buffer(values) for n, values in inputs.items()}
        self.inputs |= {name: gpu.buffer(v) for name, v in encoding.fixed_buffers("Tested").items()}
        self.inputs |= half.uniforms

    def run(self, entry: str, threads: int, **shapes: tuple[int, ...]) -> dict[str, Any]:
        """Run ``entry``; return its buffers (``sizes`` and ``counts`` hold int32)."""
        kinds = {"results": np.float32, "counts": np.int32, "sizes": np.int32}
        size = {name: int(np.prod(shape)) for name, shape in shapes.items()}
        out = {k: self.gpu.buffer(np.zeros(max(2, n), kinds[k])) for k, n in size.items()}
        kernel = self.gpu.kernel(self.text, entry, {**self.inputs, **out})
        run_once(self.gpu, [(kernel, threads)])
        read = {name: buffer.read().view(kinds[name]) for name, buffer in out.items()}
        return {k: numbers[: size[k]].reshape(shapes[k]) for k, numbers in read.items()}


def program_text(half: SlangType) -> str:
    """Return the kernels' module for the Slang type of an encoding."""
    lines = [
        "import neuralshade.model.encoding;",
        "import neuralshade.model.parameters;",
        *(f"import {module};" for module in sorted(half.modules)),
        half.declarations,
        f"typealias Tested = {half.type};",
        f"static const int ROWS = {len(PARTS)};",
        f"static const int FIRST_BYTE = {FIRST_BYTE};",
    ]
    return "\n".join([*lines, CHECKS.read_text()])


def check_encoding(
    encoding: Encoding | str,
    at: torch.Tensor | None = None,
    *,
    dimensions: int = 2,
    gpu: Gpu | None = None,
    tolerance: float = 1e-4,
) -> None:
    """Assert that an encoding meets the requirements of fits and kernels.

    On the host: width and dtype, a lattice equals single positions, numbers laid out for the
    device come back. On the device, against the Python half in float64: sizes, values however
    many threads share a position, each column put once, and, where it has trained numbers, their
    gradients, by float32 and packed float16 numbers.

    Args:
        encoding: as in a recipe's text, whose settings are checked, too; or an instance,
            which stays unchanged.
        at: positions float32 [N, D] in [0, 1]; by default corners and random ones.
        dimensions: numbers of a position, for a text.
        gpu: from ``neuralshade.gpu.open.open_gpu``; by default one is opened for this call.
        tolerance: of values and gradients, relative to the largest where that is above 1.

    Raises: AssertionError with the difference; ConfigError for an unknown name; KernelError
        where the Slang half does not compile; DeviceError where no device answers.
    """
    rng = torch.Generator().manual_seed(0)
    if isinstance(encoding, str):
        text, encoding = encoding, build_encoding(encoding, rng, dimensions)
        own = sum(parameter.numel() for parameter in encoding.parameters())
        assert dimensions != 2 or parameter_count(text) == own, "other parameters on device meta"
    encoding = copy.deepcopy(encoding)
    with torch.no_grad():
        for parameter in encoding.parameters():
            parameter.copy_(parameter.half().float())  # equal in every storage
    at = _positions(encoding.dimensions, rng) if at is None else at
    _check_host(encoding, at)
    with some_gpu(gpu) as opened:
        _check_parts(opened, encoding, at, tolerance)
        if list(encoding.parameters()):
            for packed in (False, True):
                Lanes(opened, copy.deepcopy(encoding), at, packed=packed).check(tolerance)


def _positions(dimensions: int, rng: torch.Generator) -> torch.Tensor:
    corners = torch.randint(2, (6, dimensions), generator=rng).float()
    return torch.cat([corners, torch.rand(SAMPLES - 6, dimensions, generator=rng)])


def _check_host(encoding: Encoding, at: torch.Tensor) -> None:
    with torch.no_grad():
        encoded = encoding(at)
        assert encoded.shape == (len(at), encoding.width), f"forward gives {list(encoded.shape)}"
        assert encoded.dtype == torch.float32, f"forward gives {encoded.dtype} of float32"
        if encoding.dimensions == 2:
            u, v = at[:, 0], at[:5, 1]
            lattice = encoding.on_lattice(u, v)
            grid = torch.stack(torch.meshgrid(u, v, indexing="xy"), -1).reshape(-1, 2)
            expected = encoding(grid).t().reshape(lattice.shape)
            torch.testing.assert_close(lattice, expected, rtol=0, atol=1e-5,
                                       msg=lambda words: f"lattice: {words}")  # fmt: skip
    parameters = list(encoding.parameters())
    for kept, back in zip(
        parameters, encoding.unflatten(encoding.flatten(parameters)), strict=True
    ):
        assert torch.equal(kept.detach(), back), "unflatten does not undo flatten"


def _check_parts(gpu: Gpu, encoding: Encoding, at: torch.Tensor, tolerance: float) -> None:
    """Check values and sizes, and gradients by one kernel, however many threads share them."""
    d_encoded = torch.randn(len(at), encoding.width, generator=torch.Generator().manual_seed(1))
    kernels = EncodingKernels(gpu, encoding, at.float().numpy(), d_encoded.numpy())
    numbers = encoding.number_count()
    sizes = tuple(kernels.run("put_sizes", 1, sizes=(2,))["sizes"])
    assert sizes == (encoding.width, numbers), (
        f"WIDTH and PARAMETERS are {sizes} in Slang, {(encoding.width, numbers)} in Python"
    )
    rows = (len(PARTS), len(at), encoding.width)
    ran = kernels.run("by_parts", len(at), results=rows, counts=rows, sizes=(2,))
    expected = copy.deepcopy(encoding).double()(at.double()).detach().numpy()
    for parts, counts, row in zip(PARTS, ran["counts"], ran["results"], strict=True):
        assert (counts == 1).all(), (
            f"columns are put {counts.min()} to {counts.max()} times by {parts} threads a position"
        )
        close(row, expected, tolerance, f"value, {parts} threads a position")
