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
    """A Slang type that implements ``IScattering``, and the numbers that it reads.

    Materials of one ``type`` share one piece of machine code, however many a scene has.
    """

    module: str  # that declares the type, as Slang imports it
    type: str
    numbers: npt.NDArray[np.float32]  # [any]
    words: npt.NDArray[np.uint32]  # [any]
    text: str = ""  # Slang that declares the type, where no module does; one in a program
    buffers: Mapping[str, npt.NDArray[Any]] = field(default_factory=dict)  # that the text declares
    folder: Path | None = None  # where files lie that the text imports
    batched: BatchedMaterial | None = None  # what a frame's decoder reads of it, where one takes it
