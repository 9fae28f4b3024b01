"""The outlets of one fit, and what they are told of it from start to end."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from neuralshade.fitting.callback import Outlet
from neuralshade.fitting.events import Events, check_events
from neuralshade.fitting.facts import ending_facts, fit_facts, reached_text, result_facts
from neuralshade.fitting.loop import Progress
from neuralshade.fitting.tensorboard import TensorBoard, check_tensorboard

if TYPE_CHECKING:
    from neuralshade.fitting.job import Job

ENDS = ("ended", "stopped", "failed")  # states of a fit that does not go on
_NUMBERS = itertools.count(1)  # of fits that no page shows


def check_logs(options: Any) -> None:
    """Raise DeviceError or OutputError where a fit's options ask for a log that can't be had."""
    check_events(options.events)
    check_tensorboard(options.tensorboard)


class Telling:
    """Tells the outlets of ``job``, those of its snapshots among them, while it is ``open``."""

    def __init__(self, job: Job[Any]):
        self.job = job
        self.outlets: list[Outlet] = []
        self.told: dict[str, Any] = {}  # of how the fit stands

    @contextmanager
    def open(self) -> Iterator[None]:
        """Close the outlets after the block, and tell them before where it failed."""
        snapshots, options = self.job.snapshots, self.job.options
        if snapshots is not None:
            self.outlets += snapshots.outlets
        elif options.tensorboard is not None:
            self.outlets.append(TensorBoard(options.tensorboard, None))
        if options.events is not None:
            self.outlets.append(Events(options.events))
        try:
            yield
        except BaseException as error:
            if self.told:
                self.tell({**self.told, **ending_facts(error)})
            raise
        finally:
            with ExitStack() as closing:
                for outlet in self.outlets:
                    closing.callback(outlet.close)

    def begin(self) -> None:
        """Tell of the fit before its first step. Raises OutputError."""
        for outlet in self.outlets:
            outlet.begin(self.job)
        if self.job.options.live is None:  # else that tells
            facts = fit_facts(self.job, next(_NUMBERS), self.job.preset)
            self.tell({**facts, "state": "running", "text": "", "rate_scale": 1.0, "can": []})

    def tell(self, facts: Mapping[str, Any]) -> None:
        """Tell how the fit stands; ``facts`` are as fit_facts says, with state and text."""
        self.told = {**facts, "can": []} if facts["state"] in ENDS else dict(facts)
        for outlet in self.outlets:
            outlet.tell(self.told)

    def observe(self, progress: Progress) -> None:
        """Tell how far the fit is."""
        for outlet in self.outlets:
            outlet.observe(progress)

    def end(self, reached: Any) -> None:
        """Tell what the whole fit reached."""
        self.tell({**self.told, "state": "ended", "text": reached_text(reached)})
        for outlet in self.outlets:
            outlet.result(result_facts(reached))
