"""Folders of PBR maps as references, with the shading model of ``fit mipmaps``."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from neuralshade.kinds.material.references.pictures import Lookup, picture_table
from neuralshade.kinds.material.references.reference_bsdf import ReferenceBsdf
from neuralshade.source.picture import Picture
from neuralshade.source.texture_set import TextureSet, load_texture_set

PARAMETERS = ("albedo.r", "albedo.g", "albedo.b", "roughness", "normal.x", "normal.y", "normal.z",
              "metallic")  # fmt: skip
TEXT = """
import neuralshade.kinds.material.references.pictures;
import neuralshade.model.microfacet;

StructuredBuffer<uint> picture_words;
{constants}
Surface surface_at(float2 uv)
{{
    float4 first = looked_up(picture_words, albedo_roughness, uv);
    float4 second = looked_up(picture_words, normal_metallic, uv);
    Surface found;
    found.albedo = first.rgb;
    found.roughness = first.a;
    found.normal = normalize(second.xyz);
    found.metallic = second.a;
    return found;
}}

float3 eval(float2 uv, float3 wi, float3 wo)
{{
    if (min(wi.z, wo.z) <= 0.0f)
        return float3(0.0f);
    return shade<Lambert>(surface_at(uv), wi, wo);
}}

float3 emission(float2 uv, float3 wo)
{{
    return float3(0.0f);
}}

void parameters(float2 uv, out float values[REFERENCE_PARAMETERS])
{{
    Surface found = surface_at(uv);
    float all[8] = {{ found.albedo.r, found.albedo.g, found.albedo.b, found.roughness,
                     found.normal.x, found.normal.y, found.normal.z, found.metallic }};
    for (int i = 0; i < REFERENCE_PARAMETERS; ++i)
        values[i] = all[i];
}}
"""


def load_set(source: str | os.PathLike[str], wrap: str = "repeat") -> ReferenceBsdf:
    """Load the reference of a folder of maps, or of their JSON manifest.

    ``wrap``: border mode, "repeat" or "clamp".

    Raises: errors of ``load_texture_set``.
    """
    return texture_set_reference(load_texture_set(source, wrap=wrap), wrap)


def texture_set_reference(textures: TextureSet, wrap: str = "repeat") -> ReferenceBsdf:
    """Return the reference of maps in memory: microfacets over Lambert."""
    pairs = (("albedo_roughness", textures.albedo, textures.roughness),
             ("normal_metallic", textures.normal, textures.metallic))  # fmt: skip
    lookups = []
    for name, three, one in pairs:
        pixels = np.concatenate([three, one[..., None]], axis=2).astype(np.float32)
        picture = Picture(pixels, "linear", name)
        lookups.append(Lookup(name, Path(name), wrap, wrap, picture=picture))
    constants, words = picture_table(lookups)
    notes = textures.notes
    if textures.ao is not None:
        notes = (*notes, "ao: left out: it hides light of no one direction.")
    if textures.opacity is not None:
        notes = (*notes, "opacity: left out: the material is opaque.")
    text = TEXT.format(constants=constants)
    return ReferenceBsdf(textures.name, text, PARAMETERS, words, notes, coarse=True)
