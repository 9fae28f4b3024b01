"""What a training kernel asks of the thing that is fitted. Device half: task.slang."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class TaskText:
    """A task in Slang, and what it reads.

    ``text`` declares ``Task`` (an INetworkTask), ``make_task(group)``, ``Encoding`` (an IEncoding)
    and the buffers that they read; ``variables`` binds these buffers by name.
    """

    text: str
    variables: Mapping[str, Any]
