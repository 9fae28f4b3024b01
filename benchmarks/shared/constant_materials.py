"""MaterialX documents of numbers alone: materials that are the same everywhere.

Nine of standard_surface, and what upstream's examples are made of, one of each closure model.
"""

from typing import Any

DOCUMENT = """<?xml version="1.0"?>
<materialx version="1.39" colorspace="lin_rec709">
  <{model} name="S" type="surfaceshader">
{inputs}  </{model}>
  <surfacematerial name="M" type="material">
    <input name="surfaceshader" type="surfaceshader" nodename="S"/>
  </surfacematerial>
</materialx>
"""
INPUT = '    <input name="{name}" type="{type}" value="{value}"/>\n'
GOLD, RED, BLUE = (0.94, 0.7, 0.31), (0.42, 0.05, 0.04), (0.05, 0.2, 0.55)


def document(model: str, **inputs: Any) -> str:
    """Return a document whose surface is ``model`` with these values."""
    return DOCUMENT.format(model=model, inputs="".join(map(_input, inputs, inputs.values())))


def _input(name: str, value: Any) -> str:
    if isinstance(value, tuple):
        return INPUT.format(name=name, type="color3", value=", ".join(map(str, value)))
    kind = "float" if isinstance(value, float) else "integer"
    return INPUT.format(name=name, type=kind, value=value)


def _standard(**inputs: Any) -> str:
    return document("standard_surface", base=1.0, **inputs)


SURFACES = {
    "metal": _standard(base_color=GOLD, metalness=1.0, specular_roughness=0.25),
    "diffuse": _standard(base_color=RED, specular=0.0),
    "coat": _standard(base_color=RED, coat=1.0, coat_roughness=0.1, coat_color=GOLD),
    "anisotropic": _standard(base_color=GOLD, metalness=1.0, specular_roughness=0.35,
                             specular_anisotropy=0.8),
    "thin film": _standard(base_color=BLUE, metalness=1.0, specular_roughness=0.3,
                           thin_film_thickness=450.0, thin_film_IOR=1.4),
    "dark": _standard(base_color=(0.004, 0.004, 0.004), specular=0.2, specular_roughness=0.6),
    "smooth": _standard(base_color=BLUE, specular_roughness=0.05),
    "plastic": _standard(base_color=BLUE, specular_roughness=0.4),
    "sheen": _standard(base_color=RED, sheen=1.0, sheen_color=GOLD, sheen_roughness=0.4),
}  # fmt: skip
MODELS = {
    "open_pbr aluminum": document("open_pbr_surface", base_metalness=1.0,
                                  base_color=(0.91, 0.92, 0.92), specular_roughness=0.3,
                                  specular_roughness_anisotropy=0.7),
    "open_pbr car paint": document("open_pbr_surface", base_color=RED, specular_roughness=0.4,
                                   base_metalness=0.5, coat_weight=1.0, coat_roughness=0.02),
    "open_pbr pearl": document("open_pbr_surface", base_color=(0.8, 0.75, 0.7),
                               specular_roughness=0.3, coat_weight=0.5, coat_roughness=0.2,
                               thin_film_weight=0.8, thin_film_thickness=0.45),
    "open_pbr velvet": document("open_pbr_surface", base_color=RED, specular_weight=0.0,
                                fuzz_weight=1.0, fuzz_color=GOLD, fuzz_roughness=0.5),
    "jade": _standard(base_color=(0.06, 0.3, 0.15), specular_roughness=0.25, subsurface=0.4,
                      subsurface_color=(0.06, 0.3, 0.15)),
    "brushed metal": _standard(base_color=(0.6, 0.6, 0.62), metalness=1.0,
                               specular_roughness=0.2, specular_anisotropy=0.5,
                               specular_rotation=0.25),
    "gltf car paint": document("gltf_pbr", base_color=RED, metallic=0.4, roughness=0.5,
                               clearcoat=1.0, clearcoat_roughness=0.02),
    "disney plastic": document("disney_principled", baseColor=BLUE, roughness=0.3, specular=0.5),
    "usd": document("UsdPreviewSurface", diffuseColor=RED, roughness=0.3, clearcoat=0.5),
}  # fmt: skip
