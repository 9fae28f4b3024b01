"""kinds/image/config_file: instant-ngp's configurations, with comments, over their parents."""

import json
import os
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuralshade.errors import ConfigError
from neuralshade.kinds.image.config_file import merge, read_config
from neuralshade.kinds.image.tiny_cuda_nn import read_tiny_cuda_nn

BASE = """{
  "loss": {"otype": "L2"},
  "optimizer": {
    // "otype": "Ema",
    "otype": "Adam", "learning_rate": 1e-2, /* of "both" */ "beta2": 0.99
  },
  "encoding": {"otype": "HashGrid", "n_levels": 4, "per_level_scale": 1.5},
  "network": {"otype": "FullyFusedMLP", "n_neurons": 64, "n_hidden_layers": 2}
}"""
BESIDE = "need a file beside it, by its name. Copy it there."

values = st.recursive(st.integers(0, 3) | st.none(), lambda inner: st.dictionaries(
    st.sampled_from("abcd"), inner, max_size=3), max_leaves=12)  # fmt: skip


@pytest.fixture
def write(tmp_path):
    """Give a function that writes files, by their names without .json, and returns the first."""

    def write(**files):
        for name, content in files.items():
            text = content if isinstance(content, str) else json.dumps(content)
            (tmp_path / f"{name}.json").write_text(text)
        return tmp_path / f"{next(iter(files))}.json"

    return write


def test_a_child_goes_over_its_parents(write):
    path = write(small={"parent": "frequency.json", "network": {"n_neurons": 16}},
                 frequency={"parent": "base.json", "loss": None, "encoding": {"n_levels": 2}},
                 base=BASE)  # fmt: skip
    settings = read_tiny_cuda_nn(path)
    assert settings["encoding"].startswith("hash_grid:levels=2,features=2,coarsest=16,finest=24,")
    assert (settings["hidden_width"], settings["hidden_layers"]) == (16, 2)
    assert (settings["rate"], settings["beta2"], settings["average"]) == (1e-2, 0.99, 0.0)
    assert "loss" not in settings


def test_what_a_parent_has_for_another_otype_is_passed_over(write, caplog):
    """As instant-ngp's image/frequency.json is to its base.json."""
    path = write(frequency={"parent": "base.json",
                            "encoding": {"otype": "Frequency", "n_frequencies": 16}},
                 base=BASE)  # fmt: skip
    assert read_tiny_cuda_nn(path)["encoding"] == "frequency:octaves=16"
    assert caplog.messages == [
        "encoding: passed over ['n_levels', 'per_level_scale'] of its parent, which has another "
        "otype."
    ]


def test_a_key_of_its_own_is_refused_still(write):
    path = write(child={"parent": "base.json", "encoding": {"otype": "Frequency", "n_levels": 3}},
                 base=BASE)  # fmt: skip
    with pytest.raises(ConfigError, match=r"encoding\.n_levels: unknown or unsupported key"):
        read_tiny_cuda_nn(path)


@given(values, values)
def test_merging_is_that_of_json_merge_patch(parent, child):
    def patched(target, patch):  # RFC 7396, section 2
        if not isinstance(patch, dict):
            return patch
        target = dict(target) if isinstance(target, dict) else {}
        for name, value in patch.items():
            if value is None:
                target.pop(name, None)
            else:
                target[name] = patched(target.get(name), value)
        return target

    assert merge(parent, child) == patched(parent, child)


@pytest.mark.parametrize("parent, reason", [
    ("../base.json", ""), ("/etc/passwd", ""), ("..", ""), ("a/../base.json", ""), (7, ""),
    (r"..\base.json", ""), ("base.json\0", ""),
    ("absent.json", "which is not there, "), ("link.json", "a link to another folder, "),
])  # fmt: skip
def test_a_parent_lies_in_the_same_folder(write, tmp_path, parent, reason):
    (tmp_path / "in").mkdir()
    (tmp_path / "base.json").write_text(BASE)
    (tmp_path / "in" / "link.json").symlink_to(tmp_path / "base.json")
    child = tmp_path / "in" / "c.json"
    child.write_text(json.dumps({"parent": parent}))
    with pytest.raises(ConfigError) as caught:
        read_config(child)
    assert str(caught.value) == f"{child}: got parent {parent!r}, {reason}{BESIDE}"


def test_parents_end(write):
    path = write(a={"parent": "b.json"}, b={"parent": "c.json"}, c={"parent": "a.json"})
    with pytest.raises(ConfigError) as caught:
        read_config(path)
    assert str(caught.value) == (f"{path.with_name('c.json')}: got parent 'a.json', which goes on "
                                 "from this one, need parents that end. Leave it out.")  # fmt: skip


def test_a_parent_that_is_none_is_named(write, tmp_path):
    path = write(a={"parent": "b.json"}, b="{")
    with pytest.raises(ConfigError, match=r"b\.json: got Expecting property name"):
        read_config(path)
    os.mkfifo(tmp_path / "pipe.json")
    with pytest.raises(ConfigError, match=r"pipe\.json: got a device or pipe, need a JSON file"):
        read_config(write(a={"parent": "pipe.json"}))


def test_a_comment_in_a_string_is_none_and_lines_are_told(write):
    assert read_config(write(a='{"x": "a // b /* \\" */" // "y"\n}')) == {"x": 'a // b /* " */'}
    with pytest.raises(ConfigError, match="line 2 column 10"):
        read_config(write(a='{ // "x"\n /* y */ 1}'))


@pytest.mark.parametrize("text", ["/*" * 200_000, '"' + '\\"' * 200_000 + "\\", "//" * 200_000])
def test_what_does_not_end_takes_no_time(write, text):
    begun = time.perf_counter()
    with pytest.raises(ConfigError):
        read_config(write(a=text))
    assert time.perf_counter() - begun < 5.0
