"""Textures of four bytes a texel, which engines import with all their levels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from neuralshade.asset.texture.texture_format import find_format
from neuralshade.languages.software_textures import in_words
from neuralshade.model.shader_form import ShaderForm, Texture


def with_wide_textures(form: ShaderForm, *, whole_chains: bool = False) -> ShaderForm:
    """Return a form whose textures have four bytes a texel.

    Blocks, which an engine would compress a second time, become words; so do all textures where
    one ends before its level of 1 x 1, if ``whole_chains``.
    """
    blocks = any(one.in_blocks for one in form.textures)
    cut = any(one.sizes[-1] != (1, 1) for one in form.textures)
    if blocks or (whole_chains and cut):
        return in_words(form)
    return replace(form, textures=tuple(map(_widened, form.textures)),
                   make_golden=lambda: form.golden)  # fmt: skip


def _widened(texture: Texture) -> Texture:
    channels = find_format(texture.format).channels
    if channels == 4:
        return texture
    levels = []
    for data in texture.levels:
        texels = np.frombuffer(data, np.uint8).reshape(-1, channels)
        filled = np.zeros((len(texels), 4), np.uint8)
        filled[:, 3] = 255
        filled[:, :channels] = texels
        levels.append(filled.tobytes())
    return replace(texture, format="rgba8", levels=tuple(levels))
