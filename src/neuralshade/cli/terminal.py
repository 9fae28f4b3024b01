"""Terminal output: progress on standard error, results on standard output."""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from neuralshade.asset.file import FORMAT
from neuralshade.asset.plugin_provenance import package_facts
from neuralshade.base.log_relay import LogRelay
from neuralshade.base.message_text import plural
from neuralshade.cli.fit_status import status_parts
from neuralshade.cli.streams import say
from neuralshade.cli.work_lines import plain_work
from neuralshade.fitting.loop import Observer, ignore
from neuralshade.fitting.progress import Progress as FitProgress
from neuralshade.kinds.kind import Opened
from neuralshade.measure.table import print_pairs

PLAIN_SECONDS = 1.5  # between two lines without a terminal


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
        from neuralshade.cli.fit_bar import FitBar, fit_bar  # loads rich

        with fit_bar() as bar:
            yield FitBar(bar, compared)
    else:
        with plain_work():
            yield _PlainLines(compared)


@contextmanager
def put_away(observer: Observer, back: bool) -> Iterator[None]:
    """Hide the bar before results are printed; show it again if ``back``."""
    bar = getattr(observer, "bar", None)  # lines have none
    if bar is not None:
        bar.stop()
    yield
    if bar is not None and back:
        bar.start()


class _PlainLines:
    """Prints a line every PLAIN_SECONDS."""

    def __init__(self, compared: bool) -> None:
        self.printed, self.compared = 0.0, compared

    def __call__(self, p: FitProgress) -> None:
        if p.seconds - self.printed >= PLAIN_SECONDS:
            self.printed = p.seconds
            parts = status_parts(p, self.compared)
            print("  ".join(filter(None, parts.values())), file=sys.stderr, flush=True)


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
