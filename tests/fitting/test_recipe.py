"""fitting/recipe, kinds/image/recipe: round trips, and every refusal word for word."""

import dataclasses
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neuralshade.base.toml_file import read_toml
from neuralshade.engine.engine_choice import PRECISIONS
from neuralshade.errors import ConfigError
from neuralshade.fitting import recipe as recipe_module
from neuralshade.fitting.recipe import fields_of, from_dict, setting, to_dict, type_of
from neuralshade.kinds.image import recipe as image_recipe
from neuralshade.kinds.image.recipe import ImageRecipe
from neuralshade.loss.pointwise import LOSSES
from neuralshade.model.activation import ACTIVATIONS
from neuralshade.optimizer.adam import GRID_OPTIMIZERS
from neuralshade.optimizer.schedule import SCHEDULES
from neuralshade.sampler.draw import SAMPLINGS
from neuralshade.source.transform import TRANSFORMS

FIELDS = [f.name for f in fields_of(ImageRecipe)]
TEXTS = ["auto", "identity", "frequency:octaves=3 + dense_grid:width=7", "hash_grid:levels=2"]


@st.composite
def recipes(draw) -> ImageRecipe:
    """Draw every field within its declared choices and limits."""
    values = {"encoding": draw(st.sampled_from(TEXTS))}
    for field in dataclasses.fields(ImageRecipe):
        wanted, limits = type_of(field), field.metadata["limits"]
        if field.metadata["choices"]:
            values[field.name] = draw(st.sampled_from(field.metadata["choices"]))
        elif field.name.endswith("_bits"):
            values[field.name] = draw(st.sampled_from([8, 16, 32]))
        elif wanted is bool:
            values[field.name] = draw(st.booleans())
        elif wanted is int:
            values[field.name] = draw(st.integers(int(limits[0]), int(limits[1])))
        elif wanted is float:
            values[field.name] = draw(st.floats(*limits))
    values["hidden_width"] = draw(st.just(0) | st.integers(8, 256))
    for end in draw(st.sets(st.sampled_from(["steps", "seconds", "target_psnr"]), max_size=2)):
        values[end] = None
    return ImageRecipe(**values)


def toml_of(values: dict) -> str:
    lines = [f"{name} = {json.dumps(value)}" for name, value in values.items() if value is not None]
    return "\n".join(lines)


@given(recipes())
@settings(max_examples=60, deadline=None)
def test_dict_and_json_round_trip(recipe):
    values = to_dict(recipe)
    assert list(values) == FIELDS
    assert from_dict(ImageRecipe, values) == recipe
    assert from_dict(ImageRecipe, json.loads(json.dumps(values))) == recipe


@given(recipes())
@settings(max_examples=30, deadline=None)
def test_toml_round_trip(tmp_path_factory, recipe):
    path = tmp_path_factory.getbasetemp() / "recipe.toml"
    path.write_text(toml_of(to_dict(recipe)), encoding="utf-8")
    absent = {name: None for name, value in to_dict(recipe).items() if value is None}
    assert from_dict(ImageRecipe, read_toml(path) | absent) == recipe


def test_no_settings_give_the_defaults_and_whole_numbers_become_floats():
    assert from_dict(ImageRecipe, {}) == ImageRecipe()
    recipe = from_dict(ImageRecipe, {"rate": 1, "seconds": 5})
    assert (recipe.rate, recipe.seconds) == (1.0, 5.0)
    assert type(recipe.rate) is float
    assert type(recipe.seconds) is float


def test_every_default_lies_within_its_limits_and_says_what_it_is():
    assert from_dict(ImageRecipe, to_dict(ImageRecipe())) == ImageRecipe()
    assert all(f.metadata["about"] for f in dataclasses.fields(ImageRecipe))


