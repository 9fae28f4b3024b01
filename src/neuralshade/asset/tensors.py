"""Conversion between trained parameters and the tensors of a file."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from neuralshade.asset.schema import SCALE, Form, stored_form
from neuralshade.errors import AssetError, ConfigError
from neuralshade.gpu.foreign_slang import OWN
from neuralshade.model.encoding import Encoding
from neuralshade.model.field import Field
from neuralshade.model.grid import Grid
from neuralshade.model.linear import Linear
from neuralshade.model.quantize import dequantize, quantize

ZERO = 8  # what a 4-bit level of 0 is stored as, so that -8 ... 7 become 0 ... 15


@dataclass(frozen=True)
class Stored:
    """One parameter as it is stored: how many bits, and whether it is a grid's."""

    name: str
    parameter: torch.nn.Parameter
    bits: int
    grid: bool

    def slices_first(self, values: torch.Tensor) -> torch.Tensor:
        """Move the axis that has steps of its own to the front; its own inverse."""
        return values.t() if ".vertices." in self.name else values

    @property
    def slice_shape(self) -> torch.Size:
        return self.slices_first(self.parameter).shape


def pack_field(field: torch.nn.Module) -> dict[str, NDArray[Any]]:
    """Return the parameters of a field, or of a network alone, quantized to their ``bits``.

    Names are the parameters' names. Weights are row-major [outputs, inputs], dense grids
    [features, height, width], hash tables [features, entries] where quantised, else
    [entries, features]. 32 bits are float32, 16 float16; 8 are int8; 4 are uint8 with two
    numbers of the last axis in a byte. The step of quantised numbers, NAME.scale, is float32
    per output row or feature: see quantize.py for what a level means.
    """
    tensors: dict[str, NDArray[Any]] = {}
    for kept in stored_parameters(field):
        values = kept.parameter.detach().cpu()
        if kept.bits >= 16:
            # copied: an average's weights go back to the trained ones after this
            tensors[kept.name] = (values.half() if kept.bits == 16 else values.clone()).numpy()
            continue
        levels, step = quantize(kept.slices_first(values), kept.bits, kept.grid)
        numbers = levels.contiguous().numpy()
        tensors[kept.name] = pack_nibbles(numbers) if kept.bits == 4 else numbers
        tensors[kept.name + SCALE] = step.flatten().numpy()
    return tensors | {name: grid.get_buffer(own).cpu().numpy().copy()
                      for name, grid, own in stored_buffers(field)}  # fmt: skip


def packed_forms(field: torch.nn.Module) -> dict[str, Form]:
    """Return dtype and shape of what ``pack_field`` returns; ``field`` may be a meta one."""
    forms: dict[str, Form] = {}
    for kept in stored_parameters(field):
        shape = kept.parameter.shape if kept.bits >= 16 else kept.slice_shape
        forms |= stored_form(kept.name, tuple(shape), kept.bits)
    for name, grid, own in stored_buffers(field):
        forms[name] = ("uint8", tuple(grid.get_buffer(own).shape))
    return forms


def packed_zeros(field: Field) -> dict[str, NDArray[Any]]:
    """Return tensors of the forms that ``pack_field`` returns; ``field`` may be a meta one."""
    return {name: np.zeros(shape, dtype) for name, (dtype, shape) in packed_forms(field).items()}


@torch.no_grad()
def unpack_field(field: Field, tensors: dict[str, NDArray[Any]], place: str) -> None:
    """Fill ``field`` with what ``pack_field`` returned; from then on it rounds no more.

    Raises: AssetError naming ``place`` and the tensor that is missing or has a wrong shape.
    """
    for kept in stored_parameters(field):
        if kept.bits >= 16:
            shape = tuple(kept.parameter.shape)
            kept.parameter.copy_(torch.from_numpy(_find(tensors, kept.name, shape, place)))
        else:
            kept.parameter.copy_(kept.slices_first(_dequantized(kept, tensors, place)))
    for name, grid, own in stored_buffers(field):
        shape = tuple(grid.get_buffer(own).shape)
        _set_fixed(grid, own, torch.from_numpy(_find(tensors, name, shape, place)), place)
    field.store_as(grid_bits=32, network_bits=32)


