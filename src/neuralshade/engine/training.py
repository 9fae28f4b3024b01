"""How a field is trained, as the GPU engine takes it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Training:
    """How a field is trained, whatever it is."""

    batch: int
    rate: float
    grid_rate: float
    betas: tuple[float, float]
    epsilon: float
    average: float  # decay of the mean weights; 0 keeps none
    touched: bool  # Adam for grids steps entries with a gradient only
    loss_scale: float
    exact: bool  # equal bits on every run
