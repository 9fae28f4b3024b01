"""Texture set in blocks at half size, measured by a process while a fit trains."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from neuralshade.base.sandbox.wire import Array
from neuralshade.measure.rival_process import RivalProcess, measured_apart
from neuralshade.measure.texture_rivals import ByteMaps, TextureRival, half_size_rival

TASK = f"{__name__}:half_size_facts"


def half_size_apart(maps: ByteMaps, process: RivalProcess | None = None) -> TextureRival:
    """Return ``half_size_rival`` without its maps, of ``measured_apart``.

    Raises: what ``half_size_rival`` raises.
    """
    facts = {"levels": {name: len(levels) for name, levels in maps.levels.items()},
             "normals": sorted(maps.normals), "colors": sorted(maps.colors),
             "wrap": maps.wrap, "opacity": maps.opacity}  # fmt: skip
    arrays = [one for levels in maps.levels.values() for one in levels]
    return TextureRival(**measured_apart(TASK, facts, arrays, process))


def half_size_facts(facts: Mapping[str, Any], arrays: Sequence[Array]) -> dict[str, Any]:
    """Measure a set of ``half_size_apart``; returns the fields of its rival."""
    rest = iter(arrays)
    levels = {name: [next(rest) for _ in range(count)] for name, count in facts["levels"].items()}
    maps = ByteMaps(levels, frozenset(facts["normals"]), frozenset(facts["colors"]),
                    facts["wrap"], facts["opacity"])  # fmt: skip
    return dataclasses.asdict(dataclasses.replace(half_size_rival(maps), maps={}))
