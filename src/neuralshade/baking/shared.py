"""Jobs that share a part of their networks: the first of each group is fitted before the others."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

from neuralshade.baking.job import Job
from neuralshade.baking.plans.settings import FILE_FORMS, settings_of
from neuralshade.baking.stores.store import is_url
from neuralshade.errors import ConfigError

FLAG = "share"  # of kinds whose assets may take a part of another's


def shared_first(jobs: Sequence[Job], output: str) -> list[Job]:
    """Return jobs of which those of equal settings take the part of the first of them.

    Kinds without such a part stay, and so do jobs that name an asset by themselves.

    Raises: ConfigError where nothing can be shared, or ``output`` is a URL.
    """
    if is_url(output):
        raise ConfigError(f"share: got {output} for the assets, need a folder: fits read the "
                          "shared part from it. Leave --share out.")  # fmt: skip
    first: dict[str, Job] = {}
    found = [_sharing(job, first, output) for job in jobs]
    if not first:
        raise ConfigError("share: got no job whose kind shares a part, need materials. Leave "
                          "--share out.")  # fmt: skip
    return found


def _sharing(job: Job, first: dict[str, Job], output: str) -> Job:
    flag = settings_of(job.kind).flags.get(FLAG)
    if flag is None or flag.form not in FILE_FORMS or FLAG in job.settings:
        return job
    lender = first.setdefault(repr((job.kind, sorted(job.settings.items()))), job)
    if lender is job:
        return job
    path = os.path.join(os.path.abspath(output), lender.output)
    return replace(job, settings={**job.settings, FLAG: path}, after=(*job.after, lender.name))
