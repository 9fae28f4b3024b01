"""The command, and `python -m neuralshade`: loads the rest where Ctrl-C is one line, too."""

import atexit
import os
import signal
import sys
import threading
from contextlib import suppress
from typing import Any

TOOLS = 6  # that may monitor a process, by Python's numbers
INTERRUPTED = 130  # as a shell has it, which makes 128 + N of a signal's number


def main() -> None:
    """Run the command line and exit, with 130 and one line where Ctrl-C comes while it loads."""
    wait_asleep()
    arguments = sys.argv[1:]
    try:
        from neuralshade.base.bytecode_ahead import keep_names, read_ahead
        from neuralshade.base.deferred_modules import defer_parts_of_pytorch
        from neuralshade.base.garbage import freeze_with
        from neuralshade.cli import signals, streams

        read_ahead(arguments)
        defer_parts_of_pytorch()
        freeze_with("torch")
        streams.prepare()
        sys.argv[1:] = streams.with_own_output(sys.argv[1:])
        signals.heed()
        try:
            try:
                from neuralshade.cli.main import main as command_line
            except ImportError as error:
                _without_packages(error)
                return

            command_line()
        finally:
            signals.leave()
        keep_names(arguments)
        _end_process(0)
    except KeyboardInterrupt as error:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        print(f"neuralshade: {str(error) or 'interrupted.'}", file=sys.stderr)
        code = getattr(error, "code", INTERRUPTED)
        _end_process(code)  # Python's own end would meet a thread that still loads PyTorch
        sys.exit(code)
    except SystemExit as leaving:
        if leaving.code == INTERRUPTED:  # all is said: a key that bounces has nothing to end
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        _end_process(leaving.code)
        raise


def wait_asleep() -> None:
    """Let threads of PyTorch and NumPy, which load soon, sleep while they wait for each other.

    GNU's OpenMP, which PyTorch brings on Linux, lets them spin for a millisecond instead: on a core
    that something else wants, those that have work to do do not get to it. With both of two cores
    taken, a fit trained 0.62 M samples/s where it had 0.35, and drawing took up to 60 times as
    long. On idle cores this many turns are as fast as the usual ones; with none a fit is 30 %
    slower.

    OpenBLAS, which NumPy brings, lets them spin for 2^26 cycles, from its loading on: 2 s of CPU
    time on 16 cores. Eigenvectors of 300 x 300 took 60 ms on two cores beside other work, 5.7 with
    2^16 cycles, and without it 5.4 and 5.7. What the user says of either stands.
    """
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "16")
    if "OMP_WAIT_POLICY" not in os.environ:
        os.environ.setdefault("GOMP_SPINCOUNT", "10000")


def _without_packages(error: ImportError) -> None:
    """Say what is missing before any command can be read; the doctor needs no package."""
    from neuralshade.base.terminal_lines import columns_of
    from neuralshade.cli.streams import say

    if sys.argv[1:2] == ["doctor"]:
        from neuralshade.verbs.doctor.findings import examine
        from neuralshade.verbs.doctor.page import page

        print(page(examine(), columns_of(sys.stdout)))
        return
    say(f"neuralshade: got {type(error).__name__}: {error}, need every package that it was "
        "installed with. See neuralshade doctor.")  # fmt: skip
    sys.exit(1)


def _end_process(code: Any) -> None:
    """End the process at once, with all exit handlers run, unless something waits for its end.

    Python's own end takes apart what PyTorch and drivers made: 0.4 s after all was kept and said,
    measured on two cores. With a device whose work does not end it would wait for that, too.
    """
    device_wait = sys.modules.get("neuralshade.gpu.device_wait")
    if device_wait is not None:
        device_wait.end_process(code if isinstance(code, int) else 0)
    signaled = code in (INTERRUPTED, 128 + signal.SIGTERM, 129)  # SIGHUP, which Windows lacks, is 1
    if signaled or (isinstance(code, int) and not _is_followed()):
        atexit._run_exitfuncs()
        for stream in filter(None, (sys.stdout, sys.stderr)):
            with suppress(OSError):  # whom it went to is gone
                stream.flush()
        os._exit(code)


def _is_followed() -> bool:
    """Return whether a thread goes on, or a profiler, debugger or prompt is to see Python's end."""
    main_thread = threading.main_thread()
    goes_on = any(each is not main_thread and not each.daemon for each in threading.enumerate())
    monitoring = getattr(sys, "monitoring", None)  # of Python 3.12
    tools = [monitoring and monitoring.get_tool(number) for number in range(TOOLS)]
    return goes_on or any((sys.flags.inspect, sys.gettrace(), sys.getprofile(), *tools))


if __name__ == "__main__":
    main()
