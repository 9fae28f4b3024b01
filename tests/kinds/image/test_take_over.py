"""kinds/image/fit: what a running fit goes on from, given an asset: numbers, or a line."""

import numpy as np
import pytest
from fixtures import doors

import neuralshade
from neuralshade import AssetError, FitOptions
from neuralshade.asset.asset import read_asset, save_asset
from neuralshade.kinds.image.fit import _Job

FEW = {"steps": 8, "encoding": "dense_grid:width=12,height=8", "hidden_width": 8, "warmup": 0}


@pytest.fixture
def take_over(tmp_path, monkeypatch):
    """Return what takes an asset over in a fit that runs; what is raised there is raised here."""

    def take_over(change):
        options = FitOptions(engine="torch", device="cpu")
        settings = {"network_bits": 32, "grid_bits": 32, **FEW}
        photo = doors.DATA / "photo.png"
        neuralshade.fit_image(photo, tmp_path / "a.nsh", options=options, **settings)
        asset, path = read_asset(tmp_path / "a.nsh"), tmp_path / "b.nsh"
        asset.tensors["network.layers.2.bias"] = change(asset.tensors["network.layers.2.bias"])
        save_asset(path, "image", asset.header, asset.tensors)
        train = _Job.train

        def trained(job, checkpoint):
            before = {name: values.clone() for name, values in job.engine.state().items()}
            try:
                job.take_over(path)
            finally:
                taken.append((before, job.engine.state()))
            train(job, checkpoint)

        taken = []
        monkeypatch.setattr(_Job, "train", trained)
        try:
            neuralshade.fit_image(photo, tmp_path / "c.nsh", options=options, **settings)
        finally:
            ((before, after),) = taken
            changed.append(any(not before[name].equal(after[name]) for name in before))

    changed = []
    return take_over, changed


def test_an_asset_s_numbers_are_taken(take_over):
    take, changed = take_over
    take(lambda bias: bias + 0.25)
    assert changed == [True]


@pytest.mark.parametrize("value, got", [
    (np.nan, "b.nsh: got NaN or infinity in tensor 'network.layers.2.bias', need finite numbers. "
     "Fit it again."),
    (np.inf, "b.nsh: got NaN or infinity in tensor 'network.layers.2.bias', need finite numbers. "
     "Fit it again."),
    (3e38, "b.nsh: got colors beyond 1e+15, need numbers to go on from. Show the asset instead."),
])  # fmt: skip
def test_numbers_that_end_the_fit_are_refused(take_over, value, got):
    """A page may give an asset to the fit that runs: the fit stays as it was."""
    take, changed = take_over
    with pytest.raises(AssetError) as caught:
        take(lambda bias: np.full_like(bias, value))
    assert str(caught.value).endswith(got) and changed == [False]
