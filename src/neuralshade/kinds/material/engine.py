"""Engine of a material's fit: encoder first, then the feature map; and its PyTorch form."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.base.message_text import plural
from neuralshade.engine.threads import threads
from neuralshade.engine.torch_engine import TorchEngine
from neuralshade.errors import ConfigError
from neuralshade.kinds.material.field import MaterialEncoding, encoding_of
from neuralshade.kinds.material.judging.judge import field_shade
from neuralshade.kinds.material.judging.lit_surfaces import Shade
from neuralshade.kinds.material.log_loss import FLOOR, logs_of
from neuralshade.kinds.material.map_blocks import round_map
from neuralshade.kinds.material.map_rows import OF_BLOCKS, blocks_of_state
from neuralshade.kinds.material.recipe import NETWORK_BETA2, READ_BETA2, MaterialRecipe
from neuralshade.kinds.material.samples import POOL, MaterialSampler, Samples
from neuralshade.kinds.material.step_thinning import split_state
from neuralshade.model.field import Field
from neuralshade.model.mlp import MLP
from neuralshade.optimizer.adam import Adam
from neuralshade.optimizer.soap import Soap

Floats = npt.NDArray[np.float32]

ENCODER_LAYERS, ENCODER_WIDTH = 3, 64
CORNERS = (0.25, 0.75)  # of a texel, where an encoder is evaluated for the mean
BAKED_AT_ONCE = 2**16  # texels
CPU_BATCH, GPU_BATCH = 2**13, 2**18
MEAN_SAMPLES = 2**15  # at most, for the mean light: an untrained decoder needs no more
POINTS_OF_TEXEL, MOST_POINTS = 4, 2**21  # computed in advance on a CPU, in 5 s for the most
ENCODED, TRAINED, FROZEN = range(3)  # phases of the feature map, in order
OWN = ("phase", "range")  # of a state
OF_ENCODER, OF_READ = "encoder.", "read."  # prefixes in the state of a fit on the GPU


class EncodedField(Field):
    """A field with the encoder that first computes its feature map."""

    def __init__(self, field: Field, encoder: MLP):
        super().__init__(field.encoding, field.network)
        self.encoder = encoder


class MaterialTask:
    """Draws a batch; returns logarithms of the field's and of the reference's light.

    ``log_loss`` compares the two.
    """

    def __init__(self, field: EncodedField, draw: Callable[[torch.Generator, bool], Samples]):
        """``draw`` returns the next batch; its flag is ``moved`` of ``MaterialSampler.draw``."""
        self.field, self.draw, self.phase = field, draw, ENCODED

    def __call__(self, rng: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
        drawn = self.draw(rng, self.phase != ENCODED)
        encoding = encoding_of(self.field)
        latents = self._latents(encoding, drawn)
        read = encoding.columns(latents, drawn.wi, drawn.wo, drawn.uv[:, 2:])
        predicted = self.field.network.on_columns(read, torch.float32)
        target = (drawn.target + FLOOR).log()
        return logs_of(predicted, target) * drawn.seen, target * drawn.seen

    def _latents(self, encoding: MaterialEncoding, drawn: Samples) -> torch.Tensor:
        if self.phase == ENCODED:
            return self.field.encoder.on_columns(drawn.values, torch.float32)
        return encoding.latents(torch.cat([drawn.uv[:, :2], torch.zeros(len(drawn.uv), 1)], dim=1))


class MaterialEngine(ABC):
    """Training steps of one fit. ``phase`` of the feature map: ENCODED, TRAINED or FROZEN."""

    batch: int
    device = torch.device("cpu")  # where PyTorch trains
    every = 1  # steps of the fit for each of PyTorch's

    @property
    @abstractmethod
    def phase(self) -> int:
        """Return ENCODED, TRAINED or FROZEN."""

    @property
    @abstractmethod
    def skipped(self) -> int:
        """Return the number of steps with a gradient that was not finite."""

    @abstractmethod
    def field(self) -> Field:
        """Return the field as trained so far, on the CPU.

        In phase ENCODED the map is computed for this call.
        """

    @abstractmethod
    def advance(self, rate_factors: Sequence[float]) -> float:
        """Run one step per factor of the step sizes; return the last step's mean loss."""

    @abstractmethod
    def bake(self) -> None:
        """Compute the feature map with the encoder; train the map from now on."""

    @abstractmethod
    def freeze(self) -> None:
        """Round the feature map for good; train only the decoder from now on."""

    @abstractmethod
    def state(self) -> dict[str, torch.Tensor]:
        """Return the state for a restart, without the recipe, by name."""

    @abstractmethod
    def load_state(self, state: dict[str, torch.Tensor]) -> None:
        """Restore what ``state`` returned."""

    def shade(self, field: Field) -> Shade:
        """Return the f * cos function of a field."""
        return field_shade(field)

    @torch.no_grad()
    def encoded(self, uv: Floats, wi: Floats, wo: Floats) -> Floats:
        """Return f * cos of encoder and decoder, without a map: float32 [n, 3]."""
        field = self._encoded_field()
        values = self._encoder_input(uv)
        latents = field.encoder.on_columns(values, torch.float32)
        to_light, to_eye = (torch.from_numpy(np.ascontiguousarray(w.T)).to(values.device)
                            for w in (wi, wo))  # fmt: skip
        shares = torch.from_numpy(np.ascontiguousarray(uv[:, 2:])).to(values.device)
        read = encoding_of(field).columns(latents, to_light, to_eye, shares)
        found: Floats = field.network.on_columns(read, torch.float32).t().cpu().numpy()
        return found

    @torch.no_grad()
    def encoded_map(self, side: int) -> torch.Tensor:
        """Return the encoder's mean over CORNERS for each texel: float32 [texels, F]."""
        trained = self._encoded_field()
        encoder = trained.encoder
        found = torch.empty((side**2, encoding_of(trained).grid.features))
        for first in range(0, side**2, BAKED_AT_ONCE):
            index = torch.arange(first, min(first + BAKED_AT_ONCE, side**2))
            corner = torch.stack([index % side, index // side], dim=1)
            parts = [(corner + torch.tensor([x, y])) / side for y in CORNERS for x in CORNERS]
            outputs = [encoder.on_columns(self._encoder_input(part.numpy()), torch.float32)
                    for part in parts]  # fmt: skip
            found[first : first + len(index)] = torch.stack(outputs).mean(0).t()
        return found

    @abstractmethod
    def _encoded_field(self) -> EncodedField:
        """Return the current encoder, and the field that is trained with it."""

    @abstractmethod
    def _encoder_input(self, uv: Floats) -> torch.Tensor:
        """Return the graph's values at places as input of the encoder: float32 [P, n].

        Shares of varied inputs behind u and v are ignored: the values cover their ranges' ends.
        """


class TorchMaterialEngine(MaterialEngine):
    """Engine of a material's fit in PyTorch, on the CPU."""

    def __init__(
        self, trainer: TorchEngine, task: MaterialTask, sampler: MaterialSampler, side: int
    ):
        self.trainer, self.task, self.sampler, self.side = trainer, task, sampler, side
        self.batch = sampler.batch

    def field(self) -> Field:
        if self.phase == ENCODED:
            encoding_of(self.task.field).take_over(self.encoded_map(self.side))
        return self.task.field

    @property
    def phase(self) -> int:
        return self.task.phase

    @property
    def skipped(self) -> int:
        return self.trainer.skipped

    def advance(self, rate_factors: Sequence[float]) -> float:
        return self.trainer.advance(rate_factors)

    def bake(self) -> None:
        encoding_of(self.task.field).take_over(self.encoded_map(self.side))
        self.task.phase = TRAINED

    def freeze(self) -> None:
        round_map(self.task.field)
        self._hold_map()

    def _hold_map(self) -> None:
        encoding_of(self.task.field).grid.texels.requires_grad_(False)
        self.task.phase = FROZEN

    def state(self) -> dict[str, torch.Tensor]:
        encoding = encoding_of(self.task.field)
        blocks = {} if encoding.blocks is None else encoding.blocks.state()
        return {**self.trainer.state(), "phase": torch.tensor(self.phase),
                "range": encoding.ends(), **blocks}  # fmt: skip

    @torch.no_grad()
    def load_state(self, state: dict[str, torch.Tensor]) -> None:
        encoding = encoding_of(self.task.field)
        trained, _ = split_state(state, OF_BLOCKS)
        self.trainer.load_state({n: v for n, v in trained.items() if n not in OWN})
        encoding.set_ends(state["range"])
        encoding.blocks = blocks_of_state(state)
        self.task.phase = int(state["phase"])
        if self.task.phase == FROZEN:
            self._hold_map()

    def _encoded_field(self) -> EncodedField:
        return self.task.field

    def _encoder_input(self, uv: Floats) -> torch.Tensor:
        return self.sampler.normalized(torch.from_numpy(self.sampler.reference.parameters(uv)))


def batch_of(recipe: MaterialRecipe, *, on_cpu: bool) -> int:
    """Return the samples of a step, a multiple of 4."""
    if recipe.batch:
        return max(4, recipe.batch // 4 * 4)
    return CPU_BATCH if on_cpu else GPU_BATCH


def pool_of(side: int) -> int:
    """Return the number of points for samples: four a texel of a map, up to MOST_POINTS."""
    return min(max(POOL, POINTS_OF_TEXEL * side**2), MOST_POINTS)


@torch.no_grad()
def match_mean_light(network: MLP, sampler: MaterialSampler) -> None:
    """Set an untrained decoder's mean light to the material's, channel by channel.

    A decoder that starts far too bright is driven to black by its first steps and stays there,
    because an exponential has no slope at 0.

    Raises: ConfigError for a material that scatters nothing.
    """
    with threads(1):  # the operations are too small for more
        count = min(sampler.batch, MEAN_SAMPLES)
        drawn = sampler.draw(torch.Generator().manual_seed(0), count=count)
    target = drawn.target[:, drawn.seen]
    if not target.numel():
        return
    if not target.any():
        raise ConfigError(f"{sampler.reference.bsdf.owner}: got no light from any of "
                          f"{plural(target.shape[1], 'sample')}, need a material that scatters "
                          "some. What it emits is no part of a fit: give it a closure that "
                          "reflects.")  # fmt: skip
    logs = (target + FLOOR).log()
    bias = network.members[-1].bias
    assert bias is not None
    bias.copy_((logs.mean(1).exp() - FLOOR).clamp_min(FLOOR).log())


def network_optimizers(field: EncodedField, recipe: MaterialRecipe) -> tuple[Soap, Soap, Adam]:
    """Return the optimizers of decoder, encoder and read-out."""
    betas = (recipe.beta1, NETWORK_BETA2)
    decoder, encoder = (Soap(list(network.parameters()), recipe.rate, betas)
                        for network in (field.network, field.encoder))  # fmt: skip
    read = list(encoding_of(field).lobes.read.parameters())
    return decoder, encoder, Adam(read, recipe.rate, (recipe.beta1, READ_BETA2))


def encoder_of(recipe: MaterialRecipe, values: int, rng: torch.Generator) -> MLP:
    """Return the untrained encoder of ``values`` numbers of a graph."""
    return MLP(values, recipe.features, ENCODER_LAYERS, ENCODER_WIDTH, "leaky_relu", rng=rng)
