"""Import of a network that another program trained, as an image asset."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from neuralshade.asset.asset import Asset, Header, save_asset
from neuralshade.asset.weights.weight_file import SUFFIXES
from neuralshade.base.did_you_mean import did_you_mean
from neuralshade.base.message_text import shown
from neuralshade.errors import AssetError, ConfigError
from neuralshade.fitting.recipe import to_dict
from neuralshade.kinds.image import KIND
from neuralshade.kinds.image.opened import OpenedImage
from neuralshade.kinds.image.weights.foreign_network import ForeignNetwork
from neuralshade.source.picture import COLOR_SPACES

FORMATS = ("auto", "tiny-cuda-nn", "rtxns", "torch")
PROBED = 16  # positions along each axis where a network is evaluated before it is written
# which arguments a format reads beside the file
READS = {"tiny-cuda-nn": ("config", "channels", "tensor"), "rtxns": ("recipe",),
         "torch": ("recipe",)}  # fmt: skip


def import_image(
    file: str | os.PathLike[str],
    output: Path,
    *,
    format: str,
    size: tuple[int, int],
    color_space: str,
    **arguments: Any,
) -> None:
    """Write the asset of a foreign network; see ``neuralshade.import_asset``."""
    if color_space not in COLOR_SPACES:
        raise ConfigError(f"color_space: got {shown(color_space)}, need one of "
                          f"{list(COLOR_SPACES)}."
                          f"{did_you_mean(str(color_space), COLOR_SPACES)}")  # fmt: skip
    if format not in FORMATS:
        raise ConfigError(f"format: got {shown(format)}, need one of {list(FORMATS)}."
                          f"{did_you_mean(str(format), FORMATS)}")  # fmt: skip
    found = _read(file, format, arguments)
    header = Header(
        to_dict(found.recipe),
        {"steps": 0, "seconds": 0.0, "curve": []},
        {},
        {"name": Path(file).name, "width": size[0], "height": size[1],
         "channels": found.channels, "color_space": color_space,
         "dtype": "float32" if color_space == "linear" else "uint8"},
        {"source": f"imported from {Path(file).name} ({found.source})"},
    )  # fmt: skip
    tensors = _stored(found)
    _check(Asset(KIND.name, header, tensors, path=os.fspath(file)))
    save_asset(output, KIND.name, header, tensors)


def _read(file: str | os.PathLike[str], format: str, arguments: dict[str, Any]) -> ForeignNetwork:
    """Return the network of a file, by its content and the other arguments."""
    from neuralshade.asset.weights.foreign_bytes import read_bytes
    from neuralshade.kinds.image.weights.layers import network_settings
    from neuralshade.kinds.image.weights.rtxns import is_rtxns, read_rtxns, read_rtxns_json
    from neuralshade.kinds.image.weights.state_dict import read_state_dict
    from neuralshade.kinds.image.weights.tiny_cuda_nn import read_snapshot, read_tiny_cuda_nn

    settings = None if arguments["recipe"] is None else network_settings(arguments["recipe"])
    suffix = Path(file).suffix.lower()
    layers: Any = None
    if suffix == ".json" and format in ("auto", "rtxns"):
        layers = read_snapshot(file)
        layers = layers if isinstance(layers, dict) and "layers" in layers else None
    if format == "auto":
        if layers is not None or (suffix not in SUFFIXES and is_rtxns(read_bytes(file))):
            format = "rtxns"
        else:
            format = "torch" if settings is not None else "tiny-cuda-nn"
    _check_read(format, arguments)
    readers: dict[str, Callable[[], ForeignNetwork]] = {
        "tiny-cuda-nn": lambda: read_tiny_cuda_nn(file, arguments["config"], arguments["channels"],
                                                  arguments["tensor"]),
        "rtxns": lambda: (read_rtxns(file, settings) if layers is None
                          else read_rtxns_json(file, layers, settings)),
        "torch": lambda: read_state_dict(file, settings),
    }  # fmt: skip
    return readers[format]()


def _check_read(format: str, arguments: dict[str, Any]) -> None:
    """Raise ConfigError for an argument that a format does not read."""
    for name, value in arguments.items():
        if value is not None and name not in READS[format]:
            others = [one for one, names in READS.items() if name in names]
            raise ConfigError(f"{name}: got {shown(value)} for {format}, need none: only "
                              f"{' and '.join(others)} has it. Leave it out, or name the "
                              "format.")  # fmt: skip


def _stored(found: ForeignNetwork) -> dict[str, Any]:
    """Return the numbers in the asset's dtypes."""
    recipe, tensors = found.recipe, {}
    for name, values in found.numbers.items():
        bits = recipe.network_bits if name.startswith("network.") else recipe.grid_bits
        dtype = np.float16 if bits == 16 else np.float32
        tensors[name] = np.array(values, dtype, order="C")  # a writable copy
    return dict(sorted(tensors.items()))


def _check(asset: Asset) -> None:
    """Raise AssetError where an asset would not open, or has values that are not finite."""
    opened = OpenedImage.of(asset)
    along = np.linspace(0, 1, PROBED, dtype=np.float32)
    at = np.stack(np.meshgrid(along, along), axis=-1).reshape(-1, 2)
    if not np.isfinite(opened.at(at)).all():
        raise AssetError(f"{asset.path}: got a network that gives NaN or infinity, need finite "
                         "colors. Check its encoding and activations.")  # fmt: skip
