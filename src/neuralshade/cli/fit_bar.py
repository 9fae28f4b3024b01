"""Progress bar of a fit on a terminal."""

import sys

from rich.console import Console
from rich.progress import Progress, ProgressColumn, Task
from rich.table import Column
from rich.text import Text

from neuralshade.base.progress_scope import progress_line
from neuralshade.cli.fit_status import fitting, status_parts
from neuralshade.cli.work_bar import WorkBar
from neuralshade.fitting.progress import Progress as FitProgress

BAR_COLUMNS = 24  # at most


def fit_bar() -> Progress:
    """Return the bar, not started."""
    console = Console(stderr=True)
    bar = WorkBar(bar_width=BAR_COLUMNS)  # rich shortens it where space is short
    seen = sys.stdout is not None and sys.stdout.isatty()  # else rich must not handle it
    return Progress(bar, _Status(console), console=console, transient=True, redirect_stdout=seen)


class FitBar:
    """Shows a fit as a bar."""

    def __init__(self, bar: Progress, compared: bool) -> None:
        self.bar, self.compared = bar, compared
        self.task = bar.add_task("fit", total=1.0, parts={"step": "starting"})

    def __call__(self, p: FitProgress) -> None:
        self.bar.update(self.task, completed=p.share, parts=status_parts(p, self.compared))


class _Status(ProgressColumn):
    """Status of the fit, as much as fits into one line."""

    def __init__(self, console: Console):
        super().__init__(Column(no_wrap=True))
        self.console = console

    def render(self, task: Task) -> Text:
        if work := progress_line():  # work after the training
            return Text(work)
        text = Text(fitting(task.fields["parts"], self.console.width))
        text.highlight_regex(r"\d+ s left", "cyan")
        return text
