"""Terminal output: progress on standard error, results on standard output."""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress, ProgressColumn, Task
from rich.table import Column
from rich.text import Text

from neuralshade.asset.file import FORMAT
from neuralshade.asset.plugin_provenance import package_facts
from neuralshade.base.log_relay import LogRelay
from neuralshade.base.message_text import plural, rate_text
from neuralshade.base.progress_scope import progress_line
from neuralshade.cli.streams import say
from neuralshade.cli.work_bar import WorkBar
from neuralshade.cli.work_lines import plain_work
from neuralshade.fitting.loop import Observer, ignore
from neuralshade.fitting.progress import Progress as FitProgress
from neuralshade.kinds.kind import Opened
from neuralshade.measure.table import print_pairs

PLAIN_SECONDS = 1.5  # between two lines without a terminal
BAR_COLUMNS, LEAST_BAR_COLUMNS = 24, 6  # largest and smallest width of a bar
LESS_NEEDED = (
    "since",
    "rate",
    "loss",
    "step",
    "left",
)  # order in which they are omitted for lack of space


def show_notes(quiet: bool, *, chosen: bool = False) -> None:
    """Print the package's notes to standard error, unless ``quiet``.

    Notes on default choices are for terminals only: otherwise only deviations from the request are
    printed, or with ``chosen`` all notes.
    """
    log = logging.getLogger("neuralshade")
    usual = logging.INFO if chosen or sys.stderr.isatty() else logging.WARNING
    log.setLevel(logging.ERROR if quiet else usual)
    if not log.handlers:
        log.addHandler(LogRelay(say))


@contextmanager
def watch(quiet: bool, compared: bool = True) -> Iterator[Observer]:
    """Yield an observer that shows a fit: a bar on a terminal, plain lines elsewhere.

    ``compared``: the fit has a reference, and so a PSNR to show.
    """
    if quiet:
        yield ignore
    elif sys.stderr.isatty():
        with _bar() as bar:
            yield _Bar(bar, compared)
    else:
        with plain_work():
            yield _PlainLines(compared)


@contextmanager
def put_away(observer: Observer, back: bool) -> Iterator[None]:
    """Hide the bar before results are printed; show it again if ``back``."""
    if isinstance(observer, _Bar):
        observer.bar.stop()
    yield
    if isinstance(observer, _Bar) and back:
        observer.bar.start()


def _bar() -> Progress:
    console = Console(stderr=True)
    bar = WorkBar(bar_width=BAR_COLUMNS)  # rich shortens it where space is short
    seen = sys.stdout is not None and sys.stdout.isatty()  # else rich must not handle it
    return Progress(bar, _Status(console), console=console, transient=True, redirect_stdout=seen)


class _Bar:
    """Shows a fit as a bar."""

    def __init__(self, bar: Progress, compared: bool) -> None:
        self.bar, self.compared = bar, compared
        self.task = bar.add_task("fit", total=1.0, parts={"step": "starting"})

    def __call__(self, p: FitProgress) -> None:
        self.bar.update(self.task, completed=p.share, parts=_parts(p, self.compared))


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


def fitting(parts: dict[str, str], columns: int) -> str:
    """Return the parts in one line that leaves space for a bar; the least important are omitted."""
    for left_out in range(len(LESS_NEEDED) + 1):
        kept = [text for name, text in parts.items() if name not in LESS_NEEDED[:left_out]]
        line = "  ".join(filter(None, kept))
        if len(line) + 2 + LEAST_BAR_COLUMNS <= columns:
            break
    return line


class _PlainLines:
    """Prints a line every PLAIN_SECONDS."""

    def __init__(self, compared: bool) -> None:
        self.printed, self.compared = 0.0, compared

    def __call__(self, p: FitProgress) -> None:
        if p.seconds - self.printed >= PLAIN_SECONDS:
            self.printed = p.seconds
            parts = _parts(p, self.compared)
            print("  ".join(filter(None, parts.values())), file=sys.stderr, flush=True)


def _parts(p: FitProgress, compared: bool = True) -> dict[str, str]:
    """Return the parts of a fit's status; no time left where only a PSNR ends it."""
    psnr = f"PSNR {'about ' if p.about else ''}{p.psnr_db or 0:.2f} dB"
    psnr = psnr if p.psnr_db is not None else "PSNR - dB"
    left = f"{p.seconds * (1 - p.share) / p.share:.0f} s left" if p.share > 0 else ""
    return {
        "step": f"step {p.step:,}",
        "loss": f"loss {p.loss:.3g}",
        "psnr": psnr if compared else "",
        "since": f"(step {p.psnr_step:,})" if compared and p.stale else "",
        "rate": rate_text(p.samples_per_second, "samples") if p.samples_per_second else "",
        "left": left,
    }


def print_info(opened: Opened) -> None:
    """Print an asset's facts, with control characters escaped."""
    training = opened.header.training
    lines = {
        "kind": f"{opened.kind.name}, format {FORMAT}",
        **opened.summary(),
        "training": "elsewhere"
        if "source" in opened.header.own
        else f"{plural(training['steps'], 'step')} in {training['seconds']:.1f} s",
        **package_facts(opened.header.own),
        "numbers": f"{opened.numbers:,}",
    }
    recipe = [(f"  {name}", str(value)) for name, value in opened.header.recipe.items()]
    # a setting may have a tensor's name, such as features
    print_pairs([*lines.items(), *opened.tensor_summary().items(), ("recipe", ""), *recipe])
