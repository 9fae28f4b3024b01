"""Progress bar of long work on a terminal: current step, progress, and time."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task
from rich.progress_bar import ProgressBar
from rich.table import Column
from rich.text import Text

from neuralshade.base import progress_scope

BAR_COLUMNS = 24


@contextmanager
def work_bar() -> Iterator[None]:
    """Show a bar with the current step, where it takes long, until the block ends."""
    console = Console(stderr=True)
    with Progress(WorkBar(bar_width=BAR_COLUMNS), _StepText(), console=console,
                  transient=True) as bar:  # fmt: skip
        bar.add_task("work", total=None)
        yield


class WorkBar(BarColumn):
    """Bar of the current work, or of the task itself where there is none."""

    def render(self, task: Task) -> ProgressBar:
        now = progress_scope.current_scope()
        if now is None or (
            task.total is None and not progress_scope.progress_line(progress_scope.SILENT_SECONDS)
        ):
            return super().render(task) if task.total is not None else ProgressBar(width=0)
        share = progress_scope.done_fraction()
        return ProgressBar(total=1.0, completed=share or 0.0, width=self.bar_width,
                           pulse=share is None, animation_time=now.seconds)  # fmt: skip


class _StepText(ProgressColumn):
    """The current step as text."""

    def __init__(self) -> None:
        super().__init__(Column(no_wrap=True))

    def render(self, task: Task) -> Text:
        return Text(progress_scope.progress_line(progress_scope.SILENT_SECONDS))
