"""Fitted material of a path tracer: all numbers in one buffer. Device half: scattering.slang."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.kinds.material.map_rows import codes_of, level_rows, rows_of
from neuralshade.kinds.material.recipe import MaterialRecipe
from neuralshade.kinds.material.varied import Varied
from neuralshade.model.activation import slang_name
from neuralshade.model.lobe_sampler import LEAST_SEEN, LEAST_WEIGHT, WIDTHS
from neuralshade.model.lobes import LEAST, LOG_WIDTHS, LOW, QUARTER
from neuralshade.model.scattering import Scattering
from neuralshade.model.widths import SAMPLER_LAYERS, SAMPLER_WIDTH

CONSTANTS = (*LOG_WIDTHS, LEAST, QUARTER, LOW)
OF_SAMPLER = (LEAST_SEEN, LEAST_WEIGHT, *WIDTHS)


def scattering_of(
    recipe: MaterialRecipe, side: int, tensors: Mapping[str, npt.NDArray[Any]],
    varied: Sequence[Varied] = (), shares: Sequence[float] = (),
) -> Scattering:  # fmt: skip
    """Return the numbers and words of a path tracer, from tensors of the recipe's forms.

    Numbers: CONSTANTS, an offset of cosines, range and value (at ``shares``) of each varied input,
    the map's range, the read-out, the decoder's layers, each as row-major weights and bias,
    OF_SAMPLER, and the sampler's layers. Words: side, whether the map repeats, number of levels,
    and their bytes.
    """
    decoder = [f"decoder.{i}" for i in range(recipe.hidden_layers + 1)]
    sampler = [f"sampler.{i}" for i in range(SAMPLER_LAYERS + 1)]
    inputs = [(one.low, one.high, one.value(share))
              for one, share in zip(varied, shares, strict=True)]  # fmt: skip
    rows = [np.array([*CONSTANTS, recipe.below]), np.array(inputs), tensors["range"],
            *_layers(tensors, ["lobes", *decoder]), np.array(OF_SAMPLER),
            *_layers(tensors, sampler)]  # fmt: skip
    numbers = np.concatenate([row.reshape(-1).astype(np.float32) for row in rows])
    texels = codes_of(rows_of(tensors), side)
    levels, codes = len(level_rows(texels, side)), texels.reshape(-1)
    padded = np.pad(codes, (0, -len(codes) % 4)).view("<u4")
    head = np.array([side, recipe.wrap == "repeat", levels], np.uint32)
    sizes = (recipe.features, recipe.lobes, recipe.lobe_inputs, recipe.hidden_width,
             recipe.hidden_layers, slang_name(recipe.activation), SAMPLER_WIDTH, SAMPLER_LAYERS,
             *((len(varied),) if varied else ()))  # fmt: skip
    return Scattering("neuralshade.kinds.material.scattering",
                      f"FittedMaterial<{', '.join(map(str, sizes))}>",
                      numbers, np.concatenate([head, padded]).astype(np.uint32))  # fmt: skip


def _layers(
    tensors: Mapping[str, npt.NDArray[Any]], names: Sequence[str]
) -> list[npt.NDArray[Any]]:
    """Return each layer's weights and then its bias."""
    return [tensors[f"{name}.{part}"] for name in names for part in ("weight", "bias")]
