"""kinds/material/references/pictures: content of the picture buffer, and its look-ups."""

import numpy as np
import pytest

import neuralshade
from neuralshade.kinds.material.references.pictures import BORDERS, Lookup, picture_table
from neuralshade.kinds.material.references.reference_bsdf import ReferenceBsdf, ReferenceKernels

TEXT = """import neuralshade.kinds.material.references.pictures;
StructuredBuffer<uint> picture_words;
{table}
float3 eval(float2 uv, float3 wi, float3 wo)
{{
    Picture pictures[{count}] = {{ {names} }};
    return looked_up(picture_words, pictures[int(wi.x)], uv * 3.0f - 1.0f).rga;
}}
float3 emission(float2 uv, float3 wo) {{ return float3(0.0f); }}
void parameters(float2 uv, out float values[REFERENCE_PARAMETERS]) {{ values[0] = 0.0f; }}
"""


def index_of(place, count, border):
    """Return which texel stands at a place beyond the border."""
    if border == "clamp":
        return min(max(place, 0), count - 1)
    if border == "mirror":
        place %= 2 * count
        return place if place < count else 2 * count - 1 - place
    return place % count


def looked_up(pixels, u, v, across, down, nearest):
    """Return a picture [H, W, 4] at u, v, by hand."""
    height, width = pixels.shape[:2]
    x, y = u * width, v * height
    if nearest:
        return pixels[index_of(int(np.floor(y)), height, down),
                      index_of(int(np.floor(x)), width, across)]  # fmt: skip
    col, row = int(np.floor(x - 0.5)), int(np.floor(y - 0.5))
    part_x, part_y = x - 0.5 - col, y - 0.5 - row
    total = 0
    for dy, wy in ((0, 1 - part_y), (1, part_y)):
        for dx, wx in ((0, 1 - part_x), (1, part_x)):
            total = total + wx * wy * pixels[index_of(row + dy, height, down),
                                             index_of(col + dx, width, across)]  # fmt: skip
    return total


def test_look_ups_are_those_by_hand(gpu, tmp_path, noise):
    """8 bits and float, each border, one texel and four; grey fills red, green and blue."""
    shares = (noise.integers(0, 256, (3, 5, 4)) / 255).astype(np.float32)
    floats = noise.random((4, 3, 1), np.float32)
    neuralshade.save_picture(tmp_path / "a.png", shares, "srgb")
    neuralshade.save_picture(tmp_path / "b.exr", 5 * floats, "linear")
    wide = np.concatenate([5 * floats] * 3 + [np.ones_like(floats)], axis=2)
    known = [("a.png", shares), ("b.exr", wide)]
    cases = [(file, pixels, across, down, nearest) for file, pixels in known
             for across, down in zip(BORDERS, (*BORDERS[1:], BORDERS[0]), strict=True)
             for nearest in (False, True)]  # fmt: skip
    lookups = [Lookup(f"p{i}", tmp_path / file, across, down, nearest)
               for i, (file, _, across, down, nearest) in enumerate(cases)]  # fmt: skip
    table, words = picture_table(lookups)
    assert len(words["picture_words"]) == 15 + 4 * 12  # each file once
    text = TEXT.format(table=table, count=len(cases), names=", ".join(one.name for one in lookups))
    kernels = ReferenceKernels(gpu, ReferenceBsdf("p", text, ("v",), words))
    uv = noise.random((40, 2), np.float32)
    for number, (_, pixels, across, down, nearest) in enumerate(cases):
        which = np.full((len(uv), 3), number, np.float32)
        found = kernels.eval(uv, which, which)
        wanted = [looked_up(pixels, *(3 * place - 1), across, down, nearest)[[0, 1, 3]]
                  for place in uv.astype(np.float64)]  # fmt: skip
        assert found == pytest.approx(np.array(wanted), abs=2e-4), cases[number][:1]
