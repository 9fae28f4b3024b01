"""Trained parameters to the tensors of a file, and back."""

import numpy as np
import torch

from neuralshade.errors import AssetError
from neuralshade.model.dense_grid import DenseGrid
from neuralshade.model.field import Field
from neuralshade.model.hash_grid import HashGrid
from neuralshade.model.linear import Linear
from neuralshade.model.quantize import quantize

SCALE = ".scale"  # suffix of the steps that belong to an int8 tensor


def pack_field(field: Field) -> dict[str, np.ndarray]:
    """Return the field's parameters as its ``bits`` say: int8 with steps, float16 or float32.

    Names are the parameters' names. Weights are row-major [outputs, inputs], dense grids
    [features, height, width], hash tables [entries, features]. The step of int8 numbers is
    float32 per output row, or per feature.
    """
    tensors: dict[str, np.ndarray] = {}
    for name, parameter, bits in _named(field):
        values = parameter.detach().cpu()
        if bits == 8:
            steps_of, scale = quantize(_slices_first(name, values))
            tensors[name] = _slices_first(name, steps_of).contiguous().numpy()
            tensors[name + SCALE] = scale.flatten().numpy()
        else:
            # copied: an average's weights go back to the trained ones after this
            tensors[name] = (values.half() if bits == 16 else values.clone()).numpy()
    return tensors


@torch.no_grad()
def unpack_field(field: Field, tensors: dict[str, np.ndarray], place: str) -> None:
    """Fill ``field`` with what ``pack_field`` returned; from then on it rounds no more.

    Raises: AssetError naming ``place`` and the tensor that is missing or has a wrong shape.
    """
    for name, parameter, bits in _named(field):
        values = _stored(tensors, name, parameter.shape, place)
        if bits == 8:
            slices = _slices_first(name, values)
            scale = _stored(tensors, name + SCALE, slices.shape[:1], place)
            values = _slices_first(name, slices * scale.reshape(-1, *[1] * (slices.dim() - 1)))
        parameter.copy_(values)
    field.store_as(grid_bits=32, network_bits=32)


def _stored(
    tensors: dict[str, np.ndarray], name: str, shape: torch.Size, place: str
) -> torch.Tensor:
    """Return a tensor of the file in float32; AssetError where it is missing or misshapen."""
    stored = tensors.get(name)
    if stored is None or stored.shape != tuple(shape):
        got = "no such tensor" if stored is None else f"shape {list(stored.shape)}"
        raise AssetError(f"{place}: got {got} for {name}, need {list(shape)} as its "
                         "recipe says. Fit it again.")  # fmt: skip
    return torch.from_numpy(stored.astype(np.float32))


def _slices_first(name: str, values: torch.Tensor) -> torch.Tensor:
    """Put the axis that has its own steps first; its own inverse."""
    return values.t() if ".vertices." in name else values


def _named(field: Field) -> list[tuple[str, torch.nn.Parameter, int]]:
    """Return name, parameter and bits of everything that is stored."""
    named = []
    for path, module in field.named_modules():
        if isinstance(module, Linear):
            named.append((f"{path}.weight", module.weight, module.bits))
            if module.bias is not None:
                named.append((f"{path}.bias", module.bias, max(16, module.bits)))
        elif isinstance(module, (DenseGrid, HashGrid)):
            for name, parameter in module.named_parameters():
                named.append((f"{path}.{name}", parameter, module.bits))
    return named
