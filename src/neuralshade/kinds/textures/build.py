"""Engine assembly of a texture set's fit: field, batch, weights, engine."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import torch

from neuralshade.engine.engine_choice import (
    EngineChoice,
    choose_kernels,
    choose_precision,
    choose_vectors,
)
from neuralshade.errors import ConfigError
from neuralshade.fitting.options import FitOptions
from neuralshade.gpu.gpu import Gpu, KernelText
from neuralshade.kinds.textures.block_layout import (
    block_grids,
    start_blocks,
)
from neuralshade.kinds.textures.channels import MapCoding
from neuralshade.kinds.textures.engine import (
    GpuTexturesEngine,
    NoisyTask,
    TexturesEngine,
    TorchTexturesEngine,
    plain_grids,
)
from neuralshade.kinds.textures.field import build_field
from neuralshade.kinds.textures.initial_latents import start_latents
from neuralshade.kinds.textures.layout import blocks_for, latent_rate, served_first, shapes_for
from neuralshade.kinds.textures.recipe import TexturesRecipe, parse_weights
from neuralshade.kinds.textures.texels import Texels, TexelSampler
from neuralshade.model.field import Field
from neuralshade.optimizer.schedule import rate_factor

GPU_BATCH = 2**16
CPU_BATCHES = (2048, 2**14)  # least and most
CPU_SHARE = 1 / 128  # of the texels of mip 0, per step on a CPU


def started_field(recipe: TexturesRecipe, texels: Texels, rng: torch.Generator) -> Field:
    """Return the field of a set, latents initialised by principal components."""
    field = build_field(recipe, texels.sizes[0], texels.channels, rng)
    if recipe.latents == "bc1":
        start_blocks(block_grids(field.encoding), blocks_for(recipe), texels, rng)
        return field
    shapes = shapes_for(recipe)
    stored = sorted(set(served_first(shapes[0].scale, len(texels.sizes))))
    start_latents(plain_grids(field), shapes, stored, texels)
    return field


def batch_of(recipe: TexturesRecipe, texels: Texels, on_cpu: bool) -> int:
    """Return the number of texels per step, which is even."""
    if recipe.batch:
        return max(2, recipe.batch // 2 * 2)
    if not on_cpu:
        return GPU_BATCH
    width, height = texels.sizes[0]
    least, most = CPU_BATCHES
    return int(min(max(width * height * CPU_SHARE, least), most)) // 2 * 2


def channel_weights(recipe: TexturesRecipe, codings: Sequence[MapCoding]) -> torch.Tensor | None:
    """Return the square root of each channel's weight [C, 1]; None where all weights are equal.

    Raises: ConfigError for a map that does not exist, and where all varying maps have weight 0.
    """
    weights = parse_weights(recipe.weights)
    known = {coding.name for coding in codings}
    for name in weights:
        if name not in known:
            raise ConfigError(f"TexturesRecipe.weights: got {name!r}, need one of "
                              f"{sorted(known)}. Leave it out.")  # fmt: skip
    if not any(weights.get(coding.name, 1.0) for coding in codings if coding.count):
        raise ConfigError(f"TexturesRecipe.weights: got {recipe.weights!r}, need a map that varies "
                          "and weighs more than 0. Leave one out.")  # fmt: skip
    listed = [weights.get(coding.name, 1.0) for coding in codings for _ in range(coding.count)]
    if all(weight == 1.0 for weight in listed):
        return None
    return torch.tensor(listed).sqrt()[:, None]


def freeze_factor(recipe: TexturesRecipe) -> float:
    """Return the schedule's factor of the step size when latents are frozen."""
    return rate_factor(recipe.schedule, recipe.noise_until, recipe.warmup, recipe.rate_final,
                       recipe.warmup)  # fmt: skip


