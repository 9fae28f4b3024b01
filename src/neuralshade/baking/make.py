"""One job of a bake, made in this process: fetch, resume or fit, stamp, publish."""

from __future__ import annotations

import logging
import os
import platform
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

from neuralshade.asset.file import AssetFile, is_asset_file, read_asset_file, to_bytes
from neuralshade.baking.call import call_of
from neuralshade.baking.digest import FileDigests, FileStamps, job_digest
from neuralshade.baking.executor import Ended, Lost
from neuralshade.baking.fetch_ahead import AheadFolder
from neuralshade.baking.gpu_meter import GpuMeter
from neuralshade.baking.job import FAILED, KEPT, MADE, Job, Row
from neuralshade.baking.local_inputs import local_inputs, source_bytes
from neuralshade.baking.settings import manifest_words, settings_of
from neuralshade.baking.store import Store
from neuralshade.base.atomic import DISK_ERRNOS
from neuralshade.base.message_text import plain
from neuralshade.base.out_of_memory import out_of_memory_message
from neuralshade.base.plugins import one_line_error
from neuralshade.base.version import VERSION
from neuralshade.errors import (
    AssetError,
    DeviceError,
    FitInterrupted,
    NeuralShadeError,
    OutputError,
)
from neuralshade.fitting.output_checks import checkpoint_path
from neuralshade.kinds import open_asset

STAMP = "bake"  # part of an asset's header
STAMPED = "stamped.tmp"  # file beside an asset; no asset's own name
log = logging.getLogger("neuralshade")
DIGESTS = FileDigests()  # of what this process has read
PASSING = (OutputError, DeviceError, FitInterrupted)  # another attempt may do better


def worker_name() -> str:
    """Return "HOST:PID" of this process."""
    return f"{platform.node()}:{os.getpid()}"


def wrong_version(version: str) -> str | None:
    """Return why this worker may not work for a driver of ``version``; None where it may.

    Assets of one bake must not depend on the machine that they were made on.
    """
    if version == VERSION:
        return None
    return (f"worker {worker_name()}: got neuralshade {VERSION}, need {version}, which the driver "
            "has. Install the same version on every machine.")  # fmt: skip


def make(job: Job, store: Store, ahead: AheadFolder | None = None) -> Ended | Lost:
    """Make one asset and return its row; Lost where another attempt may do better.

    ``ahead``: with copies of inputs by URL.

    That is so for a full disk, a GPU that no longer answers, too little memory, an interruption
    and a bug. A refused input or setting is final, and so is an output that is there already.
    """
    begun = time.monotonic()
    try:
        row = _row_of(job, store, ahead, begun)
    except PASSING as error:
        return Lost(job.name, plain(str(error)), sound=isinstance(error, OutputError))
    except NeuralShadeError as error:
        if memory := _memory_message(error):
            return Lost(job.name, memory)
        seconds = time.monotonic() - begun
        message = plain(manifest_words(settings_of(job.kind).kind, str(error)))
        row = Row(job.name, job.kind, job.output, FAILED, message, seconds=seconds,
                  digest=job.digest, worker=worker_name())  # fmt: skip
    except Exception as error:  # reported with its job, so that the others go on
        if disk := _disk_message(error):
            return Lost(job.name, disk, sound=True)
        bug = (f"{job.output}: got {plain(one_line_error(error))}, which is a bug. Report it with "
               "the command.")  # fmt: skip
        return Lost(job.name, _memory_message(error) or bug)
    return Ended(job.name, row)


def _memory_message(error: BaseException) -> str | None:
    """Return the message for too little memory, also where an error of ours came of it."""
    cause = error.__cause__
    return out_of_memory_message(error) or (cause and out_of_memory_message(cause)) or None


def _disk_message(error: Exception) -> str | None:
    if not isinstance(error, OSError) or error.errno not in DISK_ERRNOS:
        return None
    return f"{error.filename or 'disk'}: got '{error.strerror}', need room. Free some space."


def _row_of(job: Job, store: Store, ahead: AheadFolder | None, begun: float) -> Row:
    """Return the row of an output that is there already, or make it.

    Names, sizes and times of the inputs are compared first: reading them may take longer.
    """
    stamp = "" if job.digest else job_digest(job, FileStamps())
    there = None if job.force else _Stored.of(job, store)
    if there is not None and stamp and there.stamp.get("stamp") == stamp:
        return there.row(replace(job, digest=str(there.stamp.get("digest"))))
    job = replace(job, digest=job.digest or job_digest(job, DIGESTS))
    if there is not None and there.is_same(job):
        return there.row(job)
    return _made(job, store, ahead, begun, {"stamp": stamp} if stamp else {})


