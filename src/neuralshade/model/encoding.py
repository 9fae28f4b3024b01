"""What every encoding can do: widen a position into the numbers a network reads."""

import torch


class Encoding(torch.nn.Module):
    """Map from a position in the unit square to ``width`` numbers.

    Subclasses set ``width`` and write ``forward``, the reference on any set of positions.
    Where the numbers of a column and of a row can be prepared apart, they also write
    ``along`` and ``combine``; then a lattice of R rows and C columns costs R + C
    preparations instead of R * C.
    """

    width: int

    def forward(self, uv: torch.Tensor) -> torch.Tensor:
        """Return the encoding: float32 [N, 2] in [0, 1] -> float32 [N, width]."""
        raise AssertionError(f"{type(self).__name__} has no forward")

    def along(self, axis: int, x: torch.Tensor) -> torch.Tensor:
        """Prepare coordinates ``x`` [n] of axis 0 (u) or 1 (v): -> [n, any]; no gradient."""
        return x[:, None]

    def combine(
        self, along_u: torch.Tensor, along_v: torch.Tensor, compute: torch.dtype | None = None
    ) -> torch.Tensor:
        """Return the encoding of the lattice of prepared columns and rows: [width, R, C].

        ``compute`` is what the network multiplies in; products may be made in it already.
        None keeps the dtype that was prepared.
        """
        rows, cols = len(along_v), len(along_u)
        u = along_u[:, 0].expand(rows, cols)
        v = along_v[:, 0, None].expand(rows, cols)
        uv = torch.stack([u, v], dim=-1).reshape(-1, 2)
        return self(uv).t().reshape(self.width, rows, cols)

    def on_lattice(self, u: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        """Return the encoding at every (u, v) of ``u`` [C] and ``v`` [R]: [width, R, C]."""
        return self.combine(self.along(0, u), self.along(1, v))


class AxisEncoding(Encoding):
    """Encoding that treats each coordinate alone, by one function ``axis_features``."""

    def __init__(self, per_axis: int):
        super().__init__()
        self.width = 2 * per_axis

    def axis_features(self, x: torch.Tensor) -> torch.Tensor:
        """Return the features of one coordinate: [...] -> [..., per_axis]."""
        raise AssertionError(f"{type(self).__name__} has no axis_features")

    def forward(self, uv: torch.Tensor) -> torch.Tensor:
        """Return all features of u, then all of v: [N, 2] -> [N, width]."""
        return self.axis_features(uv).flatten(-2)

    def along(self, axis: int, x: torch.Tensor) -> torch.Tensor:
        return self.axis_features(x)

    def combine(
        self, along_u: torch.Tensor, along_v: torch.Tensor, compute: torch.dtype | None = None
    ) -> torch.Tensor:
        along_u, along_v = along_u.to(dtype=compute), along_v.to(dtype=compute)
        rows, cols = len(along_v), len(along_u)
        per_axis = self.width // 2
        of_u = along_u.t()[:, None, :].expand(per_axis, rows, cols)
        of_v = along_v.t()[:, :, None].expand(per_axis, rows, cols)
        return torch.cat([of_u, of_v])
