"""base/garbage: what loads with PyTorch is frozen once, in processes of our own alone."""

import subprocess
import sys

import pytest

FROZEN = """
import gc
from neuralshade.base.garbage import freeze_with
from neuralshade.base.lazy_import import import_object
{before}
import_object("json:dumps")
assert gc.get_freeze_count() == 0 and gc.isenabled()
import_object("graphlib:TopologicalSorter")
first = gc.get_freeze_count()
import_object("colorsys:rgb_to_hsv")
print(first > 1000, gc.get_freeze_count() <= first, gc.isenabled())
"""


@pytest.mark.parametrize("before, frozen", [("freeze_with('graphlib')", "True"), ("", "False")])
def test_what_stays_is_frozen_once_and_only_if_it_is_said(before, frozen):
    done = subprocess.run([sys.executable, "-c", FROZEN.format(before=before)],
                          capture_output=True, text=True, check=True)  # fmt: skip
    assert done.stdout.split() == [frozen, "True", "True"]
