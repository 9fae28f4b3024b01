"""Out-of-memory errors of Python, NumPy, PyTorch and the loader of libraries, recognized."""

import errno
import re

# Amounts in the messages of NumPy, and of PyTorch for a GPU; PyTorch for the CPU counts bytes.
AMOUNT = re.compile(r"allocate (\d[\d.]* ?[KMGTPE]iB)")
BYTES = re.compile(r"you tried to allocate (\d+) bytes")
SAID = re.compile(
    r"can't allocate memory|out of memory|std::bad_alloc|bad allocation|can't start new thread"
    r"|failed to map segment|cannot allocate memory",
    re.IGNORECASE,
)


def out_of_memory_message(error: BaseException) -> str | None:
    """Return a message for an out-of-memory error; None for any other error."""
    if not _is_for_memory(error):
        return None
    text = str(error)
    amount, count = AMOUNT.search(text), BYTES.search(text)
    got = "none left"
    if amount:
        got = f"no {amount[1].replace('. ', ' ')} more"
    elif count:
        got = f"no {int(count[1]) / 2**20:.1f} MiB more"
    return (f"memory: got {got}, need as much. End other programs, or take less at a time: a "
            "smaller picture, batch or size.")  # fmt: skip


def _is_for_memory(error: BaseException) -> bool:
    if isinstance(error, MemoryError):
        return True
    if isinstance(error, OSError) and error.errno == errno.ENOMEM:
        return True
    return isinstance(error, (RuntimeError, ImportError)) and bool(SAID.search(str(error)))
