"""Work begun ahead, in a thread beside a fit, to have its result when the fit has ended."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

T = TypeVar("T")

_BEGUN: ContextVar[dict[Hashable, Future[Any]] | None] = ContextVar("begun ahead", default=None)


@contextmanager
def kept_ahead() -> Iterator[None]:
    """Keep what is begun inside the block by this thread. Elsewhere nothing is begun."""
    outer = _BEGUN.set({})
    try:
        yield
    finally:
        _BEGUN.reset(outer)


def begin(key: Hashable, work: Callable[[], Any]) -> None:
    """Begin work, unless nobody keeps its result.

    ``work``: it opens no progress scope. A process ends without waiting for it.
    """
    begun = _BEGUN.get()
    if begun is None:
        return
    begun[key] = in_thread(work)


def run_beside(work: Callable[[], Any]) -> None:
    """Run work that nothing waits for: in a thread where results are kept, else now."""
    if _BEGUN.get() is None:
        work()
    else:
        in_thread(work)


def in_thread(work: Callable[[], T]) -> Future[T]:
    """Begin work in a thread of its own, for which a process does not wait at its end."""
    future = Future[T]()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # raised where the result is asked for
            future.set_exception(error)

    threading.Thread(target=run, name="neuralshade ahead", daemon=True).start()
    return future


def forget_begun() -> None:
    """Keep no result of what was begun: nothing is to run beside this work."""
    (_BEGUN.get() or {}).clear()


def taken_result(key: Hashable) -> Any:
    """Return ``begun_result``, for once: later calls find nothing begun."""
    future = (_BEGUN.get() or {}).pop(key, None)
    return None if future is None else future.result()


def begun_result(key: Hashable) -> Any:
    """Return the result of work that was begun, when it ends; None of other work.

    Raises: what the work raised.
    """
    future = (_BEGUN.get() or {}).get(key)
    return None if future is None else future.result()
