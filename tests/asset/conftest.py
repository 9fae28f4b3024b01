"""Trained-looking fields, and the files made of them."""

import pytest
import torch

from neuralshade.asset.image import ImageHeader, save_image_asset
from neuralshade.asset.tensors import pack_field
from neuralshade.recipes.image import ImageRecipe
from neuralshade.recipes.image_build import build_field
from neuralshade.recipes.recipe import to_dict

SMALL = ImageRecipe(
    encoding="dense_grid:levels=2,features=2,coarsest=2,width=5,height=3",
    hidden_width=8,
    grid_bits=8,
)


@pytest.fixture
def header():
    picture = {"name": "a.png", "width": 5, "height": 3, "channels": 3, "color_space": "srgb",
               "dtype": "uint8", "digest": "0" * 64}  # fmt: skip
    training = {"steps": 7, "seconds": 0.5, "curve": [[1, 0.1, 0.3, 5.0], [7, 0.5, 0.01, 20.0]]}
    return ImageHeader(to_dict(SMALL), picture, training, {"psnr_db": 20.0})


@pytest.fixture
def field():
    return build_field(SMALL, 3, torch.Generator().manual_seed(3))


@pytest.fixture
def asset_path(tmp_path, header, field):
    path = tmp_path / "a.nsh"
    save_image_asset(path, header, pack_field(field))
    return path
