"""neuralshade import: assets from networks that another program trained."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from neuralshade.base.argument_checks import check_path
from neuralshade.base.atomic import check_writable
from neuralshade.base.lazy_import import import_object
from neuralshade.base.message_text import shown
from neuralshade.errors import AssetError, ConfigError, OutputError
from neuralshade.fitting.output_checks import check_asset_place, check_no_input
from neuralshade.kinds import all_kinds, load
from neuralshade.kinds.kind import Opened
from neuralshade.verbs.sizes import drawn_size

SIDE = 512  # default width and height in pixels


def import_asset(
    file: str | os.PathLike[str],
    output: str | os.PathLike[str] | None = None,
    *,
    config: str | os.PathLike[str] | Mapping[str, Any] | None = None,
    recipe: str | os.PathLike[str] | Mapping[str, Any] | None = None,
    size: tuple[int, int] = (SIDE, SIDE),
    channels: int | None = None,
    color_space: str = "srgb",
    format: str = "auto",
    tensor: str | None = None,
) -> Opened:
    """Write a network that another program trained as an asset of kind image, and open it.

    Args:
        file: tiny-cuda-nn: the vector ``params`` as safetensors, npz, npy or pt, or a snapshot
            (MessagePack, JSON). RTXNS: .ns.bin, or its JSON. PyTorch: a state dict as safetensors,
            npz or pt.
        output: the asset; by default the file's name with .nsh.
        config: the JSON configuration of tiny-cuda-nn, a file or a dict.
        recipe: a TOML file, or settings by name: encoding, activation, output_activation. Required
            for PyTorch; the default of RTXNS is its sample SimpleTraining.
        size: default width and height of drawings, in pixels.
        channels: outputs of tiny-cuda-nn where the configuration has no n_output_dims.
        color_space: srgb or linear, in which the network was trained.
        format: auto, tiny-cuda-nn, rtxns or torch.
        tensor: name of tiny-cuda-nn's vector in a file of several tensors.

    Returns:
        The asset, opened. Its quality is not measured: compare it by ``evaluate``.

    Raises: AssetError for a file that is damaged or does not match its description; ConfigError
        for networks that an image asset cannot hold; OutputError.
    """
    check_path("file", file, AssetError)
    for name, path in (("config", config), ("recipe", recipe)):
        if isinstance(path, (str, os.PathLike)):
            check_path(name, path, ConfigError)
    stem = Path(Path(file).name).stem.removesuffix(".ns")  # of .ns.bin
    place = Path(f"{stem}.nsh") if output is None else output
    check_path("output", place, OutputError)
    check_no_input(place, file, config, recipe)
    check_asset_place(place)
    check_writable(place)
    if tensor is not None and not isinstance(tensor, str):
        raise ConfigError(f"tensor: got {shown(tensor)}, need a name. Leave it out.")
    pixels = drawn_size(size, None, (SIDE, SIDE), any_aspect=True)
    reader = next(kind.imports for kind in all_kinds() if kind.imports is not None)
    import_object(reader)(file, Path(place), format=format, size=pixels, color_space=color_space,
                   config=config, recipe=recipe, channels=channels, tensor=tensor)  # fmt: skip
    return load(place)
