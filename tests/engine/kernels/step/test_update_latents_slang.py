"""update_latents: latents move as LatentAdam moves them, whatever their gradients are summed in."""

import numpy as np
import pytest
import torch
from fixtures.updates import unread

from neuralshade.engine.kernels.step.gradients import COPIES, GRADIENTS, crowded_numbers
from neuralshade.engine.kernels.step.latent_words import (
    LATENT_STEPS,
    pack_latents,
    unpack_latents,
    unpack_moments,
)
from neuralshade.engine.kernels.step.step_state import FLAGS, StepState
from neuralshade.engine.kernels.step.update import (
    latent_groups,
    levels_of,
    table_words,
    update_text,
    whole_quads,
)
from neuralshade.model.composite import Composite
from neuralshade.model.latent_grid import LatentGrid
from neuralshade.optimizer.adam import LatentAdam

RATE, BETAS, EPSILON, SCALE, SAMPLES = 0.02, (0.8, 0.95), 1e-5, 32.0, 64.0
ADAM = {"rate": RATE, "beta1": BETAS[0], "beta2": BETAS[1], "epsilon": EPSILON}
SHAPES = {  # size of the finest level, features and bits of each grid
    "one": [((1, 1), 1, 3)],
    "odd": [((7, 5), 3, 5), ((3, 3), 1, 2), ((1, 1), 1, 8)],  # quads that two grids share
    "large": [((53, 47), 3, 4), ((9, 5), 3, 7)],  # more than is crowded
}


def grids_of(name, rng):
    return Composite([LatentGrid([size], [0], features, bits, rng=rng)
                      for size, features, bits in SHAPES[name]])  # fmt: skip


