"""kinds/image/tiny_cuda_nn_encodings: composites, whose parts see both coordinates or one."""

import pytest

from neuralshade.errors import ConfigError
from neuralshade.kinds.image.tiny_cuda_nn import from_tiny_cuda_nn
from neuralshade.model.registry import parse_encoding

GRID = {"otype": "DenseGrid", "n_levels": 1, "base_resolution": 9, "n_features_per_level": 3}
OUR_GRID = "dense_grid:levels=1,features=3,coarsest=9,width=9,height=9"


def encoding(*nested, **more):
    found = from_tiny_cuda_nn({"encoding": {"otype": "Composite", "nested": [*nested], **more}})
    parse_encoding(found["encoding"])  # it can be built
    return found["encoding"]


def refusal(*nested, **more):
    with pytest.raises(ConfigError) as caught:
        encoding(*nested, **more)
    return str(caught.value)


def test_one_encoding_of_all_that_there_is():
    assert encoding({"n_dims_to_encode": 2, **GRID}) == OUR_GRID
    assert encoding(GRID) == OUR_GRID  # the last one has the rest
    assert encoding(GRID, reduction="Concatenation") == OUR_GRID


def test_encodings_of_the_same_coordinates_are_joined():
    both = {"dims_to_encode_begin": 0, "n_dims_to_encode": 2}
    wave = {"otype": "TriangleWave", "n_frequencies": 6}
    assert encoding(both | GRID, both | wave, {"dims_to_encode_begin": 0, "otype": "OneBlob"}) == (
        f"{OUR_GRID} + triangle_wave:octaves=6 + one_blob:bins=16"
    )


@pytest.mark.parametrize("nested, ours", [
    (
        [{"n_dims_to_encode": 1, "otype": "Frequency"}, {"otype": "OneBlob"}],
        "frequency:octaves=12,first=0,dimensions=1 + one_blob:bins=16,first=1,dimensions=1",
    ),
    (  # the one that says nothing takes what later ones leave
        [{"otype": "Identity"}, {"n_dims_to_encode": 1, "otype": "TriangleWave"}],
        "identity:first=0,dimensions=1 + triangle_wave:octaves=12,first=1,dimensions=1",
    ),
    (
        [{"dims_to_encode_begin": 1, "n_dims_to_encode": 1, "otype": "Identity"},
         {"dims_to_encode_begin": 0, "n_dims_to_encode": 2, **GRID, "interpolation": "Smoothstep"}],
        f"identity:first=1,dimensions=1 + {OUR_GRID},smooth=1",
    ),
])  # fmt: skip
def test_encodings_of_one_coordinate_each(nested, ours):
    assert encoding(*nested) == ours


def test_an_encoding_for_which_nothing_is_left_is_passed_over_with_a_line(caplog):
    assert encoding({"n_dims_to_encode": 2, **GRID}, {"otype": "Identity"}) == OUR_GRID
    assert caplog.messages == [
        "encoding.nested[1]: passed over, since no coordinate is left for it."
    ]


@pytest.mark.parametrize("nested, place, got", [
    ([{"n_dims_to_encode": 3, "dims_to_encode_begin": 0, **GRID}], 0, "3 from 0"),
    ([{"dims_to_encode_begin": 3, **GRID}], 0, "-1 from 3"),
    ([{"n_dims_to_encode": -1, **GRID}], 0, "-1 from 0"),
])  # fmt: skip
def test_coordinates_that_a_picture_has_not_are_refused_by_name(nested, place, got):
    assert refusal(*nested) == (
        f"encoding.nested[{place}].n_dims_to_encode: got {got}, need them among 2: a picture has "
        "two coordinates. Set dims_to_encode_begin to 0 and n_dims_to_encode to 2."
    )


def test_coordinates_that_do_not_add_up_are_refused_by_name(same_message):
    message = refusal(GRID | {"n_dims_to_encode": 2}, GRID | {"n_dims_to_encode": 1})
    same_message(message, "encoding.nested", "dims_to_encode_begin")
    message = refusal({"otype": "Identity"}, {"otype": "OneBlob"})
    same_message(message, "encoding.nested[1].n_dims_to_encode", "Set")
    one = {"n_dims_to_encode": 1, "otype": "Identity"}
    same_message(refusal(one), "encoding", "first")


def test_a_grid_of_one_coordinate_is_refused_by_name(same_message):
    message = refusal({"dims_to_encode_begin": 1, **GRID})
    same_message(message, "encoding.nested[0].n_dims_to_encode", "dims_to_encode_begin")


def test_what_else_is_refused():
    assert refusal(GRID, reduction="Sum").startswith("encoding.reduction: got 'Sum', need ")
    assert refusal({"otype": "Composite", "nested": [GRID]}).startswith(
        "encoding.nested[0].otype: got 'Composite', need one of ['Identity', ")  # fmt: skip
    assert refusal(GRID | {"hash": "x"}).startswith("encoding.nested[0].hash: unknown ")
    assert refusal("OneBlob").startswith("encoding.nested[0]: got str, need a JSON object")


def test_a_size_of_a_hash_map_that_a_dense_grid_has_not_is_passed_over(caplog):
    for given in ({"otype": "DenseGrid"}, {"otype": "Grid", "type": "Dense"}):
        caplog.clear()
        config = GRID | given | {"log2_hashmap_size": 15}
        assert from_tiny_cuda_nn({"encoding": config})["encoding"] == OUR_GRID
        assert caplog.messages == ["encoding.log2_hashmap_size: got 15, which is passed over: a "
                                   "dense grid has all of its texels."]  # fmt: skip
