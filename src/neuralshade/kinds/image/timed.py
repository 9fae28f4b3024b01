"""The networks that `neuralshade bench` trains: those of the published comparisons."""

from dataclasses import dataclass
from typing import Any

SHARED = {
    "grid_bits": 16,
    "network_bits": 16,
    "sampling": "positions",
    "grid_optimizer": "adam",
    "loss": "l2",
    "average": 0.0,
    "warmup": 0,
    "schedule": "constant",
}
A = {
    "hidden_layers": 4,
    "hidden_width": 64,
    "activation": "leaky_relu",
    "output_activation": "sigmoid",
}
HASH_GRID = "hash_grid:levels={},features=2,log2_entries=15,coarsest=16,finest=512"
SOFTWARE_LEVELS = 2  # of the hash grid in software, which compiles 16 of them for 30 s


@dataclass(frozen=True)
class BenchNetwork:
    """A network and the settings of ImageRecipe that make it."""

    name: str
    about: str
    settings: dict[str, Any]


def bench_networks(*, software: bool) -> list[BenchNetwork]:
    """Return A with 24 and with 12 inputs, B and C; C with few levels for ``software``.

    Source: A is RTXNS, samples/SimpleTraining, with 12 inputs, and of 24 in tiny-cuda-nn's
    comparison; B is of the size of the "Learn a Lake" demonstration; C is the hash grid of
    Mueller et al. 2022, Instant NGP, for pictures.
    """
    levels = SOFTWARE_LEVELS if software else 16
    return [
        BenchNetwork("A24", "6 octaves -> 64 x 4 -> 3", A | {"encoding": "frequency:octaves=6"}),
        BenchNetwork("A12", "3 octaves -> 64 x 4 -> 3", A | {"encoding": "frequency:octaves=3"}),
        BenchNetwork("B", "200 x 200 x 4 grid, 2 octaves -> 32 x 2 -> 3", {
            "encoding": "dense_grid:levels=1,features=4,width=200,height=200 + frequency:octaves=2",
            "hidden_layers": 2, "hidden_width": 32,
        }),
        BenchNetwork("C", f"hash grid {levels} x 2 -> 64 x 2 -> 3", {
            "encoding": HASH_GRID.format(levels), "hidden_layers": 2, "hidden_width": 64,
        }),
    ]  # fmt: skip
