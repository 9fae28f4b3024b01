"""Task interface of a training kernel. Device half: task.slang."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from neuralshade.gpu.gpu import Dispatch


@dataclass(frozen=True)
class TaskText:
    """A task in Slang, and what it reads.

    ``text`` declares ``Task`` (an INetworkTask), ``make_task(group)``, ``Encoding`` (an IEncoding)
    and the buffers that they read; ``variables`` binds these buffers by name. ``before``, where
    there is one, is called with a step's buffers by name, "states" among them, and returns what
    runs before each step, such as what draws its samples; ``after`` the same of what runs behind,
    such as what steps numbers of the task's own; ``between`` of what runs once gradients are there,
    before any number is stepped along them, such as what trains a network in front of this one.
    """

    text: str
    variables: Mapping[str, Any]
    before: Callable[[dict[str, Any]], Sequence[Dispatch]] | None = None
    after: Callable[[dict[str, Any]], Sequence[Dispatch]] | None = None
    between: Callable[[dict[str, Any]], Sequence[Dispatch]] | None = None
