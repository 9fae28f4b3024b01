"""kinds, base/progress_scope: a report shows its current stage and their number."""

import pytest

import neuralshade
from neuralshade.base import progress_scope
from neuralshade.measure.plane.plane_view import PlaneView

PARTS = {"judging.report.SPHERE_PX": 24, "judging.report.PLANE_PX": 24, "judging.judge.SIDE_PX": 24,
         "judging.measures.PAIRS": 256, "judging.measures.PLACES": 64}  # fmt: skip
SMALL_PLANE = PlaneView(width=24, height=12)
# that of a family of mip levels is drawn as that of one set is
REPORTED = ("image", "splats", "textures", "material", "mipmaps")


@pytest.fixture
def begun(monkeypatch):
    """Return a list that gets every work that is begun."""
    found = []

    class Kept(progress_scope.ProgressScope):
        def __init__(self, *given):
            super().__init__(*given)
            found.append(self)

    monkeypatch.setattr(progress_scope, "ProgressScope", Kept)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("kind", REPORTED)
def test_every_stage_is_counted(kind, small_kinds, begun, monkeypatch, tmp_path):
    monkeypatch.setattr(PlaneView, "showing", lambda base: SMALL_PLANE)
    for place, size in PARTS.items():
        monkeypatch.setattr(f"neuralshade.kinds.material.{place}", size)
    asset, subject = small_kinds[kind].asset, small_kinds[kind].subject
    with progress_scope.working("a fit"):
        neuralshade.load(asset).report(subject, tmp_path / "page.html")
    (whole,) = (each for each in begun if each.what == "writing the report")
    assert whole.total >= 2 and whole.done == whole.total
    assert (tmp_path / "page.html").stat().st_size > 1000
