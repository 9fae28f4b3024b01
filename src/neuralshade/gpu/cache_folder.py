"""Cache folder for compiled kernels, and the file limit of software devices."""

from __future__ import annotations

import functools
import logging
import tempfile
from pathlib import Path

import platformdirs

from neuralshade.base.private_dirs import make_private_dir, why_not_private
from neuralshade.errors import DeviceError

# SlangPy's database maps 8 KiB of its file before they are written: on a full disk the system ends
# the process for it (SIGBUS). The rest is a reserve.
ROOM_BYTES = 2**20
# Mesa's software devices keep their memory in an unnamed file that grows unchecked: at the limit
# of file sizes the system ends the process, too.
LEAST_LIMIT_BYTES = 2**30

log = logging.getLogger("neuralshade")


def cache_folder() -> Path | None:
    """Return the cache folder for compiled kernels; None where none is usable.

    It holds machine code that will be run: a folder that others could have written to is not
    used. The reason is logged once.
    """
    folder = Path(platformdirs.user_cache_dir("neuralshade")) / "kernels"
    try:
        make_private_dir(folder)
        why = why_not_private(folder)
        if why is None:
            with tempfile.TemporaryFile(dir=folder) as probe:
                probe.write(bytes(ROOM_BYTES))
            return folder
    except OSError as error:
        log_uncached(f"{folder} cannot be written ({error})")
        return None
    log_uncached(f"{why}: what lies there would be run. Remove it, or set XDG_CACHE_HOME to a "
                  "folder of your own.")  # fmt: skip
    return None


@functools.cache
def log_uncached(why: str) -> None:
    """Log that kernels are not cached, once for each reason."""
    log.warning("kernels: they are compiled anew, since %s", why)


def check_file_limit(adapter_name: str) -> None:
    """Refuse to open a software device whose memory could not grow.

    Raises: DeviceError where files may have fewer than LEAST_LIMIT_BYTES.
    """
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
    if limit != resource.RLIM_INFINITY and limit < LEAST_LIMIT_BYTES:
        raise DeviceError(f"device: got a limit of {limit:,} bytes for files, need "
                          f"{LEAST_LIMIT_BYTES:,} or more: memory of {adapter_name} is a file. "
                          "Run: ulimit -f unlimited")  # fmt: skip
