"""Plugins of installed packages, each loaded; runs in its own process, which may crash."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from neuralshade.base.plugins import GROUPS, checked_plugins, plugins
from neuralshade.errors import NeuralShadeError


def found_plugins() -> list[dict[str, Any]]:
    """Return what, name, source, package, place and fault (None for none) of each."""
    if not any(plugins(what) for what in GROUPS):
        return []  # without loading PyTorch
    from neuralshade.kinds import KINDS, kind_named
    from neuralshade.loss.pointwise import LOSSES, loss_named
    from neuralshade.model.registry import ENCODINGS, encoding_named

    parts: dict[str, tuple[Iterable[str], Callable[[str], Any]]] = {
        "encoding": (ENCODINGS, encoding_named),
        "loss": (LOSSES, loss_named),
        "kind": (KINDS, kind_named),
    }
    return [
        {"what": what, "name": plugin.name, "source": plugin.source, "package": plugin.package,
         "place": plugin.place, "refused": fault is not None,
         "fault": fault or _failed(load, plugin.name)}
        for what, (ours, load) in parts.items()
        for plugin, fault in checked_plugins(what, ours)
    ]  # fmt: skip


def _failed(load: Callable[[str], Any], name: str) -> str | None:
    try:
        load(name)
    except NeuralShadeError as error:
        return str(error)
    return None
