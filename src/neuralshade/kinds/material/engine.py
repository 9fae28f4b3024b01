"""What runs the steps of a material's fit: an encoder first, then the feature map itself."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.engine.torch_engine import TorchEngine
from neuralshade.kinds.material.field import MaterialEncoding, build_field, encoding_of
from neuralshade.kinds.material.recipe import MaterialRecipe
from neuralshade.kinds.material.samples import MaterialSampler, Samples
from neuralshade.kinds.material.teacher import TeacherKernels
from neuralshade.model.field import Field
from neuralshade.model.mlp import MLP
from neuralshade.optimizer.adam import Adam, LatentAdam

Floats = npt.NDArray[np.float32]

ENCODER_LAYERS, ENCODER_WIDTH = 3, 64
FLOOR = 0.01  # added before logarithms are compared: what is darker matters less
CORNERS = (0.25, 0.75)  # of a texel, where an encoder is asked for its mean
BAKED_AT_ONCE = 2**16  # texels
ENCODED, TRAINED, FROZEN = range(3)  # what a feature map is, in turn


class EncodedField(Field):
    """A field beside the encoder that its feature map begins as."""

    def __init__(self, field: Field, encoder: MLP):
        super().__init__(field.encoding, field.network)
        self.encoder = encoder


class MaterialTask:
    """Draws a batch and says what the field makes of it, and what it should: logarithms.

    So "l1" is |log(p + 0.01) - log(t + 0.01)|, relative in light and absolute in shadow.
    """

    def __init__(self, field: EncodedField, sampler: MaterialSampler):
        self.field, self.sampler, self.phase = field, sampler, ENCODED

    def __call__(self, rng: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
        drawn = self.sampler.draw(rng)
        encoding = encoding_of(self.field)
        read = encoding.lobes(self._latents(encoding, drawn), drawn.wi, drawn.wo)
        said = self.field.network.on_columns(read, torch.float32)
        return (said + FLOOR).log() * drawn.seen, (drawn.wanted + FLOOR).log() * drawn.seen

    def _latents(self, encoding: MaterialEncoding, drawn: Samples) -> torch.Tensor:
        if self.phase == ENCODED:
            return self.field.encoder.on_columns(drawn.values, torch.float32)
        return encoding.latents(torch.cat([drawn.uv, torch.zeros(len(drawn.uv), 1)], dim=1))


class MaterialEngine:
    """Steps of one fit. ``phase`` says what the feature map is by now."""

    def __init__(self, trainer: TorchEngine, task: MaterialTask, side: int):
        self.trainer, self.task, self.side = trainer, task, side
        self.batch = task.sampler.batch

    @property
    def field(self) -> Field:
        """Return the field as it is trained now; before it is baked its map means nothing."""
        return self.task.field

    @property
    def phase(self) -> int:
        """Return ENCODED, TRAINED or FROZEN."""
        return self.task.phase

    @property
    def skipped(self) -> int:
        """Return how many steps had a gradient that was not finite."""
        return self.trainer.skipped

    def advance(self, rate_factors: Sequence[float]) -> float:
        """Run one step per factor of the step sizes; return the last step's mean loss."""
        return self.trainer.advance(rate_factors)

    @torch.no_grad()
    def encoded(self, uv: Floats, wi: Floats, wo: Floats) -> Floats:
        """Return f * cos as the encoder and the decoder have it, without a map: float32 [n, 3]."""
        encoder, sampler = self.task.field.encoder, self.task.sampler
        values = sampler.normalized(sampler.teacher.parameters(uv))
        latents = encoder.on_columns(values, torch.float32)
        directions = (torch.from_numpy(np.ascontiguousarray(w.T)) for w in (wi, wo))
        read = encoding_of(self.field).lobes(latents, *directions)
        found: Floats = self.field.network.on_columns(read, torch.float32).t().numpy()
        return found

    @torch.no_grad()
    def bake(self) -> None:
        """Let the feature map be what the encoder says of its texels; train it from now on."""
        sampler, encoder = self.task.sampler, self.task.field.encoder
        found = []
        for index in torch.arange(self.side**2).split(BAKED_AT_ONCE):
            corner = torch.stack([index % self.side, index // self.side], dim=1)
            parts = [corner + torch.tensor([x, y]) for y in CORNERS for x in CORNERS]
            values = [sampler.teacher.parameters((part / self.side).numpy()) for part in parts]
            said = [encoder.on_columns(sampler.normalized(v), torch.float32) for v in values]
            found.append(torch.stack(said).mean(0).t())
        encoding_of(self.field).take_over(torch.cat(found))
        self.task.phase = TRAINED

    def freeze(self) -> None:
        """Round the feature map for good; from now on the decoder is trained alone."""
        grid = encoding_of(self.field).grid
        grid.round()
        grid.texels.requires_grad_(False)
        self.task.phase = FROZEN

    def state(self) -> dict[str, torch.Tensor]:
        """Return everything that a restart needs besides the recipe, by name."""
        encoding = encoding_of(self.field)
        return {**self.trainer.state(), "phase": torch.tensor(self.phase),
                "range": torch.stack([encoding.get_buffer("low"),
                                      encoding.get_buffer("high")])}  # fmt: skip

    @torch.no_grad()
    def load_state(self, state: dict[str, torch.Tensor]) -> None:
        """Take over what ``state`` returned once."""
        own = ("phase", "range")
        self.trainer.load_state({n: v for n, v in state.items() if n not in own})
        encoding = encoding_of(self.field)
        for name, values in zip(("low", "high"), state["range"], strict=True):
            encoding.get_buffer(name).copy_(values)
        self.task.phase = int(state["phase"])
        if self.task.phase == FROZEN:
            self.freeze()


def build_engine(recipe: MaterialRecipe, teacher: TeacherKernels) -> MaterialEngine:
    """Assemble sampler, model, loss and optimizers, on the CPU."""
    rng = torch.Generator().manual_seed(recipe.seed)
    sampler = MaterialSampler(teacher, recipe.batch, recipe.rare, rng)
    encoder = MLP(sampler.value_count, recipe.features, ENCODER_LAYERS, ENCODER_WIDTH,
                  "leaky_relu", rng=rng)  # fmt: skip
    field = EncodedField(build_field(recipe, recipe.size, rng), encoder)
    task = MaterialTask(field, sampler)
    texels = encoding_of(field).grid.texels
    others = [p for p in field.parameters() if p is not texels]
    betas = (recipe.beta1, recipe.beta2)
    optimizers = [Adam(others, recipe.rate, (recipe.beta1, 0.999), 1e-8),
                  LatentAdam([texels], recipe.latent_rate, betas, recipe.epsilon)]  # fmt: skip
    trainer = TorchEngine(field, task, "l1", optimizers, rng, repeatable=recipe.seconds is None)
    return MaterialEngine(trainer, task, recipe.size)
