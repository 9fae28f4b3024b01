"""Tables of values per mip, as functions that compare: indexed arrays are slow or refused."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from neuralshade.model.shader_form import Function, Parameter


def by_mip(kind: str, name: str, values: Sequence[str], about: str = "") -> Function:
    """Return ``name(mip)``, which returns one of ``values``, clamped to the first and last.

    ``kind``: their type, in the dialect.
    """
    body = [f"if (mip < {mip}) return {value};"
            for mip, (value, later) in enumerate(pairwise(values), start=1)
            if value != later]  # fmt: skip
    parameters = (Parameter("int", "mip"),)
    return Function(kind, name, parameters, (*body, f"return {values[-1]};"), about)
