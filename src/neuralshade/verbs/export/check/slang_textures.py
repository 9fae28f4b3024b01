"""SlangPy textures and their sampler."""

from __future__ import annotations

from typing import Any

import numpy as np

from neuralshade.asset.texture.texture_format import find_format
from neuralshade.errors import DeviceError
from neuralshade.gpu.gpu import Gpu
from neuralshade.model.shader_form import ShaderForm, Texture

FORMATS = {"r8": "r8_unorm", "rgba8": "rgba8_unorm", "rgba8_srgb": "rgba8_unorm_srgb",
           "bc1": "bc1_unorm", "bc7": "bc7_unorm"}  # fmt: skip


def textures_on(gpu: Gpu, form: ShaderForm) -> dict[str, Any]:
    """Return the textures and the sampler of a form by their names.

    Raises: DeviceError on CUDA, where textures are not bound.
    """
    device = getattr(gpu, "device", None)
    if gpu.api == "cuda" or device is None:
        raise DeviceError("slang: got CUDA, need Vulkan to sample textures. Install its driver.")
    import slangpy as spy

    mode = spy.TextureAddressingMode
    beyond = mode.wrap if form.textures[0].wraps else mode.clamp_to_edge
    sampler = device.create_sampler(address_u=beyond, address_v=beyond)
    return {f"{form.name}_sampler": sampler,
            **{one.name: _uploaded(device, one) for one in form.textures}}  # fmt: skip


def _uploaded(device: Any, texture: Texture) -> Any:
    """Upload level by level: SlangPy's own loader misplaces levels of odd sizes in DDS files."""
    import slangpy as spy

    chosen, (width, height) = find_format(texture.format), texture.sizes[0]
    made = device.create_texture(
        format=getattr(spy.Format, FORMATS[texture.format]), width=width, height=height,
        mip_count=len(texture.sizes),
        usage=spy.TextureUsage.shader_resource | spy.TextureUsage.copy_destination,
    )  # fmt: skip
    for mip, ((across, down), data) in enumerate(zip(texture.sizes, texture.levels, strict=True)):
        columns, rows = (-(-side // chosen.side_px) for side in (across, down))
        texels = np.frombuffer(data, np.uint8).reshape(rows, columns, chosen.block_bytes).copy()
        made.copy_from_numpy(texels[..., 0] if chosen.block_bytes == 1 else texels, layer=0,
                             mip=mip)  # fmt: skip
    return made
