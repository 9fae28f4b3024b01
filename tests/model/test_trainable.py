"""model/trainable: members of a task, where they lie, begin, and what is refused."""

import numpy as np
import pytest
import torch

from neuralshade.errors import ConfigError
from neuralshade.gpu.slang_reflection import Field
from neuralshade.model.dense_grid import DenseGrid
from neuralshade.model.hash_grid import HashGrid
from neuralshade.model.mlp import MLP
from neuralshade.model.trainable import FREE, InputMember, arrays_of, first_numbers, members_of

RATE = {"Trainable": (0.5,)}


def field(name, of_type, default=None, has_default=None, **attributes):
    given = {key: value if isinstance(value, tuple) else (value,)
             for key, value in attributes.items()}  # fmt: skip
    return Field(name, of_type, given, default, default is not None if has_default is None
                 else has_default)  # fmt: skip


def trained(of_type, **attributes):
    return field("a", of_type, Trainable=0.5, **attributes)


@pytest.mark.parametrize("of_type, kind, shape", [
    ("float", "numbers", ()),
    ("vector<float,3>", "numbers", (3,)),
    ("matrix<float,2,4>", "numbers", (2, 4)),
    ("float[9]", "numbers", (9,)),
    ("vector<float,2>[3][2]", "numbers", (2, 3, 2)),
    ("matrix<float,3,4>[5]", "numbers", (5, 3, 4)),
    ("Texture<float>", "texture", (4, 6, 1)),
    ("Texture<vector<float,4>>", "texture", (4, 6, 4)),
    ("Network<2, 3, 1, 8, Relu, None>", "network", (2 * 8 + 8 + 8 * 3 + 3,)),
    ("GridEncoding<1, 3, 16, 5, 3>", "encoding", (5 * 3 * 3 + 1,)),  # an even number of them
    ("GridEncoding<2, 2, 4, 8, 6>", "encoding", ((4 * 3 + 8 * 6) * 2,)),
    ("HashEncoding<2, 2, 4, 2, 8>", "encoding", ((3 * 3 + 16) * 2,)),
])  # fmt: skip
def test_kinds_and_shapes(of_type, kind, shape):
    size = {"Size": (6.0, 4.0)} if kind == "texture" else {}
    (member,), given = members_of([trained(of_type, **size)], {}, "t.slang")
    assert (member.kind, member.shape, member.size) == (kind, shape, int(np.prod(shape)))
    assert (member.rate, member.low, member.high, given) == (0.5, -FREE, FREE, [])


def test_members_lie_one_behind_the_other_and_others_are_given():
    fields = [
        trained("vector<float,3>", Start=0.75, Range=(0.0, 1.0)),
        field("photo", "Picture<vector<float,3>>"),
        field("b", "float", 0.25, Trainable=1.0),
        field("count", "uint", 3.0),
        field("on", "bool", has_default=True),
    ]
    members, given = members_of(fields, {}, "t.slang")
    assert [(m.name, m.first, m.start) for m in members] == [("a", 0, 0.75), ("b", 3, 0.25)]
    assert given == [
        InputMember("photo", "Picture<vector<float,3>>", 3, False),
        InputMember("count", "uint", None, True),
        InputMember("on", "bool", None, True),
    ]
    numbers = first_numbers(members, 0)
    np.testing.assert_array_equal(numbers, np.float32([0.75, 0.75, 0.75, 0.25]))
    arrays = arrays_of(members, numbers)
    assert arrays["a"].tolist() == [0.75] * 3 and arrays["b"].shape == ()


def test_sizes_that_are_set_count_before_those_of_the_module():
    (member,), _ = members_of([trained("Texture<float>", Size=(6.0, 4.0))], {"a": (2, 9)}, "t")
    assert member.shape == (9, 2, 1)


