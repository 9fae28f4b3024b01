"""Dispatcher of one fit's callbacks, from its start to its end."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

from neuralshade.fitting.callback import Callback, RunningFit
from neuralshade.fitting.facts import (
    ending_facts,
    fit_facts,
    reached_text,
    result_facts,
    state_facts,
)
from neuralshade.fitting.loop import ignore
from neuralshade.fitting.notebook import NotebookBar, is_notebook
from neuralshade.fitting.progress import Progress

ENDS = ("ended", "stopped", "failed")  # final states of a fit
_NUMBERS = itertools.count(1)  # of fits without a page


class Callbacks:
    """Calls the callbacks of ``job``, and those of its snapshots, while it is ``open``."""

    def __init__(self, job: RunningFit):
        self.job = job
        self.callbacks: list[Callback] = []
        self.facts: dict[str, Any] = {}  # facts about the fit's state

    @contextmanager
    def open(self) -> Iterator[None]:
        """Context that reports errors to the callbacks, and closes them."""
        snapshots, options = self.job.snapshots, self.job.options
        if snapshots is not None:
            self.callbacks += snapshots.callbacks
        elif options.tensorboard is not None:
            from neuralshade.fitting.tensorboard import TensorBoard

            self.callbacks.append(TensorBoard(options.tensorboard, None))
        if options.events is not None:
            from neuralshade.fitting.events import Events

            self.callbacks.append(Events(options.events))
        if self.job.observer is ignore and is_notebook():
            self.callbacks.append(NotebookBar())
        try:
            yield
        except BaseException as error:
            if self.facts:
                self.update({**self.facts, **ending_facts(error)})
            raise
        finally:
            with ExitStack() as closing:
                for callback in self.callbacks:
                    closing.callback(callback.close)

    def begin(self) -> None:
        """Report the fit before its first step. Raises OutputError."""
        for callback in self.callbacks:
            callback.begin(self.job)
        if self.job.options.live is None:  # otherwise the page reports it
            facts = fit_facts(self.job, next(_NUMBERS), self.job.preset)
            self.update({**facts, "state": "running", "text": "", "rate_scale": 1.0, "can": []})

    def update(self, facts: Mapping[str, Any]) -> None:
        """Report the fit's state; ``facts``: those of fit_facts, with state and text."""
        self.facts = {**facts, **state_facts(self.job)}
        if facts["state"] in ENDS:
            self.facts["can"] = []
        for callback in self.callbacks:
            callback.update(self.facts)

    def observe(self, progress: Progress) -> None:
        """Report the progress."""
        for callback in self.callbacks:
            callback.observe(progress)

    def finishing(self, what: str) -> None:
        """Report the work after the last step."""
        if (self.facts.get("state"), self.facts.get("text")) == ("finishing", what):
            return  # the same work, continued
        control = self.job.loop.control
        if control is None:
            self.update({**self.facts, "state": "finishing", "text": what})
        else:
            control.finishing(what)

    def end(self, reached: Any) -> None:
        """Report the result of the complete fit."""
        self.update({**self.facts, "state": "ended", "text": reached_text(reached)})
        for callback in self.callbacks:
            callback.result(result_facts(reached))
