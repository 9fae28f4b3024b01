"""wgpu textures and their sampler."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from neuralshade.asset.texture.texture_format import find_format
from neuralshade.errors import DeviceError
from neuralshade.languages.language import Printer
from neuralshade.model.shader_form import Texture

FORMATS = {"r8": "r8unorm", "rgba8": "rgba8unorm", "rgba8_srgb": "rgba8unorm-srgb",
           "bc1": "bc1-rgba-unorm", "bc7": "bc7-rgba-unorm"}  # fmt: skip
BLOCKS = "texture-compression-bc"  # a feature


Entry = dict[str, Any]


def texture_entries(
    device: Any, printer: Printer, places: Mapping[str, tuple[int, int]]
) -> list[tuple[Entry, Entry]]:
    """Return layout and group entries of textures: pairs, sampler last.

    ``places``: group and binding of ``sampler``.

    Raises: DeviceError for blocks where the device, or this machine's adapter, has none.
    """
    import wgpu

    textures = printer.form.textures
    if any(one.in_blocks for one in textures) and BLOCKS not in device.features:
        raise DeviceError(f"{printer.name}: got an adapter without {BLOCKS}, need it for latents "
                          "in blocks. Use --textures buffer.")  # fmt: skip
    if not textures:
        return []
    found: list[tuple[Entry, Entry]] = []
    seen = wgpu.ShaderStage.COMPUTE
    for one in textures:
        binding = printer.slot(one)
        found.append((
            {"binding": binding, "visibility": seen,
             "texture": {"sample_type": "float", "view_dimension": "2d"}},
            {"binding": binding, "resource": _uploaded(device, one).create_view()},
        ))  # fmt: skip
    beyond = "repeat" if textures[0].wraps else "clamp-to-edge"
    sampler = device.create_sampler(
        mag_filter="linear", min_filter="linear", mipmap_filter="linear", address_mode_u=beyond,
        address_mode_v=beyond,
    )  # fmt: skip
    last = places["sampler"][1]
    return [*found, ({"binding": last, "visibility": seen, "sampler": {"type": "filtering"}},
                     {"binding": last, "resource": sampler})]  # fmt: skip


def _uploaded(device: Any, texture: Texture) -> Any:
    import wgpu

    chosen = find_format(texture.format)
    usage = wgpu.TextureUsage
    made = device.create_texture(
        size=(*texture.sizes[0], 1), mip_level_count=len(texture.sizes),
        format=FORMATS[texture.format], usage=usage.TEXTURE_BINDING | usage.COPY_DST,
    )  # fmt: skip
    for level, ((width, height), data) in enumerate(
        zip(texture.sizes, texture.levels, strict=True)
    ):
        across, down = (-(-side // chosen.side_px) for side in (width, height))
        device.queue.write_texture(
            {"texture": made, "mip_level": level, "origin": (0, 0, 0)}, data,
            {"bytes_per_row": across * chosen.block_bytes, "rows_per_image": down},
            (across * chosen.side_px, down * chosen.side_px, 1),
        )  # fmt: skip
    return made
