"""base/strict_json: what is no JSON, or is read in two ways, is refused."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neuralshade.base.strict_json import strict_json

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**100), 2**100) | st.text()
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
REFUSED = {
    '{"a": 1, "a": 1}': "a twice",
    '[{"b": {"a": 1, "a": 2}}]': "a twice",
    "NaN": "NaN is no JSON",
    "[-Infinity]": "-Infinity is no JSON",
    "1e999": "1e999 is beyond all numbers",
    "9" * 65: "a number of 65 digits",
    "[" * 40 + "]" * 40: "nested too deep",
    "[" * 100_000: "nested too deep",
    '{"a":' * 40 + "1" + "}" * 40: "nested too deep",
}  # fmt: skip


@settings(max_examples=100, deadline=None)
@given(JSON)
def test_json_is_read(data):
    assert strict_json(json.dumps(data)) == data


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_refused(text):
    with pytest.raises(ValueError, match=f"^{REFUSED[text]}$"):
        strict_json(text)


@pytest.mark.parametrize(
    "text", ['"\\ud800"', '{"\\udc00": 1}', '[["\\ud800x"]]', "", "{", b"\xff"]
)
def test_what_is_no_text_is_refused(text):
    with pytest.raises(ValueError, match=r"surrogates not allowed|Expecting|can't decode"):
        strict_json(text)


def test_a_pair_of_surrogates_is_a_character():
    assert strict_json('"\\ud83d\\ude00"') == "\N{GRINNING FACE}"


@given(st.binary(max_size=20))
def test_names_of_files_that_are_no_text(name):
    text = json.dumps(name.decode(errors="surrogateescape"))
    assert strict_json(text, file_names=True).encode(errors="surrogateescape") == name
    with pytest.raises(ValueError, match="surrogates not allowed"):
        strict_json('"\\ud800"', file_names=True)
