"""BSDF queries of an opened material: eval, sample and pdf at any place and level."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from neuralshade.base.lazy_import import lazy_module, lazy_type

if TYPE_CHECKING:
    import torch

    from neuralshade.model.field import Field
    from neuralshade.model.lobe_sampler import LobeSampler, Mixture
else:  # for tools that read type hints at run time
    torch = lazy_module("torch")
    Field = lazy_type("neuralshade.model.field:Field")
    LobeSampler = lazy_type("neuralshade.model.lobe_sampler:LobeSampler")
    Mixture = lazy_type("neuralshade.model.lobe_sampler:Mixture")

Floats = npt.NDArray[np.float32]


class BsdfQueries(ABC):
    """BSDF queries on a feature map, lobes, a decoder and a sampler."""

    @property
    @abstractmethod
    def shares(self) -> list[float]:
        """Return each varied input's position in its range: the opened value, else the default."""

    @property
    @abstractmethod
    def side(self) -> int:
        """Return the side of the feature map in texels."""

    @property
    @abstractmethod
    def field(self) -> Field:
        """Return the stored field, in float32."""

    @property
    @abstractmethod
    def sampler(self) -> LobeSampler:
        """Return the stored sampler of directions, in float32."""

    def eval(
        self, uv: npt.ArrayLike, wi: npt.ArrayLike, wo: npt.ArrayLike, level: npt.ArrayLike = 0.0
    ) -> Floats:
        """Return f * cos of wi in linear light: float32 [n, 3].

        Args: arrays or lists, of floats.
            uv: [n, 2], in [0, 1], the origin at the upper left; or [n, 2 + V] with a share of each
                varied input, 0 at the lower end of its range and 1 at the upper. Without shares,
                inputs have their defaults or the values that the asset was opened with. Beyond
                [0, 1] the material is repeated or clamped, as it was fitted.
            wi: [n, 3], to the light, of length 1: x along u, y against v, z up.
            wo: [n, 3], to the eye. If either lies below the surface, the result is 0.
            level: of the feature map, one number or [n]: 0 is the finest, each next one has half
                the side; fractions are interpolated. It is clamped to the levels that exist, as a
                texture's is.

        Raises: ShapeError, ConfigError for other arguments.
        """
        from neuralshade.kinds.material.query_checks import check_directions, check_places

        at, levels = check_places("eval", uv, level, self.shares)
        to_light = check_directions("eval.wi", wi, len(at))
        return self._light(at, to_light, check_directions("eval.wo", wo, len(at)), levels)

    def eval_footprint(self, uv: Floats, wi: Floats, wo: Floats, footprint: Floats) -> Floats:
        """Return the mean of f * cos over a footprint, a square in uv of side ``footprint`` [n].

        For renderers: arguments are not checked.
        """
        from neuralshade.kinds.material.levels import level_of, levels_of
        from neuralshade.kinds.material.references.reference_bsdf import places

        levels = levels_of(level_of(footprint, self.side), len(uv))
        return self._light(places(uv, self.shares), wi, wo, levels)

    def _light(self, at: Floats, wi: Floats, wo: Floats, levels: Floats) -> Floats:
        from neuralshade.kinds.material.levels import level_shade

        found = level_shade(self.field)(at, wi, wo, levels)
        found[np.minimum(wi[:, 2], wo[:, 2]) <= 0] = 0
        return found

    def sample(
        self, uv: npt.ArrayLike, wo: npt.ArrayLike, u: npt.ArrayLike, level: npt.ArrayLike = 0.0
    ) -> tuple[Floats, Floats]:
        """Sample directions: return wi, float32 [n, 3], and their density [n].

        Args: as for ``eval``, and
            wo: [n, 3]. If it lies below the surface, the density is 0.
            u: [n, 3], in [0, 1).
        """
        from neuralshade.kinds.material.query_checks import (
            check_directions,
            check_places,
            check_uniform,
            columns,
        )

        at, levels = check_places("sample", uv, level, self.shares)
        eye = columns(check_directions("sample.wo", wo, len(at)))
        drawn = columns(check_uniform("sample.u", u, len(at)))
        above = torch.cat([eye[:2], eye[2:].abs()])  # so that wi is a direction in any case
        with torch.no_grad():
            wi, density = self._mixture(at, above, levels).sample(above, drawn)
        return wi.t().contiguous().numpy(), torch.where(eye[2] > 0, density, 0.0).numpy()

    def pdf(
        self, uv: npt.ArrayLike, wi: npt.ArrayLike, wo: npt.ArrayLike, level: npt.ArrayLike = 0.0
    ) -> Floats:
        """Return the density of ``sample`` at wi per steradian: [n]; 0 below the surface."""
        from neuralshade.kinds.material.query_checks import (
            check_directions,
            check_places,
            columns,
        )

        at, levels = check_places("pdf", uv, level, self.shares)
        light, eye = (columns(check_directions(f"pdf.{name}", vectors, len(at)))
                      for name, vectors in (("wi", wi), ("wo", wo)))  # fmt: skip
        with torch.no_grad():
            density = self._mixture(at, eye, levels).pdf(light, eye)
        found: Floats = torch.where(eye[2] > 0, density, 0.0).numpy()
        return found

    def _mixture(self, at: Floats, eye: torch.Tensor, levels: Floats) -> Mixture:
        from neuralshade.kinds.material.field import encoding_of
        from neuralshade.kinds.material.levels import level_latents

        encoding, place = encoding_of(self.field), torch.from_numpy(at)
        latents = level_latents(encoding, place[:, :2], torch.from_numpy(levels))
        return self.sampler.mixture(encoding.lobes, latents, eye, place[:, 2:])
