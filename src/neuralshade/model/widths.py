"""Sizes of networks and of what they read, found without PyTorch. Device half: none."""

from itertools import pairwise

OCTAVES = 3  # of LatentPosition: periods of 8, 4 and 2 texels
POSITION_WIDTH = 4 * OCTAVES + 1  # of LatentPosition

# what MipCorrection makes of a texel, beside one factor for each vector: logarithms of alpha and
# albedo, and metallic
SCALARS = 3

# of LobeInputs: numbers of a lobe (slope of its normal, tangent, logarithms of two widths), and
# numbers that all lobes share (cosines, and the logarithm of their product)
LOBE_NUMBERS, LOBES_SHARED = 6, 4
SAMPLER_LAYERS, SAMPLER_WIDTH = 2, 16  # of LobeSampler


def layer_sizes(
    inputs: int, outputs: int, hidden_layers: int, hidden_width: int
) -> list[tuple[int, int]]:
    """Return inputs and outputs of each layer of an MLP."""
    return list(pairwise([inputs, *[hidden_width] * hidden_layers, outputs]))


def mlp_shapes(
    inputs: int, outputs: int, hidden_layers: int, hidden_width: int
) -> dict[str, tuple[int, ...]]:
    """Return the shapes of an MLP's parameters with biases, by name and in their order."""
    shapes: dict[str, tuple[int, ...]] = {}
    sizes = layer_sizes(inputs, outputs, hidden_layers, hidden_width)
    for layer, (columns, rows) in enumerate(sizes):
        shapes[f"layers.{layer}.weight"] = (rows, columns)
        shapes[f"layers.{layer}.bias"] = (rows,)
    return shapes


def correction_shapes(
    invariants: int, vectors: int, hidden_layers: int, hidden_width: int
) -> dict[str, tuple[int, ...]]:
    """Return the shapes of a MipCorrection's state, by name and in its order."""
    network = mlp_shapes(invariants, vectors + SCALARS, hidden_layers, hidden_width)
    return {**dict.fromkeys(("mean", "deviation", "low", "high"), (invariants,)),
            **{f"network.{name}": shape for name, shape in network.items()}}  # fmt: skip


def lobes_width(features: int, lobes: int, columns: int) -> int:
    """Return how many numbers LobeInputs makes, with ``columns`` for each lobe."""
    return features + columns * lobes + LOBES_SHARED


def lobes_shapes(features: int, lobes: int) -> dict[str, tuple[int, ...]]:
    """Return the shapes of the read-out of LobeInputs, by name and in their order."""
    rows = LOBE_NUMBERS * lobes
    return {"weight": (rows, features), "bias": (rows,)}


def sampler_sizes(features: int, lobes: int, shares: int) -> tuple[int, int, int, int]:
    """Return inputs, outputs, hidden layers and their width of the network of a LobeSampler."""
    return features + shares + 1 + lobes, 2 * lobes + 1, SAMPLER_LAYERS, SAMPLER_WIDTH