def test_names_equal_the_registries():
    assert tuple(ACTIVATIONS) == image_recipe.ACTIVATIONS
    assert tuple(GRID_OPTIMIZERS) == image_recipe.GRID_OPTIMIZERS
    assert tuple(LOSSES) == recipe_module.LOSSES
    assert tuple(PRECISIONS) == image_recipe.PRECISIONS
    assert SAMPLINGS == image_recipe.SAMPLINGS
    assert tuple(SCHEDULES) == recipe_module.SCHEDULES
    assert TRANSFORMS == image_recipe.TRANSFORMS


REFUSALS = [
    (
        {"hiden_width": 32},
        "ImageRecipe.hiden_width: unknown setting. Did you mean hidden_width? "
        f"There are {', '.join(FIELDS)}.",
    ),
    ({"zzzzzz": 1}, f"ImageRecipe.zzzzzz: unknown setting, need one of {', '.join(FIELDS)}."),
    (
        {"hidden_width": "32"},
        "ImageRecipe.hidden_width: got '32', need int. The default is 0.",
    ),
    ({"hidden_width": 32.0}, "ImageRecipe.hidden_width: got 32.0, need int. The default is 0."),
    ({"hidden_width": True}, "ImageRecipe.hidden_width: got True, need int. The default is 0."),
    ({"hidden_width": None}, "ImageRecipe.hidden_width: got None, need int. The default is 0."),
    ({"bpp": True}, "ImageRecipe.bpp: got True, need float. The default is 4.0."),
    ({"bpp": [4]}, "ImageRecipe.bpp: got [4], need float. The default is 4.0."),
    ({"bias": 1}, "ImageRecipe.bias: got 1, need bool. The default is True."),
    ({"encoding": 5}, "ImageRecipe.encoding: got 5, need str. The default is 'auto'."),
    ({"steps": 2.5}, "ImageRecipe.steps: got 2.5, need int. The default is None."),
    ({"bpp": 0}, "ImageRecipe.bpp: got 0.0, need 0.01 to 64. The default is 4.0."),
    ({"bpp": float("nan")}, "ImageRecipe.bpp: got nan, need 0.01 to 64. The default is 4.0."),
    ({"rate": float("inf")}, "ImageRecipe.rate: got inf, need 1e-09 to 10. The default is 0.01."),
    ({"hidden_layers": 9}, "ImageRecipe.hidden_layers: got 9, need 0 to 8. The default is 2."),
    ({"hidden_width": 7}, "ImageRecipe.hidden_width: got 7, need 0 or 8 to 256. 0 chooses by bpp."),
    (
        {"batch": 2**24 + 1},
        "ImageRecipe.batch: got 16777217, need 0 to 16777216. The default is 0.",
    ),
    (
        {"seed": 2**63},
        "ImageRecipe.seed: got 9223372036854775808, need 0 to 9223372036854775807. "
        "The default is 0.",
    ),
    (
        {"bpp": 10**400},
        "ImageRecipe.bpp: got a number of about 401 digits, need float. The default is 4.0.",
    ),
    (
        {"steps": -(10**5000)},  # Python refuses to write it out
        "ImageRecipe.steps: got a number of about 5001 digits, need 1 to 1000000000. "
        "The default is None.",
    ),
    (
        {"bpp": "4" * 100},
        f"ImageRecipe.bpp: got '{'4' * 79}..., need float. The default is 4.0.",
    ),
    (
        {"a\nb": 1},
        f"ImageRecipe.'a\\nb': unknown setting, need one of {', '.join(FIELDS)}.",
    ),
    ({"steps": 0}, "ImageRecipe.steps: got 0, need 1 to 1000000000. The default is None."),
    (
        {"activation": "Relu"},
        "ImageRecipe.activation: got 'Relu', need one of ['none', 'relu', 'leaky_relu', 'tanh', "
        "'sigmoid', 'exp', 'softplus', 'silu', 'hard_gelu', 'elu', "
        "'sine']. Did you mean relu?",
    ),
    (
        {"loss": "hinge"},
        "ImageRecipe.loss: got 'hinge', need one of ['auto', 'l1', 'l2', 'huber', 'log_l2', "
        "'relative_l2', 'log_l1', 'smape'].",
    ),
    (
        {"transform": "zom"},
        "ImageRecipe.transform: got 'zom', need one of ['identity', 'zoom', 'flip']. "
        "Did you mean zoom?",
    ),
    (
        {"grid_bits": 12},
        "ImageRecipe.grid_bits: got 12, need one of [4, 8, 16, 32]. "
        "Fewer bits make a smaller file.",
    ),
    (
        {"network_bits": 31},
        "ImageRecipe.network_bits: got 31, need one of [8, 16, 32]. "
        "Fewer bits make a smaller file.",
    ),
    (
        {"seconds": None},
        "ImageRecipe.steps: got None with no seconds and no target_psnr, need an end. "
        "Set one of the three.",
    ),
    (
        {"encoding": "hash_grid:levels=0"},
        "encoding hash_grid.levels: got '0', need a whole number from 1 to 32. "
        "Write for example levels=1.",
    ),
]


