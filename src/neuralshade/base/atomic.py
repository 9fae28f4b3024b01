"""Atomic output files: written whole, or not at all."""

import errno
import functools
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from neuralshade.base.argument_checks import check_path
from neuralshade.base.message_text import folder_failure
from neuralshade.base.temp_files import fresh_name, lock, remove_stale, sweep_temp_folder
from neuralshade.errors import OutputError

REASONS = {
    errno.ENOENT: ("no such folder", "a folder that exists", "Create it first."),
    errno.ENOTDIR: ("a file where a folder should be", "a folder", ""),
    errno.EISDIR: ("a folder", "a file name", "Add a file name to it."),
    errno.EACCES: ("a refusal to write there", "a writable folder", ""),
    errno.EPERM: ("a refusal to write there", "a writable folder", ""),
    errno.EROFS: ("a read-only file system", "a writable folder", ""),
    errno.ENOSPC: ("a full disk", "room for the file", "Free some space, or choose another path."),
    errno.EDQUOT: ("a used-up disk quota", "room for the file", "Free some space."),
    errno.ENAMETOOLONG: ("a name that is too long", "a shorter one", ""),
}
PARTIAL = ".neuralshade"  # begins the names of files that are being written
LONGEST_SUFFIX = 16  # that a partial file takes over: every format's is shorter
NOT_THERE = {errno.ENOENT, errno.ENOTDIR, errno.EBADF, errno.ELOOP}
DISK_ERRNOS = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.EFBIG}


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise OutputError if ``path`` cannot be written, leaving nothing behind.

    Called before long work: a missing or read-only folder, or a folder in place of the
    file, is refused now instead of after the training. Proves it by creating and removing
    an empty file beside ``path``. Partial files that killed processes left there are removed.
    """
    check_path("output", path, OutputError)
    output = Path(path)
    partial = _partial_path(output)
    with _refusals_for(output, partial), _created(partial):
        pass


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield an empty temporary file beside ``path``; put it there if the block succeeds.

    The temporary file has the suffix of ``path``. After the block it is flushed to disk,
    renamed over ``path`` in one step, and the folder is flushed too. On any exception,
    KeyboardInterrupt included, it is removed and an older ``path`` stays as it was.
    A symbolic link at ``path`` is followed, not replaced.

    Raises: OutputError if the folder is missing or refuses writing, ``path`` is a folder
        or a device, or the disk is full. Other exceptions of the block pass unchanged.
    """
    output = Path(path)
    partial = _partial_path(output)
    with _refusals_for(output, partial), _created(partial):
        yield partial
        _flush(partial)
        os.replace(partial, _target(output))
        _flush_folder(partial.parent)


def replace_whole(made: Path, path: str | os.PathLike[str]) -> None:
    """Flush ``made``, a whole file on the same disk, and move it to ``path`` in one step.

    Raises: OutputError as ``whole_file`` does.
    """
    output = Path(path)
    try:
        target = _target(output)
        _flush(made)
        os.replace(made, target)
        _flush_folder(target.parent)
    except OSError as error:
        raise _refusal(output, error) from error


def make_folder(folder: Path, use: str) -> None:
    """Create ``folder`` where its parent exists; else raise OutputError, naming its ``use``."""
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        there = isinstance(error, FileExistsError)
        remedy = "Choose another." if there else "Create its parent, or choose another."
        raise OutputError(f"{folder}: got {folder_failure(error)}, need a folder for {use}. "
                          f"{remedy}") from error  # fmt: skip


def _target(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _partial_path(path: Path) -> Path:
    """Return a fresh name beside the target; OutputError where no file can be there."""
    try:
        target = _target(path)
        _check_name(target)
        for refused, number in (
            (os.path.isdir(target), errno.EISDIR),
            (not os.path.exists(target.parent), errno.ENOENT),
            (not os.path.isdir(target.parent), errno.ENOTDIR),
        ):
            if refused:
                raise _refusal(path, OSError(number, os.strerror(number)))
        is_other = os.path.exists(target) and not os.path.isfile(target)
    except OutputError:
        raise
    except OSError as error:  # a name that is too long, say
        raise _refusal(path, error) from error
    if is_other:
        raise OutputError(
            f"{path}: got a device or pipe, need a regular file. Choose another output path."
        )
    _sweep_once(target.parent)
    # Short, and without the target's name, which may already have the greatest length.
    suffix = target.suffix if len(target.suffix) <= LONGEST_SUFFIX else ""
    return target.with_name(fresh_name(PARTIAL) + suffix)


def _check_name(target: Path) -> None:
    """Raise OSError for a name that no file there can have; a missing file is fine."""
    try:
        os.stat(target)
    except OSError as error:
        if error.errno not in NOT_THERE:
            raise


@functools.cache
def _sweep_once(folder: Path) -> None:
    """Remove files of killed processes in ``folder`` and in the folder for temporary files."""
    remove_stale(folder, PARTIAL)
    sweep_temp_folder()


@contextmanager
def _refusals_for(path: Path, partial: Path) -> Iterator[None]:
    """Remove ``partial`` at the end, and convert errors of the disk to OutputError."""
    try:
        yield
    except OSError as error:
        ours = str(error.filename) in (str(partial), str(partial.parent))
        if ours or error.errno in DISK_ERRNOS:
            raise _refusal(path, error) from error
        raise
    finally:
        # checked first: a read-only disk refuses to remove a missing file
        if os.path.exists(partial):
            partial.unlink()


def _refusal(path: Path, error: OSError) -> OutputError:
    fallback = (f"'{error.strerror}' while writing", "a writable place", "")
    reasons = REASONS
    if error.errno == errno.ENOENT and _has_folder(path):  # /proc takes no files
        reasons = {}
    got, need, remedy = reasons.get(error.errno or 0, fallback)
    return OutputError(f"{path}: got {got}, need {need}. {remedy or 'Choose another path.'}")


def _has_folder(path: Path) -> bool:
    try:
        return os.path.exists(_target(path).parent)
    except OSError:  # a relative path in a working folder that was removed
        return False


@contextmanager
def _created(partial: Path) -> Iterator[None]:
    """Create the file and lock it during the block, so that no process removes it as stale."""
    descriptor = _create(partial)
    while not lock(partial, descriptor):
        os.close(descriptor)
        descriptor = _create(partial)
    if os.name == "nt":  # Windows cannot rename an open file
        os.close(descriptor)
    try:
        yield
    finally:
        if os.name != "nt":
            os.close(descriptor)


def _create(partial: Path) -> int:
    # Not tempfile: it creates files with mode 0600, and results should obey the umask.
    return os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _flush_folder(folder: Path) -> None:
    if os.name == "nt":  # Windows cannot open a folder; its rename is journaled
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno != errno.EINVAL:  # some network file systems have no folder flush
            raise
    finally:
        os.close(descriptor)
