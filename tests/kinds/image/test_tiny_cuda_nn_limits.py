"""tiny_cuda_nn: numbers out of bounds, those that JSON as Python reads it may hold too."""

import pytest

from neuralshade.errors import ConfigError
from neuralshade.fitting.recipe import from_dict
from neuralshade.kinds.image.recipe import ImageRecipe
from neuralshade.kinds.image.tiny_cuda_nn import from_tiny_cuda_nn
from neuralshade.model.registry import parse_encoding


def growth_message(got: str, most: float) -> str:
    return (f"encoding.per_level_scale: got {got}, need 1 to {most} for 16 levels from 16. "
            f"Set it to {most} for the finest grid.")  # fmt: skip


@pytest.mark.parametrize("kind, most", [("HashGrid", 2.0945), ("DenseGrid", 1.7411)])
@pytest.mark.parametrize("growth", [1e300, 0.99, 0, -2.0, 2.0946])
def test_a_growth_out_of_bounds_is_refused(kind, most, growth):
    with pytest.raises(ConfigError) as caught:
        from_tiny_cuda_nn({"encoding": {"otype": kind, "per_level_scale": growth}})
    assert str(caught.value) == growth_message(str(growth), most)
    finest = from_tiny_cuda_nn({"encoding": {"otype": kind, "per_level_scale": most}})["encoding"]
    assert parse_encoding(finest)


@pytest.mark.parametrize("growth", [float("inf"), float("nan")])
def test_a_growth_that_is_not_finite_is_refused(growth):
    """JSON as Python reads it may say 1e999 or NaN."""
    with pytest.raises(ConfigError) as caught:
        from_tiny_cuda_nn({"encoding": {"otype": "HashGrid", "per_level_scale": growth}})
    assert str(caught.value) == (
        f"encoding.per_level_scale: got {growth}, need finite float. tiny-cuda-nn's default is 2.0."
    )


@pytest.mark.parametrize("values", [{"n_levels": 0}, {"n_levels": 99}, {"base_resolution": 0}])
def test_sizes_out_of_bounds_are_refused_when_the_encoding_is_read(values):
    text = from_tiny_cuda_nn({"encoding": {"otype": "HashGrid", **values}})["encoding"]
    with pytest.raises(ConfigError, match=r"^encoding hash_grid\.(levels|coarsest): got '"):
        parse_encoding(text)


def test_one_level_does_not_grow():
    config = {"otype": "HashGrid", "n_levels": 1, "base_resolution": 7, "per_level_scale": 0.5}
    assert "finest=7" in from_tiny_cuda_nn({"encoding": config})["encoding"]


def test_numbers_beyond_our_limits_are_refused_when_the_recipe_is_made():
    settings = from_tiny_cuda_nn({"network": {"n_neurons": 512}})
    with pytest.raises(ConfigError, match=r"^ImageRecipe\.hidden_width: got 512, need 0 to 256\."):
        from_dict(ImageRecipe, settings)
