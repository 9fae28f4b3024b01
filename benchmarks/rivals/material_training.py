"""Training of several fields on one stream of samples, on any torch device."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from neuralshade.asset.asset import Header, asset_size
from neuralshade.engine.recorded_engine import RecordedEngine
from neuralshade.engine.torch_engine import TorchEngine
from neuralshade.kinds.material.device_samples import DeviceBatches, DeviceSamples, device_sampler
from neuralshade.kinds.material.engine import (
    ENCODER_LAYERS,
    ENCODER_WIDTH,
    EncodedField,
    MaterialTask,
    TorchMaterialEngine,
    batch_of,
    match_mean_light,
)
from neuralshade.kinds.material.field import encoding_of
from neuralshade.kinds.material.recipe import MaterialRecipe
from neuralshade.kinds.material.references.reference_bsdf import ReferenceKernels
from neuralshade.kinds.material.samples import Samples
from neuralshade.model.field import Field
from neuralshade.model.mlp import MLP
from neuralshade.optimizer.adam import Adam, LatentAdam
from neuralshade.optimizer.schedule import rate_factor
from rivals.material_fields import Contender


class SharedBatches:
    """Batches that several tasks see: drawn and answered once a step, as the GPU engine's are."""

    def __init__(self, kernels: ReferenceKernels, recipe: MaterialRecipe, device: torch.device):
        rng = torch.Generator().manual_seed(recipe.seed)
        batch = batch_of(recipe, on_cpu=device.type == "cpu")
        self.sampler = device_sampler(recipe, kernels, batch, rng)
        seed = recipe.seed & 0xFFFFFFFF
        drawn = DeviceSamples(kernels.gpu, kernels, self.sampler, batch, seed)
        self.ahead, self.device = DeviceBatches(drawn, device), device

    def next(self) -> None:
        """Draw what ``draw`` returns from now on."""
        self.ahead.load_next()

    def draw(self, rng: torch.Generator, moved: bool = False) -> Samples:
        """Return the step's batch, which lies about rare points anyway."""
        return self.ahead.current()


@dataclass
class Trained:
    """A field as its file would hold it, on the CPU, and what its training took."""

    name: str
    field: Field
    seconds: float  # of its own steps and of drawing their samples
    skipped: int

    def tensors(self) -> dict[str, np.ndarray]:
        """Return what is stored: texels of 8 bits, their range, parameters in float16."""
        encoding = encoding_of(self.field)
        ends = [encoding.get_buffer(name).numpy() for name in ("low", "high")]
        found = {"features": encoding.grid.codes(), "range": np.stack(ends)}
        named = {n: p for n, p in self.field.named_parameters() if p is not encoding.grid.texels}
        return found | {name: p.detach().half().numpy() for name, p in named.items()}

    @property
    def disk_bytes(self) -> int:
        """Return the bytes of a file like an asset's, without a header."""
        return asset_size("material", Header({}, {}, {}), self.tensors())

    @property
    def memory_bytes(self) -> int:
        """Return the bytes in a GPU's memory."""
        return sum(tensor.nbytes for tensor in self.tensors().values())


def train(
    contenders: Sequence[Contender],
    kernels: ReferenceKernels,
    recipe: MaterialRecipe,
    device: torch.device,
) -> list[Trained]:
    """Train all of ``contenders`` on the same samples, in the phases of ``fit material``.

    ``recipe.steps`` steps: an encoder until its share, then the texels themselves, which are at
    last rounded to 8 bits. Every contender begins from the recipe's seed.
    """
    batches = SharedBatches(kernels, recipe, device)
    engines = [_engine(one, batches, recipe) for one in contenders]
    steps = recipe.steps
    assert steps is not None
    baked, frozen = (math.ceil(steps * s) for s in (recipe.encoded_until, recipe.frozen_from))
    drawing, own = 0.0, [0.0] * len(engines)
    with torch.device(device):
        for step in range(steps):
            begun = time.perf_counter()
            batches.next()
            ended = time.perf_counter()
            drawing += ended - begun
            factor = rate_factor(recipe.schedule, step / steps, step, recipe.rate_final,
                                 recipe.warmup)  # fmt: skip
            for index, engine in enumerate(engines):
                if step == baked:
                    _bake(engine, device)
                    _forget(engine)
                if step == frozen and list(engine.task.field.network.parameters()):
                    engine.freeze()  # maps have no decoder that goes on: theirs are at the end
                    _forget(engine)
                engine.advance([factor])  # waits: it returns the loss
                begun, ended = ended, time.perf_counter()
                own[index] += ended - begun
    return [
        Trained(one.name, _stored(engine), drawing + taken, engine.skipped)
        for one, engine, taken in zip(contenders, engines, own, strict=True)
    ]


def _engine(one: Contender, batches: SharedBatches, recipe: MaterialRecipe) -> TorchMaterialEngine:
    rng = torch.Generator().manual_seed(recipe.seed)
    plain = one.build(recipe, rng)
    if isinstance(plain.network, MLP):
        match_mean_light(plain.network, batches.sampler)
    numbers = encoding_of(plain).grid.features
    encoder = MLP(batches.sampler.value_count, numbers, ENCODER_LAYERS, ENCODER_WIDTH, "leaky_relu",
                  one.encoder_output, rng=rng)  # fmt: skip
    field = EncodedField(plain, encoder).to(batches.device)
    texels = encoding_of(field).grid.texels
    nets = Adam([p for p in field.parameters() if p is not texels], one.rate or recipe.rate,
                (recipe.beta1, 0.999))  # fmt: skip
    latents = LatentAdam([texels], recipe.latent_rate, (recipe.beta1, recipe.beta2), recipe.epsilon)
    task = MaterialTask(field, batches.draw)
    kind = RecordedEngine if batches.device.type == "cuda" else TorchEngine
    trainer = kind(field, task, one.loss, [nets, latents], rng)
    return TorchMaterialEngine(trainer, task, batches.sampler, recipe.size)


def _bake(engine: TorchMaterialEngine, device: torch.device) -> None:
    """Bake where values of the graph come to: parameters stay the same objects on the way."""
    engine.task.field.cpu()
    with torch.device("cpu"):
        engine.bake()
    engine.task.field.to(device)


def _forget(engine: TorchMaterialEngine) -> None:
    if isinstance(engine.trainer, RecordedEngine):
        engine.trainer.forget()


def _stored(engine: TorchMaterialEngine) -> Field:
    """Return the field on the CPU, its numbers rounded as a file's are."""
    engine.freeze()
    field = Field(engine.task.field.encoding, engine.task.field.network).cpu()
    texels = encoding_of(field).grid.texels
    with torch.no_grad():
        for parameter in field.parameters():
            if parameter is not texels:
                parameter.copy_(parameter.half().float())
    return field