@pytest.mark.parametrize("values, message", REFUSALS, ids=[m[:40] for _, m in REFUSALS])
def test_refusals(values, message):
    with pytest.raises(ConfigError) as caught:
        from_dict(ImageRecipe, values)
    assert str(caught.value) == message


@dataclasses.dataclass(frozen=True)
class Unlimited:
    """A recipe whose number has no limits."""

    size: float = setting(1.0, "any")


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_what_is_not_finite_is_refused_without_limits_too(value):
    assert from_dict(Unlimited, {"size": -1e300}).size == -1e300
    with pytest.raises(ConfigError) as caught:
        from_dict(Unlimited, {"size": value})
    assert str(caught.value) == (
        f"Unlimited.size: got {value}, need a finite number. The default is 1.0."
    )


def test_each_end_alone_is_enough():
    for end, value in (("steps", 5), ("seconds", 0.5), ("target_psnr", 30.0)):
        recipe = from_dict(ImageRecipe, {"seconds": None, end: value})
        assert getattr(recipe, end) == value


@pytest.mark.parametrize(
    "content, reason",
    [
        (b"hidden_width = \n", "Invalid value (at line 1, column 16)"),
        (b"bpp = 1\nbpp = 2\n", "Cannot overwrite a value (at line 2, column 8)"),
    ],
)
def test_a_recipe_file_that_cannot_be_read_is_refused(content, reason, tmp_path):
    path = tmp_path / "recipe.toml"
    path.write_bytes(content)
    with pytest.raises(ConfigError) as caught:
        read_toml(path)
    assert str(caught.value) == (
        f"{path}: got {reason}, need a TOML file of recipe settings. "
        "Write lines such as hidden_width = 32."
    )


def test_what_is_no_text_is_no_recipe_file(tmp_path, same_message):
    (tmp_path / "recipe.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError) as caught:
        read_toml(tmp_path / "recipe.toml")
    same_message(str(caught.value), tmp_path / "recipe.toml", "Check")


@pytest.mark.parametrize("content", ["seed = " + "9" * 5000, "a = " + "[" * 100_000])
def test_a_recipe_file_that_python_gives_up_on_is_refused(content, tmp_path):
    (tmp_path / "recipe.toml").write_text(content)
    with pytest.raises(ConfigError) as caught:
        read_toml(tmp_path / "recipe.toml")
    assert str(caught.value).endswith(
        ", need a TOML file of recipe settings. Write lines such as hidden_width = 32."
    )
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name, reason", [("absent.toml", "no such file"), ("", "a folder")])
def test_a_wrong_path_of_a_recipe_file_is_refused(name, reason, tmp_path):
    with pytest.raises(ConfigError) as caught:
        read_toml(tmp_path / name)
    assert str(caught.value) == (
        f"{tmp_path / name}: got {reason}, need a TOML file of recipe settings. Check the path."
    )
