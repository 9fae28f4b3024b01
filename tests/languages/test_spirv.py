"""languages/spirv: a compute shader for each public function, whatever it is called."""

import numpy as np
import pytest

from neuralshade.languages.printers import printer_of
from neuralshade.model.shader_form import Function, Golden, Parameter, ShaderForm, Struct
from neuralshade.verbs.export.check.checks import check_form

pytestmark = pytest.mark.slangpy
pytest.importorskip("slangpy")
ROWS = 64


def form_of():
    """Return a form with structs in and out, and a function that is called as an entry would be."""
    pair = Struct("photo_pair", (("float2", "a"), ("int", "b")))
    take = Parameter("photo_pair", "pair")
    at = Parameter("int2", "at")
    functions = (
        Function("photo_pair", "photo_make", (at,),
                 ("photo_pair found;", "found.a = float2(0.5, 1.0) * float(at.x);",
                  "found.b = at.y;", "return found;"), public=True),
        Function("float", "photo_make_rows", (take, Parameter("float", "factor")),
                 ("return factor * (pair.a.y + float(pair.b));",), public=True),
    )  # fmt: skip
    rng = np.random.default_rng(1)
    at = rng.integers(-9, 9, (ROWS, 2)).astype(np.float32)
    made = np.stack([at[:, 0] / 2, at[:, 0], at[:, 1]], axis=1)
    rows = np.concatenate([made, rng.random((ROWS, 1), np.float32)], axis=1)
    golden = [Golden("photo_make", at, made, 0.0),
              Golden("photo_make_rows", rows, (rows[:, 3] * (rows[:, 1] + rows[:, 2]))[:, None],
                     1e-5)]  # fmt: skip
    return ShaderForm("photo", (), (pair,), functions, np.zeros(0, np.uint32), lambda: golden)


def test_structs_are_rows_and_entries_have_names_of_their_own():
    form = form_of()
    facts = printer_of(form, "spirv").bindings()
    assert facts == {
        "set": 0, "rows": 1, "answers": 2, "threads": 64, "entries": {
            "photo_make_rows_": {"function": "photo_make", "numbers_of_a_row": 2,
                                 "numbers_of_an_answer": 3},
            "photo_make_rows_rows": {"function": "photo_make_rows", "numbers_of_a_row": 4,
                                     "numbers_of_an_answer": 1},
        },
    }  # fmt: skip
    content = printer_of(form, "spirv").content()
    assert content[:4] == b"\x03\x02\x23\x07"
    for entry in facts["entries"]:
        assert entry.encode() + b"\0" in content
    rows = check_form(form, ["spirv"], None)
    if all(row["ran_on"] is None for row in rows):
        pytest.skip(rows[0]["why_not"])
    assert [row["right"] for row in rows] == [True, True]


def test_the_same_content_each_time():
    assert printer_of(form_of(), "spirv").content() == printer_of(form_of(), "spirv").content()
