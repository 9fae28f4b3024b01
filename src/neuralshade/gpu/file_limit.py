"""The limit on the size of files, which is one on the memory of software Vulkan. POSIX alone."""

from neuralshade.errors import DeviceError

# Mesa's software devices have their memory in a file without a name, which grows unchecked: beyond
# the limit the kernel ends the process for it (SIGBUS).
LEAST_BYTES = 2**30


def check_file_limit(adapter_name: str) -> None:
    """Refuse to open a software device whose memory could not grow.

    Raises: DeviceError where files may have fewer than LEAST_BYTES.
    """
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
    if limit != resource.RLIM_INFINITY and limit < LEAST_BYTES:
        raise DeviceError(f"device: got a limit of {limit:,} bytes for files, need "
                          f"{LEAST_BYTES:,} or more: memory of {adapter_name} is a file. Run: "
                          "ulimit -f unlimited")  # fmt: skip
