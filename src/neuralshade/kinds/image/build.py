"""Engine assembly of a picture's fit: source, sampler, model, loss, optimizers."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

import torch

from neuralshade.asset.tensors import stored_buffers
from neuralshade.base.ahead import forget_begun
from neuralshade.engine.engine_choice import choose_kernels, choose_precision, choose_vectors
from neuralshade.gpu.gpu import Gpu, KernelText
from neuralshade.kinds.image.engine import GpuImageEngine, TorchImageEngine, TorchImageTask
from neuralshade.kinds.image.field import build_field
from neuralshade.kinds.image.recipe import ImageRecipe
from neuralshade.loss.pointwise import loss_named, weighted_by_alpha
from neuralshade.model.field import Field
from neuralshade.sampler.draw import sampler_of, samples_per_step
from neuralshade.source.picture import Picture
from neuralshade.source.target import Target

if TYPE_CHECKING:
    from neuralshade.fitting.plateau import Plateau
    from neuralshade.optimizer.adam import Optimizer

Kept = Mapping[str, torch.Tensor]
NOTHING: Kept = {}

# Each engine is loaded where it is built: a fit runs on one of the two.


def build_engine(
    recipe: ImageRecipe, picture: Picture, device: torch.device, kept: Kept = NOTHING
) -> TorchImageEngine:
    """Assemble source, sampler, model, loss and optimizers of a resolved recipe.

    ``kept``: what a fit before has chosen for the picture, by name; see ``set_sides``.
    """
    from neuralshade.engine.torch_engine import TorchEngine
    from neuralshade.optimizer.average import WeightAverage

    rng = torch.Generator().manual_seed(recipe.seed)
    field = _started_field(recipe, picture, rng, kept).to(device)
    parameters = list(field.parameters())
    compute = choose_precision(recipe.precision, device)
    sampler = sampler_of(recipe.sampling, recipe.batch, picture.height, picture.width)
    task = TorchImageTask(field, Target(picture.pixels, device), sampler, compute)
    trainer = TorchEngine(
        field,
        task,
        weighted_by_alpha(loss_named(recipe.loss)) if picture.alpha_weighted else recipe.loss,
        _optimizers(recipe, field),
        rng,
        recipe.loss_scale if compute == torch.float16 else 1.0,
        WeightAverage(parameters, recipe.average) if recipe.average > 0 else None,
        repeatable=recipe.seconds is None,
    )
    return TorchImageEngine(trainer, task)


def _started_field(
    recipe: ImageRecipe, picture: Picture, rng: torch.Generator, kept: Kept
) -> Field:
    field = build_field(recipe, picture.channels, rng)
    if any(True for _ in stored_buffers(field)):
        from neuralshade.kinds.image.tile_sides import set_sides

        set_sides(field, picture, kept)
    return field


def begin_rivals(picture: Picture, byte_count: float, hardware: Gpu | None) -> None:
    """Begin to measure textures of as many bytes, beside a fit on a GPU: others take all cores."""
    if hardware is None:
        forget_begun()
    else:
        from neuralshade.kinds.image.textures_beside import begin_beside

        begin_beside(picture, byte_count)


def build_gpu_engine(
    recipe: ImageRecipe, picture: Picture, gpu: Gpu, kernels: str, exact: bool, *,
    searched: bool = False, kept: Kept = NOTHING,
) -> GpuImageEngine:  # fmt: skip
    """Assemble the same on an opened GPU; see ``choose_kernels`` and ``Training``.

    ``searched``: codes of the result will be searched on it.
    """
    from neuralshade.engine.network_trainer import NetworkTrainer
    from neuralshade.engine.step_texts import Training
    from neuralshade.kinds.image.task import image_task

    rng = torch.Generator().manual_seed(recipe.seed)
    field = _started_field(recipe, picture, rng, kept)
    path = choose_kernels(gpu, field.network, recipe.precision, kernels)
    drawn = samples_per_step(recipe.sampling, recipe.batch, picture.height, picture.width)
    task = partial(
        image_task, gpu, field.encoding, picture.pixels, recipe.loss, recipe.sampling,
        recipe.batch, recipe.seed, alpha_weighted=picture.alpha_weighted,
    )  # fmt: skip
    training = Training(
        batch=drawn,
        rate=recipe.rate,
        grid_rate=recipe.grid_rate,
        betas=(recipe.beta1, recipe.beta2),
        epsilon=recipe.epsilon,
        average=recipe.average,
        touched=recipe.grid_optimizer == "touched_adam",
        loss_scale=recipe.loss_scale,
        exact=exact,
        penalty=recipe.l2_penalty,
    )
    vectors = choose_vectors(gpu, path)
    hardware = not gpu.adapter.software  # else the CPU measures, and searches
    later = _later_texts(field, picture, searched) if hardware else []
    trainer = NetworkTrainer(gpu, field, task, training, rng, path, vectors, later)
    return GpuImageEngine(trainer, Target(picture.pixels, torch.device("cpu")))


def _later_texts(field: Field, picture: Picture, searched: bool) -> list[KernelText]:
    """Return the kernels after the steps: that evaluate the result, and search its codes."""
    from neuralshade.engine.kernels.infer.field_inference import exact_text

    evaluate = exact_text(field, "draw_pixels")
    if not searched:
        return [evaluate]
    from neuralshade.engine.kernels.refinement.refinement import refinement_texts

    alpha = picture.channels - 1 if picture.alpha_weighted else None
    return [evaluate, *refinement_texts(field, alpha)]


def _optimizers(recipe: ImageRecipe, field: Field) -> list[Optimizer]:
    from neuralshade.optimizer.adam import GRID_OPTIMIZERS, Adam

    betas = (recipe.beta1, recipe.beta2)
    layers = list(field.network.parameters())
    network = Adam(layers, recipe.rate, betas, recipe.epsilon, recipe.l2_penalty)
    grids = list(field.encoding.parameters())
    if not grids:
        return [network]
    build = GRID_OPTIMIZERS[recipe.grid_optimizer]
    return [network, build(grids, recipe.grid_rate, betas, recipe.epsilon)]


def plateau_of(recipe: ImageRecipe) -> Plateau | None:
    """Return the plateau detector of a fit; None for a recipe with a fixed end."""
    if recipe.until not in ("plateau", "usual"):
        return None
    from neuralshade.fitting.plateau import Plateau

    return Plateau(recipe.plateau_db)
