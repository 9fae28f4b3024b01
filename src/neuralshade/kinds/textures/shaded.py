"""Loss of lit texels, for ``--loss shaded``. Device half: shaded.slang.

Each texel is lit alone, under a light and a view direction drawn for each texel and step, and
compared with the target under the same ones.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch.nn.functional import normalize

from neuralshade.base.message_text import named
from neuralshade.errors import ConfigError
from neuralshade.kinds.textures.channels import MapCoding
from neuralshade.kinds.textures.engine import NoisyTask
from neuralshade.measure.plane.lit_sphere import AMBIENT, GREY, LIT, RADIANCE, ROUGH, lights
from neuralshade.model.microfacet import Surface, shade
from neuralshade.sampler.directions import drawn_pairs
from neuralshade.source.color import srgb_to_linear

KNEE = 0.5  # light is compressed to x / (1 + KNEE x) before encoding
MAPS_SHARE = 1.0  # weight of the loss of maps beside: less cost PSNR without closer lit texels
DEFAULTS = {"albedo": f"{GREY:g}", "normal": "flat", "roughness": f"{ROUGH:g}", "metallic": "0",
            "ao": "1"}  # fmt: skip
CURVES = ("none", "srgb", "log")  # in the order of the device half
LEAST_SQUARE = 1e-4  # of a normal's z: the root has no derivative at 0
LOWEST = 0.1  # least cosine of a light with the surface
USUAL = {"albedo": (GREY,), "normal": (0.0, 0.0, 1.0), "roughness": (ROUGH,), "metallic": (0.0,),
         "ao": (1.0,)}  # fmt: skip


@dataclass(frozen=True)
class LitMap:
    """One map for shading: trained channels, or a constant ``value`` where ``first`` is None."""

    first: int | None
    count: int
    low: float
    span: float
    curve: str  # of the trained channels: none, srgb or log
    value: tuple[float, ...]

    def of(self, channels: torch.Tensor) -> torch.Tensor:
        """Return the map for shading, from trained channels [C, N]: [count, N]; colors linear."""
        if self.first is None:
            return torch.tensor(self.value).to(channels)[:, None].expand(-1, channels.shape[1])
        coded = channels[self.first : self.first + self.count].clamp(0, 1) * self.span + self.low
        if self.curve == "log":
            return coded.expm1().clamp(0, 1)
        if self.curve == "srgb":
            above = ((coded.clamp(min=0.04045) + 0.055) / 1.055) ** 2.4
            return torch.where(coded <= 0.04045, coded / 12.92, above).clamp(0, 1)
        return coded


def lit_maps(codings: Sequence[MapCoding]) -> dict[str, LitMap]:
    """Return each map of LIT, from the set or a default."""
    known = {coding.name: coding for coding in codings}
    return {name: _lit_map(name, known.get(name)) for name in LIT}


def check_lit(codings: Sequence[MapCoding], name: str) -> str:
    """Return a line on the defaults of maps that a set lacks, empty for none.

    Raises: ConfigError where no map that affects shading varies.
    """
    varying = [coding.name for coding in codings if coding.count]
    if not lights(varying):
        raise ConfigError(f"TexturesRecipe.loss: got shaded for {named(name)}, whose maps that "
                          f"vary are {', '.join(map(named, varying))}, need albedo, normal or "
                          "roughness. Use loss=maps.")  # fmt: skip
    lacking = [one for one in LIT if one not in {coding.name for coding in codings}]
    said = [f"{one} {DEFAULTS[one]}" for one in lacking]
    return f"loss: lit with {', '.join(said)}, which the set lacks." if said else ""


def _lit_map(name: str, coding: MapCoding | None) -> LitMap:
    if coding is None:
        return LitMap(None, 0, 0.0, 1.0, "none", USUAL[name])
    if coding.constant is not None:
        value = np.array(coding.constant, np.float32)
        value = srgb_to_linear(value) if coding.meaning == "srgb" else value
        value = value if coding.meaning == "normal" else value.clip(0, 1)
        return LitMap(None, 0, 0.0, 1.0, "none", tuple(map(float, value)))
    curve = "srgb" if coding.meaning == "srgb" else coding.curve
    low, span = (coding.low, coding.high - coding.low)
    return LitMap(coding.first, coding.count, low, span, curve, USUAL[name])


def light_of(
    maps: Mapping[str, LitMap], channels: torch.Tensor, wi: torch.Tensor, wo: torch.Tensor
) -> torch.Tensor:
    """Return reflected light: [3, N], linear; about 1 for white texels that face the light.

    Args:
        maps: of ``lit_maps``.
        channels: [C, N], all trained ones of a set.
        wi: [N, 3], to the light, in the texels' tangent space.
        wo: [N, 3], to the eye.

    Gradients: reach ``channels``, where these are within [0, 1].
    """
    albedo = maps["albedo"].of(channels)
    albedo = albedo.expand(3, -1).t()
    roughness, metallic, ao = (
        maps[name].of(channels)[0].clamp(0, 1) for name in ("roughness", "metallic", "ao")
    )
    surface = Surface(albedo, _normals(maps["normal"].of(channels)), roughness, metallic)
    direct = math.pi * shade(surface, wi, wo)
    return (direct + AMBIENT / RADIANCE * ao[:, None] * albedo).t()


def _normals(xyz: torch.Tensor) -> torch.Tensor:
    """Return unit normals [N, 3], z rebuilt of x and y."""
    x, y = xyz[0], xyz[1]
    z = (1 - x * x - y * y).clamp(min=LEAST_SQUARE).sqrt()
    return normalize(torch.stack([x, y, z], dim=-1), dim=-1)


def tone(light: torch.Tensor) -> torch.Tensor:
    """Return light as compared: highlights compressed, then sRGB-encoded."""
    rolled = light / (1 + KNEE * light)
    root = 1.055 * rolled.clamp(min=0.0031308) ** (1 / 2.4) - 0.055
    return torch.where(rolled <= 0.0031308, 12.92 * rolled, root)


class ShadedTask(NoisyTask):
    """Compares lit texels, and, with a smaller weight, their channels."""

    def __init__(self, maps: Mapping[str, LitMap], *of_maps: Any):
        super().__init__(*of_maps)
        self.maps = maps

    def compared(
        self, predicted: torch.Tensor, target: torch.Tensor, rng: torch.Generator
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return compared light and weighted channels; the loss sums their squares."""
        count, texels = target.shape
        wi, wo = self.directions(texels, rng).to(target.device).unbind(1)
        channels = super().compared(predicted.float(), target, rng)
        light = [tone(light_of(self.maps, of, wi, wo)) for of in (predicted.float(), target)]
        # so that the mean over 3 + C rows is the sum over them by C, as in the device half
        size = math.sqrt((3 + count) / count)
        share = size * math.sqrt(MAPS_SHARE)
        one, other = (
            torch.cat([size * lit, share * of])
            for lit, of in zip(light, channels, strict=True)
        )  # fmt: skip
        return one, other

    def directions(self, count: int, rng: torch.Generator) -> torch.Tensor:
        """Return wi and wo for each texel: float32 [count, 2, 3]."""
        u = torch.rand(count, 8, generator=rng).numpy()
        return torch.from_numpy(drawn_pairs(u, LOWEST).astype(np.float32))


