"""BSDF of a fitted material for a path tracer. Device half: scattering.slang."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.model.batched_decoder import BatchedMaterial


@dataclass(frozen=True)
class Scattering:
    """A Slang type that implements ``IScattering``, with its data.

    Materials of one ``type`` share machine code, however many a scene has.
    """

    module: str  # declares the type; a Slang import
    type: str
    numbers: npt.NDArray[np.float32]  # [any]
    words: npt.NDArray[np.uint32]  # [any]
    text: str = ""  # Slang text that declares the type, if no module does; one per program
    buffers: Mapping[str, npt.NDArray[Any]] = field(default_factory=dict)  # that the text declares
    folder: Path | None = None  # of files that the text imports
    batched: BatchedMaterial | None = None  # for a batched decoder, where one takes the material