def _set_fixed(grid: Grid, name: str, values: torch.Tensor, place: str) -> None:
    try:
        getattr(grid, f"set_{name}")(values)
    except ConfigError as error:
        raise AssetError(f"{place}: {error} Fit it again.") from error


def stored_buffers(field: torch.nn.Module) -> Iterator[tuple[str, Grid, str]]:
    """Yield what grids have besides numbers, uint8: its name in files, the grid, its own name."""
    for path, module in field.named_modules():
        if isinstance(module, Grid):
            yield from ((f"{path}.{own}", module, own) for own in module.fixed)


def _dequantized(kept: Stored, tensors: dict[str, NDArray[Any]], place: str) -> torch.Tensor:
    levels, step = stored_levels(kept, tensors, place)
    return dequantize(levels, step.reshape(-1, *[1] * (levels.dim() - 1)), kept.bits)


def stored_levels(
    kept: Stored, tensors: dict[str, NDArray[Any]], place: str
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the int8 levels, slices first, and the float32 step of each slice.

    Raises: AssetError as ``unpack_field``.
    """
    *outer, count = kept.slice_shape
    width = (count + 1) // 2 if kept.bits == 4 else count
    numbers = _find(tensors, kept.name, (*outer, width), place)
    step = torch.from_numpy(_find(tensors, kept.name + SCALE, (kept.slice_shape[0],), place))
    levels = unpack_nibbles(numbers, count) if kept.bits == 4 else numbers
    return torch.from_numpy(levels), step


def _find(
    tensors: dict[str, NDArray[Any]], name: str, shape: tuple[int, ...], place: str
) -> NDArray[Any]:
    """Return a tensor of the file; AssetError where it is missing or misshapen."""
    stored = tensors.get(name)
    if stored is None or stored.shape != shape:
        got = "no such tensor" if stored is None else f"shape {list(stored.shape)}"
        raise AssetError(f"{place}: got {got} for {name}, need {list(shape)} as its "
                         "recipe says. Fit it again.")  # fmt: skip
    return stored


def stored_parameters(field: torch.nn.Module) -> list[Stored]:
    """Return everything that is stored, in the order of the field's modules.

    What encodings of other packages have besides layers and grids comes last, and is kept in full.
    """
    stored = []
    for path, module in field.named_modules():
        if isinstance(module, Linear):
            stored.append(Stored(f"{path}.weight", module.weight, module.bits, False))
            if module.bias is not None:
                stored.append(Stored(f"{path}.bias", module.bias, max(16, module.bits), False))
        elif isinstance(module, Grid):
            for name, parameter in module.named_parameters():
                stored.append(Stored(f"{path}.{name}", parameter, module.bits, True))
    known = {kept.name for kept in stored}
    foreign = tuple(f"{path}." for path, module in field.named_modules() if _is_foreign(module))
    return stored + [Stored(name, parameter, 32, False)
                     for name, parameter in field.named_parameters()
                     if name.startswith(foreign) and name not in known]  # fmt: skip


def _is_foreign(module: torch.nn.Module) -> bool:
    package = type(module).__module__.partition(".")[0]
    return isinstance(module, Encoding) and package != OWN


def pack_nibbles(levels: NDArray[Any]) -> NDArray[Any]:
    """Return int8 [..., n] in -8 ... 7 as uint8 [..., (n + 1) // 2], even index low.

    An odd last axis is filled up with a level of 0.
    """
    stored = (levels.astype(np.int16) + ZERO).astype(np.uint8)
    if stored.shape[-1] % 2:
        padding = [(0, 0)] * (stored.ndim - 1) + [(0, 1)]
        stored = np.pad(stored, padding, constant_values=ZERO)
    return stored[..., 0::2] | (stored[..., 1::2] << 4)


def unpack_nibbles(packed: NDArray[Any], count: int) -> NDArray[Any]:
    """Return int8 [..., count], the inverse of ``pack_nibbles``."""
    both = np.stack([packed & 15, packed >> 4], axis=-1)
    levels = both.reshape(*packed.shape[:-1], -1)[..., :count]
    return levels.astype(np.int8) - np.int8(ZERO)
