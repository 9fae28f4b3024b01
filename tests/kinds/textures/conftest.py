"""What the tests of texture sets share: a set, and quick fits of one on the CPU."""

import pytest
from fixtures.texture_sets import small_set

from neuralshade import FitOptions
from neuralshade.kinds.textures.evaluate import compare
from neuralshade.kinds.textures.fit import fit_textures

FEW = {"steps": 30, "batch": 256, "hidden_width": 16, "precision": "float32"}


@pytest.fixture
def maps():
    """Give a set of maps, 32 x 32."""
    return small_set()


@pytest.fixture
def few():
    """Give settings of a fit that takes a tenth of a second."""
    return dict(FEW)


@pytest.fixture
def fitted(tmp_path):
    """Give a function that fits a set on the CPU, in a few steps but for what it is given."""

    def fitted(textures, name="x.nsh", *, observer=lambda progress: None, resume=None, **settings):
        options = FitOptions(engine="torch", device="cpu", resume=resume)
        return fit_textures(textures, tmp_path / name, options=options, observer=observer,
                            **FEW | settings)  # fmt: skip

    return fitted


@pytest.fixture(scope="session")
def compared(moss):
    """Give an asset beside other ways to keep its maps, which takes seconds."""
    return compare(moss.opened, moss.textures)
