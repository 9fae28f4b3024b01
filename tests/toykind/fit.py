"""Fitting a toy: steps on the way to the mean color."""

import os
from dataclasses import dataclass

import numpy as np
import torch

from neuralshade.asset.asset import Header, picture_facts, save_asset
from neuralshade.asset.checkpoint import load_checkpoint
from neuralshade.engine.engine_choice import EngineChoice
from neuralshade.fitting.job import Job
from neuralshade.fitting.loop import Loop, ignore
from neuralshade.fitting.options import USUAL, check_options, checked_output
from neuralshade.fitting.picture_result import FitResult, reached
from neuralshade.fitting.picture_scene import picture_scene
from neuralshade.fitting.recipe import make_recipe, resumed_with, to_dict
from neuralshade.fitting.resuming import resumed_recipe
from neuralshade.fitting.snapshots import snapshots_for
from neuralshade.measure.picture_psnr import decibels
from neuralshade.source.image_file import load_picture
from neuralshade.source.picture import Picture
from toykind import KIND, ToyRecipe
from toykind.opened import OpenedToy


def fit_toy(picture, output=None, *, grey=False, options=USUAL, observer=ignore, **settings):
    """Fit one color to a picture."""
    source = picture if isinstance(picture, Picture) else load_picture(picture)
    target = checked_output(picture, source.name, output, options, KIND.name)
    check_options(options, KIND.name, KIND.takes)
    checkpoint, recipe = None, make_recipe(ToyRecipe, settings)
    if options.resume is not None:
        checkpoint = load_checkpoint(options.resume, KIND.name)
        recipe = resumed_recipe(checkpoint, options.resume, source, ToyRecipe,
                                resumed_with(ToyRecipe, settings))  # fmt: skip
    place = None if isinstance(picture, Picture) else os.fspath(picture)
    chosen = EngineChoice("torch", torch.device("cpu"))
    return _Job(source, grey, source, recipe, target, chosen, options, observer, place).run(
        checkpoint
    )


@dataclass
class Engine:
    """Runs the steps."""

    wanted: np.ndarray
    color: np.ndarray
    rate: float
    skipped: int = 0

    def advance(self, rate_factors):
        """Run one step per factor; return the squared distance that is left."""
        for factor in rate_factors:
            self.color = self.color + np.float32(self.rate * factor) * (self.wanted - self.color)
        return float(np.square(self.color - self.wanted).mean())

    def state(self):
        """Return what a restart needs."""
        return {"color": torch.from_numpy(self.color.copy())}

    def load_state(self, state):
        """Go on from what ``state`` returned."""
        self.color = state["color"].numpy()


class _Job(Job):
    kind = KIND

    def __init__(self, picture, grey, *rest):
        super().__init__(*rest)
        self.picture, self.grey = picture, grey
        pixels = picture.as_float()
        mean = pixels.mean(axis=(0, 1))
        wanted = np.full_like(mean, mean.mean()) if grey else mean
        self.engine = Engine(wanted, np.zeros_like(wanted), self.recipe.rate)
        self.snapshots = snapshots_for(self.options, picture, self._settled, self._draw, list)
        self.loop = Loop(self.engine, self.recipe, self._psnr, self._observe,
                         self.snapshots.take if self.snapshots else None, samples_per_step=1,
                         target_psnr=self.recipe.target_psnr)  # fmt: skip

    def _settled(self):
        return torch.no_grad()

    def _draw(self, width, height, crop=None):
        return np.broadcast_to(self.engine.color, (height, width, len(self.engine.color)))

    def _psnr(self):
        error = np.square(self.picture.as_float() - self.engine.color).mean(dtype=np.float64)
        return decibels(float(error), 1.0)

    def scene(self):
        return picture_scene(KIND.name, self.picture, self._draw, continuous=True)

    def save(self, path):
        """Write the asset; return its size."""
        header = Header(to_dict(self.recipe), self.training, {"psnr_db": round(self._psnr(), 3)},
                        picture_facts(self.picture), {"grey": self.grey})  # fmt: skip
        return save_asset(path, KIND.name, header, {"color": self.engine.color})

    def open(self, asset):
        return OpenedToy.read(asset)

    def finish(self):
        size = self.save(self.output)
        self._written()
        self._report()
        quality = {"psnr_db": self._psnr()}
        return FitResult(**reached(self, self.picture, quality, size, bpp_exceeded=False))
