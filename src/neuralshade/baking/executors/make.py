"""One job of a bake, made in this process: fetch, resume or fit, stamp, publish."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

from neuralshade.asset.file import AssetFile, is_asset_file, read_asset_file, to_bytes
from neuralshade.baking.executors.call import call_of
from neuralshade.baking.executors.executor import Ended, Lost
from neuralshade.baking.executors.gpu_meter import GpuMeter
from neuralshade.baking.job import FAILED, KEPT, MADE, Job, Row
from neuralshade.baking.plans.digest import FileDigests, FileStamps, job_digest
from neuralshade.baking.plans.settings import manifest_words, settings_of
from neuralshade.baking.stores.fetch_ahead import AheadFolder
from neuralshade.baking.stores.local_inputs import local_inputs, source_bytes
from neuralshade.baking.stores.store import Store
from neuralshade.baking.stores.stored import STAMP, Stored, worker_name
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

STAMPED = "stamped.tmp"  # file beside an asset; no asset's own name
log = logging.getLogger("neuralshade")
DIGESTS = FileDigests()  # of what this process has read
PASSING = (OutputError, DeviceError, FitInterrupted)  # another attempt may do better


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
    there = None if job.force else Stored.of(job.output, store)
    if there is not None and there.has_stamp(stamp):
        return there.row(replace(job, digest=there.digest), KEPT)
    job = replace(job, digest=job.digest or job_digest(job, DIGESTS))
    if there is not None and there.is_same(job):
        return there.row(job, KEPT)
    return _made(job, store, ahead, begun, {"stamp": stamp} if stamp else {})


def _made(job: Job, store: Store, ahead: AheadFolder | None, begun: float,
          facts: Mapping[str, Any]) -> Row:  # fmt: skip
    with store.work(job) as folder:
        there = Stored.of(job.output, store) if store.locks and not job.force else None
        if there is not None and there.is_same(job):  # of whom had the folder until now
            return there.row(job, KEPT)
        asset = folder / PurePosixPath(job.output).name
        stamp, on_gpu = _finished_before(asset, job), None
        if stamp is None:
            with local_inputs(job.subject, ahead) as subject:
                with GpuMeter() as meter:
                    result = _fit(job, subject, asset)
                read, on_gpu = source_bytes(subject), meter.bytes
            stamp = {"seconds": time.monotonic() - begun, "source_bytes": read,
                     **_sizes(asset, result), **facts}  # fmt: skip
            stamp |= {"digest": job.digest} if job.digest else {}
        header = _stamped(asset, stamp)
        size = asset.stat().st_size
        store.publish(asset, job.output)
    return replace(Stored(header, stamp, size).row(job, MADE), gpu_bytes=on_gpu)


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


def _sizes(asset: Path, result: Any) -> dict[str, Any]:
    """Return what the kind of an asset knows of its sizes; the header alone does not tell them.

    ``pixels``: of a picture, or the texels of a set's mip 0. ``result``: of the fit, which has
    looked at the memory already: that takes longer than opening the asset.
    """
    try:
        with open_asset(asset) as opened:
            bits = opened.bits_per_pixel
            return {"memory_bytes": getattr(result, "memory_bytes", None),
                    "pixels": round(8 * opened.byte_count / bits) if bits else None}  # fmt: skip
    except Exception as error:  # made all the same, whatever a kind of a plug-in does
        log.info("%s: got no sizes. %s", asset, error)
        return {}


def _fit(job: Job, subject: tuple[str, ...], asset: Path) -> Any:
    """Return the result of the fit, from the checkpoint of an earlier attempt if there is one."""
    checkpoint = checkpoint_path(asset)
    if os.path.isfile(checkpoint):
        try:
            return _called(job, subject, asset, {"resume": str(checkpoint)})
        except PASSING:
            raise
        except NeuralShadeError:  # of a kind that has no resume, or damaged: from the start
            checkpoint.unlink(missing_ok=True)
    return _called(job, subject, asset, {})


def _called(job: Job, subject: tuple[str, ...], asset: Path, options: Mapping[str, Any]) -> Any:
    call = call_of(job, subject, str(asset), options)
    return call.fit(*call.subject, **call.named)


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