def channels_slang(maps: Mapping[str, LitMap]) -> str:
    """Return ``struct LitChannels`` of the device half."""
    places = {name.upper(): -1 if one.first is None else one.first for name, one in maps.items()}
    places["ALBEDO_STEP"] = int(maps["albedo"].count == 3)
    places["CURVE"] = CURVES.index(maps["albedo"].curve)
    lines = "".join(
        f"    public static const int {name} = {value};\n" for name, value in places.items()
    )
    return f"public struct LitChannels : ILitChannels\n{{\n{lines}}}\n"


def lit_numbers(maps: Mapping[str, LitMap]) -> npt.NDArray[np.float32]:
    """Return ``LitNumbers`` of the device half: float32 [5, 4]."""
    value = {name: one.value for name, one in maps.items()}
    albedo = value["albedo"] * (3 if len(value["albedo"]) == 1 else 1)
    coded = [maps[name] for name in ("albedo", "roughness", "metallic", "ao")]
    return np.array([
        (*albedo, *value["roughness"]), (*_unit(value["normal"]), *value["metallic"]),
        [one.low for one in coded], [one.span for one in coded],
        (*value["ao"], AMBIENT / RADIANCE, MAPS_SHARE, LOWEST),
    ], np.float32)  # fmt: skip


def _unit(normal: Sequence[float]) -> list[float]:
    """Return the result of ``_normals`` for one normal."""
    made = _normals(torch.tensor(normal)[:, None])[0]
    return [float(part) for part in made]
