"""kinds: a fit that is interrupted after its last step goes on to what it would have become."""

import numpy as np
import pytest

import neuralshade
from neuralshade import FitInterrupted, FitOptions
from neuralshade.fitting.callbacks import Callbacks
from neuralshade.kinds import all_kinds, kind_named

FITTED = [kind.name for kind in all_kinds() if kind.fits is not None]
LONG = ("mipmaps", "shader", "splats", "material")  # every fit takes seconds
WALKED = [pytest.param(n, marks=pytest.mark.slow) if n in LONG else n for n in FITTED]
UNORDERED = ("splats", "shader")  # sums have another order in each run


@pytest.mark.parametrize("name", WALKED)
def test_each_phase_interrupted_in_turn(tmp_path, small_kinds, request, monkeypatch, name):
    """One fit, interrupted at the beginning of its first phase, resumed, at its second..."""
    small, kind = small_kinds[name], kind_named(name)
    if "engine" not in kind.takes:
        request.getfixturevalue("device")
    settings = dict(small.settings)
    if name in ("image", "textures"):
        settings["polish"] = 2
    phases, skipped = [], [None]

    def begin(self, what):
        phases.append(what)
        if skipped[0] is not None and len(phases) > skipped[0]:
            raise KeyboardInterrupt

    monkeypatch.setattr(Callbacks, "finishing", begin)
    suffix = "" if kind.output_form == "DIR" else ".nsh"
    whole = kind.fit(small.subject, tmp_path / f"whole{suffix}", **settings)
    assert phases
    count, parted, resume = len(phases), tmp_path / f"parted{suffix}", None
    for number in range(count):
        phases.clear()
        skipped[0] = number
        try:
            kind.fit(small.subject, parted, options=FitOptions(resume=resume), **settings)
            pytest.fail("it was not interrupted")
        except FitInterrupted as error:
            told = str(error)
        kept = list(tmp_path.rglob("*.checkpoint.nsh"))
        if not kept:  # all is written but the report
            assert "is written" in told
            break
        (resume,) = kept
    else:
        skipped[0] = None
        kind.fit(small.subject, parted, options=FitOptions(resume=resume), **settings)
    one, two = (neuralshade.load(asset) for asset in (whole.asset, whole.asset.replace(
        "whole", "parted")))  # fmt: skip
    if name in UNORDERED:
        pictures = [neuralshade.render(asset.path, size=(9, 7), stretch=True, values=small.given)
                    for asset in (one, two)]  # fmt: skip
        assert np.abs(pictures[0] - pictures[1]).mean() < 0.02
        return
    assert one.tensors.keys() == two.tensors.keys()
    for tensor, values in one.tensors.items():
        np.testing.assert_array_equal(values, two.tensors[tensor])
