"""Assembly of a material's fit: recipe to engine, and the device of the reference."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager

import torch

from neuralshade.base.cores import core_count
from neuralshade.engine.engine_choice import EngineChoice
from neuralshade.engine.torch_engine import TorchEngine
from neuralshade.errors import ConfigError
from neuralshade.fitting.options import FitOptions
from neuralshade.gpu.gpu import Gpu, KernelText
from neuralshade.kinds.material.engine import (
    OF_ENCODER,
    OF_READ,
    EncodedField,
    MaterialEngine,
    MaterialTask,
    TorchMaterialEngine,
    batch_of,
    encoder_of,
    match_mean_light,
    network_optimizers,
    pool_of,
)
from neuralshade.kinds.material.field import build_field, encoding_of
from neuralshade.kinds.material.log_loss import log_loss
from neuralshade.kinds.material.mip_fit import drawing_texts
from neuralshade.kinds.material.recipe import MaterialRecipe
from neuralshade.kinds.material.references.emission import emission_kernels
from neuralshade.kinds.material.references.reference_bsdf import (
    FIT_KERNELS,
    ReferenceKernels,
    open_reference_gpu,
)
from neuralshade.kinds.material.samples import MaterialSampler
from neuralshade.kinds.material.shared import SharedPart
from neuralshade.optimizer.adam import LatentAdam, Optimizer

ROOMY = 8  # cores that compile all of them at once


@contextmanager
def reference_gpu(chosen: EngineChoice) -> Iterator[Gpu]:
    """Yield the GPU for the reference: the one that trains, else a new one."""
    if chosen.gpu is not None:
        yield chosen.gpu
        return
    with closing(open_reference_gpu()) as gpu:
        yield gpu


def prepare_reference(
    chosen: EngineChoice, kernels: ReferenceKernels, recipe: MaterialRecipe
) -> None:
    """Compile in advance the kernels that have the material's graph, in the order of need.

    On few cores those that no first step needs are left to the engine, which begins them last.
    """
    first: list[KernelText] = []
    later: list[KernelText] = []
    if chosen.gpu is not None:
        texts = drawing_texts(recipe, kernels.bsdf)
        first, later = texts[:1], texts[1:]
    kernels.prepare((*FIT_KERNELS, *first, *emission_kernels(kernels.bsdf)))
    if core_count() >= ROOMY:
        kernels.prepare(later)


def engine_on(
    chosen: EngineChoice, options: FitOptions, recipe: MaterialRecipe, kernels: ReferenceKernels,
    shared: SharedPart | None = None,
) -> MaterialEngine:  # fmt: skip
    """Return the engine of a fit on the chosen device."""
    if chosen.gpu is None:
        return build_engine(recipe, kernels, shared)
    from neuralshade.kinds.material.gpu_engine import GpuMaterialEngine

    return GpuMaterialEngine(recipe, kernels, chosen.gpu, options.kernels, options.deterministic,
                             shared)  # fmt: skip


def build_engine(
    recipe: MaterialRecipe, reference: ReferenceKernels, shared: SharedPart | None = None
) -> TorchMaterialEngine:
    """Assemble sampler, model, loss and optimizers, on the CPU.

    ``shared``: fixed layers of the decoder.
    """
    rng = torch.Generator().manual_seed(recipe.seed)
    batch = batch_of(recipe, on_cpu=True)
    sampler = MaterialSampler(reference, batch, recipe.rare, rng, pool_of(recipe.size),
                              1 / recipe.size)  # fmt: skip
    encoder = encoder_of(recipe, sampler.value_count, rng)
    field = EncodedField(build_field(recipe, recipe.size, rng), encoder)
    reference.check_bright()
    match_mean_light(field.network, sampler)
    if shared is not None:
        shared.apply_to(field)
    task = MaterialTask(field, sampler.draw)
    texels = encoding_of(field).grid.texels
    betas = (recipe.beta1, recipe.beta2)
    optimizers: list[Optimizer] = [
        *network_optimizers(field, recipe),
        LatentAdam([texels], recipe.latent_rate, betas, recipe.epsilon),
    ]
    trainer = TorchEngine(field, task, log_loss, optimizers, rng, repeatable=recipe.seconds is None)
    return TorchMaterialEngine(trainer, task, sampler, recipe.size)


def check_engine(
    place: str | os.PathLike[str], state: Mapping[str, torch.Tensor], engine: str
) -> None:
    """Raise ConfigError if a checkpoint's state is from the other engine."""
    began = "gpu" if any(name.startswith((OF_ENCODER, OF_READ)) for name in state) else "torch"
    if began != engine:
        raise ConfigError(f"{place}: got a fit of engine {began}, need one of the engine that "
                          f"goes on. Add --engine {began}.")  # fmt: skip
