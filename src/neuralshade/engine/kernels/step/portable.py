"""Portable training steps, one thread per sample. Device half: portable.cs.slang."""

from dataclasses import dataclass

from neuralshade.model.mlp import MLP

SHARED_FLOATS = 2**13  # of group-shared memory: 32 KB, which every desktop GPU has
LARGEST_TILE = 64  # samples, and threads, of a group


@dataclass(frozen=True)
class PortablePlan:
    """Distribution of a batch over threads and groups."""

    tile: int
    widest: int
    groups: int

    align = 1
    halves = False
    shared_bytes = 0  # of group-shared memory whose size the text leaves open

    @property
    def slots(self) -> int:
        """Return how many partial sums of the gradient there are."""
        return self.groups


def portable_plan(network: MLP, batch: int, groups: int) -> PortablePlan:
    """Return the plan: the largest tile whose inputs and gradients fit group-shared memory."""
    widest = max(max(layer.weight.shape) for layer in network.members)
    tile = LARGEST_TILE
    while tile > 1 and 2 * tile * widest > SHARED_FLOATS:
        tile //= 2
    return PortablePlan(tile, widest, min(groups, -(-batch // tile)))


def portable_constants(plan: PortablePlan) -> str:
    """Return the plan as constants for the device half."""
    return f"static const int TILE = {plan.tile};\nstatic const int WIDEST = {plan.widest};\n"