@dataclass(frozen=True)
class _Stored:
    """An output that a bake wrote earlier, with its stamp."""

    header: Mapping[str, Any]
    stamp: Mapping[str, Any]
    size: int | None

    @classmethod
    def of(cls, job: Job, store: Store) -> _Stored | None:
        header = store.header(job.output)
        stamp = header and header.get(STAMP)
        if not header or not isinstance(stamp, dict):
            return None
        return cls(header, stamp, store.size(job.output))

    def is_same(self, job: Job) -> bool:
        """Return whether it was made of the same inputs and settings, by the same version."""
        return bool(job.digest) and self.stamp.get("digest") == job.digest

    def row(self, job: Job) -> Row:
        return _row(job, KEPT, self.header, self.stamp, self.size)


def _made(job: Job, store: Store, ahead: AheadFolder | None, begun: float,
          facts: Mapping[str, Any]) -> Row:  # fmt: skip
    with store.work(job) as folder:
        there = _Stored.of(job, store) if store.locks and not job.force else None
        if there is not None and there.is_same(job):  # of whom had the folder until now
            return there.row(job)
        asset = folder / PurePosixPath(job.output).name
        stamp, on_gpu = _finished_before(asset, job), None
        if stamp is None:
            with local_inputs(job.subject, ahead) as subject:
                with GpuMeter() as meter:
                    _fit(job, subject, asset)
                read, on_gpu = source_bytes(subject), meter.bytes
            stamp = {"seconds": time.monotonic() - begun, "source_bytes": read,
                     **_sizes(asset), **facts}  # fmt: skip
            stamp |= {"digest": job.digest} if job.digest else {}
        header = _stamped(asset, stamp)
        size = asset.stat().st_size
        store.publish(asset, job.output)
    return replace(_row(job, MADE, header, stamp, size), gpu_bytes=on_gpu)


def _finished_before(asset: Path, job: Job) -> dict[str, Any] | None:
    """Return the stamp of an asset that an earlier attempt wrote, but did not publish."""
    if not job.digest or not os.path.isfile(asset) or not is_asset_file(asset):
        return None
    try:
        stamp = read_asset_file(asset).header.get(STAMP)
    except AssetError:  # the power failed before it was on the disk
        return None
    same = isinstance(stamp, dict) and stamp.get("digest") == job.digest
    return stamp if same else None


def _sizes(asset: Path) -> dict[str, Any]:
    """Return what a kind knows of its asset's sizes; the header alone does not tell them.

    ``pixels``: of a picture, or the texels of a set's mip 0.
    """
    try:
        with open_asset(asset) as opened:
            bits = opened.bits_per_pixel
            return {"memory_bytes": opened.memory_bytes,
                    "pixels": round(8 * opened.byte_count / bits) if bits else None}  # fmt: skip
    except Exception as error:  # made all the same, whatever a kind of a plug-in does
        log.info("%s: got no sizes. %s", asset, error)
        return {}


def _fit(job: Job, subject: tuple[str, ...], asset: Path) -> None:
    """Run the fit, from the checkpoint of an earlier attempt where there is one."""
    checkpoint = checkpoint_path(asset)
    if os.path.isfile(checkpoint):
        try:
            _called(job, subject, asset, {"resume": str(checkpoint)})
            return
        except PASSING:
            raise
        except NeuralShadeError:  # of a kind that has no resume, or damaged: from the start
            checkpoint.unlink(missing_ok=True)
    _called(job, subject, asset, {})


def _called(job: Job, subject: tuple[str, ...], asset: Path, options: Mapping[str, Any]) -> None:
    call = call_of(job, subject, str(asset), options)
    call.fit(*call.subject, **call.named)


def _stamped(asset: Path, stamp: Mapping[str, Any]) -> dict[str, Any]:
    """Write the stamp into an asset's header and return that; {} for other files."""
    if not is_asset_file(asset):
        return {}
    file = read_asset_file(asset)
    if file.header.get(STAMP) == dict(stamp):
        return file.header
    parts = {name: value for name, value in file.header.items() if name not in ("checksum",)}
    stamped = asset.with_name(STAMPED)  # not flushed to the disk: the store does that
    stamped.write_bytes(to_bytes(AssetFile({**parts, STAMP: dict(stamp)}, file.tensors)))
    os.replace(stamped, asset)
    return file.header


def _row(job: Job, state: str, header: Mapping[str, Any], stamp: Mapping[str, Any],
         asset_bytes: int | None) -> Row:  # fmt: skip
    quality = header.get("quality")
    psnr = quality.get("psnr_db") if isinstance(quality, dict) else None
    pixels = _whole(stamp.get("pixels"))
    bits = 8 * asset_bytes / pixels if asset_bytes and pixels else None
    return Row(job.name, job.kind, job.output, state, seconds=_number(stamp.get("seconds")) or 0.0,
               psnr_db=_number(psnr), asset_bytes=asset_bytes,
               memory_bytes=_whole(stamp.get("memory_bytes")),
               source_bytes=_whole(stamp.get("source_bytes")),
               bits_per_pixel=None if bits is None else round(bits, 4), digest=job.digest,
               worker=worker_name())  # fmt: skip


def _number(value: Any) -> float | None:
    """Return a number of a header, which anybody may have written; None for anything else."""
    return float(value) if isinstance(value, (int, float)) else None


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and 0 <= value < 2**53 else None
