"""Task interface of a training kernel. Device half: task.slang."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from neuralshade.gpu.gpu import Dispatch, KernelText


@dataclass(frozen=True)
class TaskText:
    """A task in Slang with its variables.

    ``text`` declares ``Task`` (an INetworkTask), ``make_task(group)``, ``Encoding`` (an IEncoding)
    and the buffers that they read; ``variables`` binds these by name. ``before``, if
    not None, is called with a step's buffers by name, "states" and "grid_numbers" among them, and
    returns the dispatches before each step, such as drawing its samples; ``after`` those at its
    end, such as updating numbers of the task's own; ``between`` those between the gradients and the
    update, such as training a network in front of this one. ``kernels``: what these dispatch, as
    far as it is to be compiled beside the step's. ``position``: the member of samples that
    ``Encoding`` takes, where ``encode`` puts what that yields and nothing else; else empty.
    ``small_samples``: whether samples are little more than a position and up to four numbers, and
    nothing is trained before the network: kernels may then leave few registers for both.
    """

    text: str
    variables: Mapping[str, Any]
    before: Callable[[dict[str, Any]], Sequence[Dispatch]] | None = None
    after: Callable[[dict[str, Any]], Sequence[Dispatch]] | None = None
    between: Callable[[dict[str, Any]], Sequence[Dispatch]] | None = None
    kernels: Sequence[KernelText] = ()
    position: str = ""
    small_samples: bool = False

    @property
    def trains_own(self) -> bool:
        """Return whether steps train numbers of the task's own, besides an encoding's."""
        return self.after is not None
