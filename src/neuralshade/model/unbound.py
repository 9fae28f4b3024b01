"""Check for shader parameters of a user's module that no kernel binds. Device half: none."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from neuralshade.base.message_text import plain
from neuralshade.errors import ConfigError
from neuralshade.gpu.slang_reflection import Parameter
from neuralshade.model.trainable import PARAMETERS, short_type

BLOCK = re.compile(r"ConstantBuffer<SLANG_ParameterGroup_\w+>")  # what cbuffer becomes
LAYOUT = re.compile(r",\s*\w+DataLayout>")
MOST_NAMED = 8


def check_bound(
    parameters: Sequence[Parameter], place: str, remedy: str, bound: Collection[str] = ()
) -> None:
    """Refuse a module with parameters that nothing sets: they would read as zeros.

    Args:
        parameters: of the module and its imports.
        place: the file, for the error.
        remedy: how such a module gets its values.
        bound: names that its kernels bind, besides those of modules in ``model``.

    Raises: ConfigError.
    """
    free = [one for one in parameters if one.name not in (*PARAMETERS, *bound)]
    if not free:
        return
    names = ", ".join(_declaration(one) for one in free[:MOST_NAMED])
    more = f" and {len(free) - MOST_NAMED} more" if len(free) > MOST_NAMED else ""
    raise ConfigError(f"{place}: got {plain(names)}{more} at global scope, which nothing binds, "
                      f"need values. {remedy}")  # fmt: skip


def _declaration(parameter: Parameter) -> str:
    of_type = LAYOUT.sub(">", parameter.type)
    return f"{'cbuffer' if BLOCK.fullmatch(of_type) else short_type(of_type)} {parameter.name}"