def build_gpu_engine(
    recipe: TexturesRecipe,
    texels: Texels,
    codings: Sequence[MapCoding],
    gpu: Gpu,
    kernels: str,
    exact: bool,
    *,
    searched: bool = False,
) -> GpuTexturesEngine:
    """Assemble the same on an opened GPU; see ``choose_kernels`` and ``Training``.

    ``searched``: latents of the result will be searched on it.
    """
    from neuralshade.engine.network_trainer import NetworkTrainer
    from neuralshade.engine.step_texts import Training
    from neuralshade.kinds.textures.shaded import lit_maps
    from neuralshade.kinds.textures.task import texel_task

    rng = torch.Generator().manual_seed(recipe.seed)
    field = started_field(recipe, texels, rng)
    path = choose_kernels(gpu, field.network, recipe.precision, kernels)
    batch = batch_of(recipe, texels, on_cpu=gpu.adapter.software)
    roots = channel_weights(recipe, codings)
    squares = torch.ones(texels.channels) if roots is None else roots.square().flatten()
    wraps = recipe.wrap == "repeat"
    task = partial(texel_task, gpu, field.encoding, texels, squares.numpy(), wraps,
                   batch, recipe.seed, jittered=recipe.latents == "bc1",
                   lit=lit_maps(codings) if recipe.loss == "shaded" else None)  # fmt: skip
    training = Training(
        batch=batch,
        rate=recipe.rate,
        grid_rate=latent_rate(recipe),
        betas=(recipe.beta1, recipe.beta2),
        epsilon=recipe.epsilon,
        average=0.0,
        touched=False,
        loss_scale=recipe.loss_scale,
        exact=exact,
        grid_betas=(recipe.beta1, recipe.latent_beta2),
    )
    vectors = choose_vectors(gpu, path)
    hardware = not gpu.adapter.software  # else the CPU measures, and searches
    later = _later_texts(field, texels, searched) if hardware else []
    trainer = NetworkTrainer(gpu, field, task, training, rng, path, vectors, later)
    return GpuTexturesEngine(trainer, texels, freeze_factor(recipe))


def build_engine(
    recipe: TexturesRecipe, texels: Texels, codings: Sequence[MapCoding], device: torch.device
) -> TorchTexturesEngine:
    """Assemble source, sampler, model, loss and optimizers."""
    from neuralshade.engine.torch_engine import TorchEngine
    from neuralshade.kinds.textures.shaded import ShadedTask, lit_maps
    from neuralshade.optimizer.adam import Adam, LatentAdam

    rng = torch.Generator().manual_seed(recipe.seed)
    field = started_field(recipe, texels, rng).to(device)
    batch = batch_of(recipe, texels, device.type == "cpu")
    exact = recipe.precision == "auto"  # bfloat16 has 8 bits: too few near 50 dB
    compute = torch.float32 if exact else choose_precision(recipe.precision, device)
    sampler = TexelSampler(texels, batch, recipe.wrap == "repeat", device,
                           jittered=recipe.latents == "bc1")  # fmt: skip
    weights = channel_weights(recipe, codings)
    of_maps = (field, sampler, weights if weights is None else weights.to(device), compute,
               recipe.seed)  # fmt: skip
    shaded = recipe.loss == "shaded"
    task = ShadedTask(lit_maps(codings), *of_maps) if shaded else NoisyTask(*of_maps)
    network, latents = list(field.network.parameters()), list(field.encoding.parameters())
    optimizers = [
        Adam(network, recipe.rate, (recipe.beta1, recipe.beta2), recipe.epsilon),
        LatentAdam(latents, latent_rate(recipe), (recipe.beta1, recipe.latent_beta2),
                   recipe.epsilon),
    ]  # fmt: skip
    scale = recipe.loss_scale if compute == torch.float16 else 1.0
    trainer = TorchEngine(field, task, "l2", optimizers, rng, scale,
                          repeatable=recipe.seconds is None)  # fmt: skip
    return TorchTexturesEngine(trainer, task, texels, freeze_factor(recipe))


def engine_on(
    chosen: EngineChoice, options: FitOptions, recipe: TexturesRecipe, texels: Texels,
    codings: Sequence[MapCoding], *, searched: bool = False,
) -> TexturesEngine:  # fmt: skip
    """Return the engine of a fit on the chosen device; ``searched`` as above."""
    if chosen.gpu is None:
        return build_engine(recipe, texels, codings, chosen.device)
    return build_gpu_engine(
        recipe, texels, codings, chosen.gpu, options.kernels, options.deterministic,
        searched=searched,
    )  # fmt: skip


def _later_texts(field: Field, texels: Texels, searched: bool) -> list[KernelText]:
    """Return the kernels after the steps: that measure the field, and search its codes."""
    from neuralshade.engine.kernels.infer.field_inference import exact_text

    if not searched:
        return [exact_text(field)]
    from neuralshade.engine.kernels.refinement.refinement import refinement_texts

    return [exact_text(field), *refinement_texts(field, texels.alpha)]
