"""Gradient check table: how derivatives of a user's task agree with differences of its loss."""

from dataclasses import dataclass

from neuralshade.measure.table import Column, print_rows

GRADIENTS_NOTE = """\
numbers: compared, at the start and moved a little, of all that the member has
largest error: between derivative and difference, of those that the verdict is about
allowed: 0.2 % of that derivative, 0.1 % of the largest, 3 x what the difference is unsure by
of largest: the error as a share of the member's largest derivative"""


@dataclass(frozen=True)
class GradientRow:
    """How the derivatives of one trained member agree with differences."""

    member: str
    numbers: int  # compared, each at its initial value and perturbed
    size: int  # of the member; large ones are sampled
    error: float  # the largest difference from the derivative, among those with the verdict
    allowed: float  # the limit of the error there; NaN where the loss is not finite beside it
    relative: float  # the error as a share of the member's largest derivative
    where: str  # the number with that error
    place: str  # "start", or "moved" a little away from it
    derivative: float  # that Slang's derivative gave there
    difference: float  # and a central difference; NaN where the loss is not finite beside it
    verdict: str  # right, wrong, no gradient, not differentiable here, or noise
    kinks: int  # comparisons, of two a number, at or near a kink
    lost: int  # comparisons hidden by rounding of the loss
    undefined: tuple[str, ...]  # where the loss beside it is not finite, so none was made


COLUMNS = (
    Column("member", "member", right=False),
    Column("numbers", lambda row: f"{row['numbers']:,} of {row['size']:,}"),
    Column("largest error", "error", ".3g"),
    Column("allowed", "allowed", ".3g"),
    Column("of largest", "relative", ".2g"),
    Column("where", lambda row: f"{row['where']}, {row['place']}", right=False),
    Column("derivative, difference",
           lambda row: f"{row['derivative']:.6g}, {row['difference']:.6g}", right=False),
    Column("verdict", "verdict", right=False),
)  # fmt: skip


class GradientRows(list[GradientRow]):
    """One row for each trained member."""

    def print(self) -> None:
        """Print the table, undecided comparisons, and an explanation of its columns."""
        print_rows(COLUMNS, [vars(row) for row in self])
        for row in self:
            for line in _left_open(row):
                print(f"{row.member}: {line}")
        print(GRADIENTS_NOTE)


def _left_open(row: GradientRow) -> list[str]:
    """Return the undecided comparisons and their reasons."""
    lines = []
    if row.kinks:
        lines.append(f"{row.kinks:,} comparisons are at a kink, where both sides' slopes differ")
    if row.lost:
        lines.append(f"{row.lost:,} comparisons are lost in the rounding of the loss")
    if row.undefined:
        first, *others = row.undefined
        more = f" and {len(others):,} more" if others else ""
        lines.append(f"not compared at {first}{more}: the loss is no number on a side of it")
    return lines
