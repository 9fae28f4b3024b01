"""Progress bar of a fit in a notebook, shown where no observer was passed."""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Mapping
from html import escape
from typing import Any

from neuralshade.fitting.callback import Callback
from neuralshade.fitting.progress import Progress

SECONDS = 0.2  # between two updates
ENDS = ("ended", "stopped", "failed")


def is_notebook() -> bool:
    """Return whether this runs in a Jupyter kernel."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return getattr(shell, "kernel", None) is not None


class NotebookBar(Callback):
    """A line of HTML below the cell, updated while the fit runs."""

    def __init__(self) -> None:
        self.page: Any = importlib.import_module("IPython.display")
        self.shown = self.page.display(self.page.HTML(_bar(0.0, "starting")), display_id=True)
        self.due = 0.0

    def observe(self, progress: Progress) -> None:
        """Show the progress."""
        if time.monotonic() >= self.due:
            self.due = time.monotonic() + SECONDS
            self._show(progress.share, _text(progress))

    def update(self, facts: Mapping[str, Any]) -> None:
        """Show the end, or the work after training."""
        if facts["state"] in (*ENDS, "finishing"):
            self.due = 0.0
            self._show(1.0, str(facts["text"]))

    def _show(self, share: float, text: str) -> None:
        self.shown.update(self.page.HTML(_bar(share, text)))


def _bar(share: float, text: str) -> str:
    return f'<progress value="{share:.3f}" max="1"></progress> {escape(text)}'


def _text(p: Progress) -> str:
    psnr = f"loss {p.loss:.3g}" if p.psnr_db is None else f"PSNR {p.psnr_db:.2f} dB"
    left = f", {p.seconds * (1 - p.share) / p.share:.0f} s left" if p.share > 0 else ""
    return f"step {p.step:,}, {psnr}{left}"
