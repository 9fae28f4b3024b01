"""fit image --l2-penalty: smaller weights on both engines, and none of a grid's numbers changed."""

import pathlib

import numpy as np
import pytest

import neuralshade

PHOTO = pathlib.Path(__file__).parents[2] / "data" / "photo.png"


def fitted(path, engine, **settings):
    options = neuralshade.FitOptions(engine=engine, device="cpu" if engine == "torch" else None)
    neuralshade.fit_image(PHOTO, path, encoding="dense_grid:features=2,width=6,height=4", steps=40,
                          hidden_width=8, network_bits=32, grid_bits=32, average=0.0, seed=2,
                          options=options, precision="float32", **settings)  # fmt: skip
    return neuralshade.load(path).tensors


def size(tensors):
    weights = [v for name, v in tensors.items() if name.startswith("network")]
    return float(np.sqrt(sum(np.square(v.astype(np.float64)).sum() for v in weights)))


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["torch", "gpu"])
def test_weights_are_smaller(request, tmp_path, engine):
    if engine == "gpu":
        request.getfixturevalue("one_device")
    plain = fitted(tmp_path / "a.nsh", engine)
    small = fitted(tmp_path / "b.nsh", engine, l2_penalty=1.0)
    assert size(small) < 0.9 * size(plain)


def test_grids_have_none(tmp_path):
    one = fitted(tmp_path / "a.nsh", "torch", rate=1e-9)
    two = fitted(tmp_path / "b.nsh", "torch", rate=1e-9, l2_penalty=1.0)
    (grid,) = (name for name in one if "texels" in name)
    # the network hardly moves, so a penalty that reached the grid would be all the difference
    np.testing.assert_allclose(one[grid], two[grid], atol=1e-5)
    assert abs(one[grid]).max() > 0.05