def test_networks_begin_as_their_torch_half():
    types = ["float", "Network<2, 3, 2, 8, LeakyRelu, Sigmoid>", "Network<2, 1, 0, 8, Relu, None>"]
    fields = [
        field(name, of_type, Trainable=1.0) for name, of_type in zip("anm", types, strict=True)
    ]
    members, _ = members_of(fields, {}, "t.slang")
    numbers = first_numbers(members, 7)
    rng = torch.Generator().manual_seed(7)
    halves = [MLP(2, 3, 2, 8, "leaky_relu", "sigmoid", rng=rng), MLP(2, 1, 0, 8, rng=rng)]
    wanted = [torch.nn.utils.parameters_to_vector(half.parameters()) for half in halves]
    np.testing.assert_array_equal(numbers[1:], torch.cat(wanted).detach().numpy())
    assert not np.array_equal(numbers, first_numbers(members, 8))


def test_encodings_begin_as_their_torch_half_and_know_their_levels():
    types = ["GridEncoding<2, 3, 2, 5, 4>", "float", "HashEncoding<3, 2, 4, 2, 9>"]
    fields = [
        field(name, of_type, Trainable=1.0) for name, of_type in zip("gah", types, strict=True)
    ]
    members, _ = members_of(fields, {}, "t.slang")
    numbers = first_numbers(members, 7)
    rng = torch.Generator().manual_seed(7)
    grid, table = DenseGrid(2, 3, 2, 5, 4, rng=rng), HashGrid(3, 2, 4, 2, 9, rng=rng)
    for member, half in zip((members[0], members[2]), (grid, table), strict=True):
        wanted = half.flatten(list(half.parameters())).numpy()
        np.testing.assert_array_equal(numbers[member.first : member.first + member.size], wanted)
    assert members[0].levels == ((2, 2, 0), (5, 4, 4))  # across, down, first entry
    assert members[2].levels == ((2, 2, 0), (4, 4, 9), (9, 9, 25))


@pytest.mark.parametrize("fields, message", [
    ([], "t.slang: got a Task without a trained member, need one or more. Mark what is to be "
         "trained with [Trainable(rate)]."),
    ([field("a", "float", Trainabel=1.0)], "t.slang: Task.a: got attribute [Trainabel], need one "
     "of Trainable, Range, Start, Size. Did you mean Trainable?"),
    ([trained("Network<2, 3, 1, 8, Relo, None>")], "t.slang: Task.a: got activation Relo, need "
     "one of "),
    ([trained("GridEncoding<0, 2, 4, 8, 8>")], "t.slang: Task.a: got 0 for levels of GridEncoding<"
     "levels, features, coarsest, width, height>, need 1 to 32. Change it."),
    ([trained("HashEncoding<2, 2, 4, 16, 8>")], "t.slang: Task.a: got 16 for coarsest of "
     "HashEncoding<levels, features, log2_entries, coarsest, finest>, need at most finest, which "
     "is 8. Lower coarsest."),
    ([trained("HashEncoding<32, 64, 26, 65536, 1048576>")], "t.slang: got 137438953472 trained "
     "numbers, need 268435456 or fewer. Make textures or grids smaller."),
    ([trained("GridEncoding<1, 2, 4, 8, 8>", Start=1.0)], "t.slang: Task.a: got [Start] on type "
     "GridEncoding<1, 2, 4, 8, 8>, which begins at random, need none. Leave it out."),
    ([trained("Texture<float>", Size=(0.0, 4.0))], "t.slang: Task.a: got no size, need width"),
    ([trained("Picture<float>")], "t.slang: Task.a: got type Picture<float>, need float"),
    ([trained("float", has_default=True)], "t.slang: Task.a: got a value behind = that is"),
    ([trained("float[257]")], "t.slang: got 257 trained numbers in floats, vectors"),
])  # fmt: skip
def test_what_is_refused(fields, message):
    with pytest.raises(ConfigError) as caught:
        members_of(fields, {}, "t.slang")
    assert str(caught.value).startswith(message)