class Latents:
    """The update kernels of latents, with what they read and write."""

    def __init__(self, dispatch, encoding, gradients, halves):
        tables, kind = encoding.tables(), GRADIENTS[gradients]
        self.encoding, self.gradients, self.halves = encoding, gradients, halves
        self.count, self.groups = encoding.number_count(), latent_groups(tables)
        self.room = whole_quads(self.count)
        self.crowded = 0 if gradients == "fixed" else crowded_numbers(tables)
        self.sum_bytes = kind.sum_bytes * self.room + 4 * COPIES * self.crowded
        start = encoding.flatten(list(encoding.parameters())).numpy()
        arrays = {
            "latent_quads": np.pad(pack_latents(start), (0, self.room - self.count)),
            "moment_quads": np.zeros(self.room, np.uint32),
            "stored_quads": np.zeros(self.room, np.float16 if halves else np.float32),
            "sum_quads": np.zeros(self.sum_bytes, np.uint8),
            "half_sum_quads": np.zeros(kind.half_bytes * self.room, np.uint8),
            "tables": table_words(tables)[0], "broken": np.zeros(FLAGS, np.uint32),
            "states": StepState(0, 0, 0, 0, SCALE).pair(),
        }  # fmt: skip
        counts = {
            "row_count": 0,
            "grid_numbers": self.room,
            "table_count": len(tables),
            "crowded": self.crowded,
            "copies": COPIES,
        }
        settings = {"network": ADAM, "grid": ADAM, "penalty": 0.0, "average": 0.0, "slots": 0,
                    "numbers": SAMPLES, "slot_size": 0, "losses": 0, "network_numbers": 0,
                    "noisy": 0, "rounds_mean": 0, **counts}  # fmt: skip
        text = update_text(tables, halves=halves, gradients=gradients, touched=False)
        self.run = dispatch(
            text, arrays, levels4=levels_of(4), levels8=levels_of(8), settings=settings
        )
        self.run.others |= unread(self.run.gpu, arrays)

    def sums_of(self, gradients):
        """Return the buffers of sums for gradients of numbers, as kernels leave them."""
        flat = self.encoding.flatten(gradients).numpy() * (SCALE * SAMPLES)
        flat = np.pad(flat, (0, self.room - self.count))
        if self.gradients == "fixed":
            return {"sum_quads": np.rint(flat.astype(np.float64) * 2**16).astype(np.int64)}
        copies = np.zeros((COPIES, self.crowded), np.float32)
        copies[3], copies[9] = 0.25 * flat[: self.crowded], 0.75 * flat[: self.crowded]
        if self.gradients == "half":
            return {"sum_quads": copies, "half_sum_quads": flat.astype(np.float16)}
        return {"sum_quads": np.concatenate([copies.ravel(), flat])}

    def step(self, step, sums):
        self.run.write(states=StepState(step, step, step, 0, SCALE).pair(1.0).view(np.uint8))
        self.run.write(**sums)
        self.run.run(("update_network", self.groups))

    def left(self):
        """Return whether sums are left that the next step would read."""
        words = self.run.read("sum_quads", np.uint32, self.sum_bytes // 4)
        first = COPIES * self.crowded
        rest = words[first + (self.crowded if self.gradients == "float" else 0) :]
        halves = self.run.buffers["half_sum_quads"].read().view(np.uint16)[self.crowded :]
        return words[:first].any() or rest.any() or (self.gradients == "half" and halves.any())

    @property
    def values(self):
        return unpack_latents(self.run.read("latent_quads", np.uint16, self.room))

    @property
    def moments(self):
        kept = self.run.read("moment_quads", np.uint16, 2 * self.room).reshape(-1, 2)
        return unpack_moments(kept[:, 0]), unpack_moments(kept[:, 1])

    @property
    def seen(self):
        kind = np.float16 if self.halves else np.float32
        return self.run.read("stored_quads", kind, self.room).astype(np.float32)


def sparse_gradients(encoding, rng):
    """Return gradients in steps that all sums have; most are 0."""
    return [
        (torch.randn(p.shape, generator=rng) * 2**6).round()
        * 2.0**-10
        * (torch.rand(p.shape, generator=rng) < 0.4)
        for p in encoding.parameters()
    ]


def steps_of(encoding, room):
    """Return the largest code of every number, 1 of those that fill up."""
    flats = [torch.full_like(grid.texels, float(grid.steps)) for grid in encoding.parts]
    return np.pad(encoding.flatten(flats).numpy(), (0, room - encoding.number_count())).clip(1)


@pytest.mark.parametrize("name, gradients, halves", [
    ("one", "float", False), ("odd", "fixed", False), ("odd", "half", True),
    ("large", "half", True), ("large", "float", False),
])  # fmt: skip
def test_latents_move_by_adam_and_are_seen_with_noise(dispatch, rng, name, gradients, halves):
    encoding = grids_of(name, rng)
    adam = LatentAdam(list(encoding.parameters()), RATE, BETAS, EPSILON)
    latents = Latents(dispatch, encoding, gradients, halves)
    assert (latents.crowded > 0) == (gradients != "fixed" and name != "large" and name != "one")
    for step in range(4):
        slopes = sparse_gradients(encoding, rng)
        latents.step(step, latents.sums_of(slopes))
        assert not latents.left()
        for p, d_p in zip(encoding.parameters(), slopes, strict=True):
            p.grad = d_p
        adam.step(1.0)
    # roundings of moments: four, each less than 2^-7; moves are as wrong, and a step besides each
    wanted = encoding.flatten(list(encoding.parameters())).numpy()
    off = np.abs(latents.values[: latents.count] - wanted)
    assert off.max() < 4 * (RATE * 2.0**-6 + 1 / LATENT_STEPS)
    for got, moments in zip(latents.moments, (adam.means, adam.squares), strict=True):
        exact = encoding.flatten(moments).numpy()
        close = {"rtol": 4 * 2.0**-7, "atol": 2.0**-6 * np.abs(exact).max()}
        np.testing.assert_allclose(got[: latents.count], exact, **close)
        assert not got[latents.count :].any()
    check_seen(latents)


def check_seen(latents):
    encoding = latents.encoding
    trained = encoding.flatten([torch.ones_like(p) for p in encoding.parameters()]).numpy() == 1
    noise = ((latents.seen - latents.values) * steps_of(encoding, latents.room))[: latents.count]
    slack = 0.001 + (255 * 2.0**-11 if latents.halves else 0)  # float16 near 1
    assert np.abs(noise).max() < 0.5 + slack
    assert latents.seen.min() >= 0 and latents.seen.max() <= 1
    if latents.count > 100:
        assert np.abs(noise[trained]).mean() == pytest.approx(0.25, rel=0.2)


def test_rounding_shows_codes(dispatch, rng):
    latents = Latents(dispatch, grids_of("odd", rng), "float", False)
    latents.run.run(("round_latents", latents.groups))
    steps = steps_of(latents.encoding, latents.room)
    wanted = np.rint(latents.values * steps) / steps
    np.testing.assert_allclose(latents.seen[: latents.count], wanted[: latents.count], atol=1e-6)


@pytest.mark.parametrize("gradients, kind", [("float", np.float32), ("half", np.float16)])
def test_sums_that_are_not_finite_move_nothing_and_are_cleared(dispatch, rng, gradients, kind):
    latents = Latents(dispatch, grids_of("large", rng), gradients, False)
    before = latents.values
    name = "half_sum_quads" if gradients == "half" else "sum_quads"
    latents.step(0, {name: np.full(latents.room, np.inf, kind)})
    np.testing.assert_array_equal(latents.values, before)
    assert not np.stack(latents.moments).any() and not latents.left()
    assert latents.run.read("broken", np.uint32, FLAGS).tolist() == [0, 1, 0, 0]
    sums = latents.sums_of([torch.ones_like(p) for p in latents.encoding.parameters()])
    latents.step(1, sums)  # which is skipped as a whole
    np.testing.assert_array_equal(latents.values, before)
    assert not latents.left()
