"""model/foreign_encoding: encodings of installed packages, looked at before they are used."""

import pytest

from neuralshade.errors import ConfigError
from neuralshade.fitting.recipe import from_dict
from neuralshade.kinds.image.recipe import ImageRecipe
from neuralshade.kinds.splats.recipe import SplatsRecipe
from neuralshade.model.registry import (
    build_encoding,
    format_encoding,
    parameter_count,
    parse_encoding,
)
from neuralshade.testing import check_encoding

HEAD = "from neuralshade.model.encoding import AxisEncoding, Encoding\n"
SMALL = (
    HEAD + "class E(Encoding):\n    limits = {limits}\n    def __init__(self, {settings}): pass\n"
)
UNFIT = {  # module's text: what was got, what is needed
    "E = 7": ("int", "a class derived from neuralshade.model.encoding.Encoding"),
    "class E: pass": ("E", "a class derived from neuralshade.model.encoding.Encoding"),
    SMALL.format(limits="{}", settings="n=3"):
        ("setting n with default 3, limits None", "a whole number within its two limits"),
    SMALL.format(limits="{'n': (4, 9)}", settings="n=3"):
        ("setting n with default 3, limits (4, 9)", "a whole number within its two limits"),
    SMALL.format(limits="{'n': (0, 9)}", settings="n=.5"):
        ("setting n with default 0.5, limits (0, 9)", "a whole number within its two limits"),
    HEAD + "class E(AxisEncoding):\n    def __init__(self): pass\n":
        ("an AxisEncoding without dimensions=2", "that in its constructor"),
}  # fmt: skip


@pytest.mark.parametrize("text, dimensions", [
    ("powers:degree=5", 2), ("planes:count=3", 2),
    pytest.param("powers:degree=2 + planes", 2, marks=pytest.mark.slow),
    ("powers:degree=2,dimensions=1 + powers:first=1", 3),
])  # fmt: skip
def test_both_halves_agree(outside, gpu, text, dimensions):
    check_encoding(text, dimensions=dimensions, gpu=gpu)


def test_a_text_names_it_as_it_names_our_own(outside, refusal, same_message):
    parts = parse_encoding("planes + powers : degree = 2")
    assert parts == [("planes", {"count": 4}), ("powers", {"degree": 2})]
    assert parse_encoding(format_encoding(parts)) == parts
    assert parameter_count("planes:count=5 + powers") == 15
    message = refusal(ConfigError, parse_encoding, "powers:degree=9")
    same_message(message, "encoding powers.degree", "degree")
    assert refusal(ConfigError, parse_encoding, "power").endswith(
        "'dense_grid', 'hash_grid', 'staggered_grid', 'tile_grid', 'planes', 'powers']. "
        "Did you mean powers?"
    )


@pytest.mark.parametrize("text", UNFIT)
def test_what_is_no_encoding_is_refused(installed, refusal, text):
    module = f"unfit_{abs(hash(text))}"  # a module of each name is imported once
    installed("odd", "0.1", {"neuralshade.encodings": {"odd": f"{module}:E"}}, **{module: text})
    got, need = UNFIT[text]
    assert refusal(ConfigError, build_encoding, "odd", None) == (
        f"encoding odd: got {got} from odd 0.1, need {need}. Tell its authors."
    )


def test_a_loss_is_named_by_recipes_that_have_one(outside, refusal, same_message):
    assert from_dict(ImageRecipe, {"loss": "cauchy"}).loss == "cauchy"
    assert from_dict(SplatsRecipe, {"loss": "cauchy"}).loss == "cauchy"
    message = refusal(ConfigError, from_dict, SplatsRecipe, {"loss": "couchy"})
    same_message(message, "SplatsRecipe.loss", "cauchy?")
