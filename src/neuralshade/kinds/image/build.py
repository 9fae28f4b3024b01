"""A picture into an encoding and a small network: how its recipe is assembled."""

from functools import partial

import torch

from neuralshade.engine.choose import choose_kernels, choose_precision, choose_vectors
from neuralshade.engine.network_trainer import GpuEngine
from neuralshade.engine.torch_engine import TorchEngine
from neuralshade.engine.training import Training
from neuralshade.gpu.gpu import Gpu
from neuralshade.kinds.image.recipe import ImageRecipe
from neuralshade.kinds.image.task import image_task
from neuralshade.model.field import Field
from neuralshade.model.mlp import MLP
from neuralshade.model.registry import build_encoding
from neuralshade.optimizer.adam import GRID_OPTIMIZERS, Adam, Optimizer
from neuralshade.optimizer.average import WeightAverage
from neuralshade.sampler.draw import sampler_of, samples_per_step
from neuralshade.source.picture import Picture
from neuralshade.source.target import Target


def build_field(recipe: ImageRecipe, channels: int, rng: torch.Generator) -> Field:
    """Return the untrained field of a resolved recipe; its start is drawn from ``rng``."""
    encoding = build_encoding(recipe.encoding, rng)
    network = MLP(
        encoding.width,
        channels,
        recipe.hidden_layers,
        recipe.hidden_width,
        recipe.activation,
        recipe.output_activation,
        recipe.bias,
        rng=rng,
    )
    field = Field(encoding, network)
    field.store_as(recipe.grid_bits, recipe.network_bits)
    return field


def build_engine(recipe: ImageRecipe, picture: Picture, device: torch.device) -> TorchEngine:
    """Assemble source, sampler, model, loss and optimizers of a resolved recipe."""
    rng = torch.Generator().manual_seed(recipe.seed)
    field = build_field(recipe, picture.channels, rng).to(device)
    parameters = list(field.parameters())
    return TorchEngine(
        field,
        Target(picture.pixels, device),
        sampler_of(recipe.sampling, recipe.batch, picture.height, picture.width),
        recipe.loss,
        _optimizers(recipe, field),
        rng,
        choose_precision(recipe.precision, device),
        recipe.loss_scale,
        WeightAverage(parameters, recipe.average) if recipe.average > 0 else None,
        repeatable=recipe.seconds is None,
    )


def build_gpu_engine(
    recipe: ImageRecipe, picture: Picture, gpu: Gpu, kernels: str, exact: bool
) -> GpuEngine:
    """Assemble the same on an opened GPU; see ``choose_kernels`` and ``Training``."""
    rng = torch.Generator().manual_seed(recipe.seed)
    field = build_field(recipe, picture.channels, rng)
    path = choose_kernels(gpu, field.network, recipe.precision, kernels)
    drawn = samples_per_step(recipe.sampling, recipe.batch, picture.height, picture.width)
    task = partial(
        image_task, gpu, field.encoding, picture.pixels, recipe.loss, recipe.sampling,
        recipe.batch, recipe.seed,
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
    )
    target = Target(picture.pixels, torch.device("cpu"))
    vectors = choose_vectors(gpu, path)
    return GpuEngine(gpu, field, task, target, training, rng, path, vectors)


def _optimizers(recipe: ImageRecipe, field: Field) -> list[Optimizer]:
    betas = (recipe.beta1, recipe.beta2)
    network = Adam(list(field.network.parameters()), recipe.rate, betas, recipe.epsilon)
    grids = list(field.encoding.parameters())
    if not grids:
        return [network]
    build = GRID_OPTIMIZERS[recipe.grid_optimizer]
    return [network, build(grids, recipe.grid_rate, betas, recipe.epsilon)]
