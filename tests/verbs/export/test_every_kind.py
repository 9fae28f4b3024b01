"""Every kind that is a function, in every language: printed, and run where this machine can."""

import shutil

import pytest
from fixtures.small_kinds import ASSETS, DATA

from neuralshade.kinds import all_kinds, open_asset
from neuralshade.languages.printed import LANGUAGES, printer_of
from neuralshade.verbs.export.check.checks import check_form

KINDS = [kind.name for kind in all_kinds() if kind.shaders is not None]
RUN = ["slang", "cpp", "torch", "wgsl", "glsl", "glsl-es", "hlsl", "spirv",
       "slang-coopvec", pytest.param("cuda", marks=pytest.mark.gpu)]  # fmt: skip


@pytest.fixture(scope="module")
def forms():
    return {kind: open_asset(DATA / ASSETS[kind]).shader("photo") for kind in KINDS}


def test_the_usual_kinds_are_functions():
    assert {"image", "splats", "textures", "material"} <= set(KINDS)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", KINDS)
def test_it_is_printed(forms, kind, language):
    form = forms[kind]
    for in_text in (True, False):
        text = printer_of(form, language, in_text).text()
        assert all(function.name in text for function in form.public)
        assert text.isascii() and not text.endswith("\n\n")


@pytest.mark.slow
@pytest.mark.slangpy
@pytest.mark.parametrize("numbers", [True, False], ids=["text", "buffer"])
@pytest.mark.parametrize("language", RUN)
@pytest.mark.parametrize("kind", KINDS)
def test_it_answers_as_the_asset_does(forms, kind, language, numbers, opened_once):
    if language == "cpp" and not shutil.which("g++"):
        pytest.skip("no C++ compiler")
    if not numbers and kind == "textures" and language in ("slang", "glsl"):
        pytest.skip("software compiles loops for each of its functions for minutes")
    if not numbers and language in ("cpp", "torch", "slang-coopvec"):
        pytest.skip("its numbers are where they are, whatever is asked for")
    rows = check_form(forms[kind], [language], numbers)
    assert {row["function"] for row in rows} == {one.function for one in forms[kind].golden}
    if all(row["right"] is None for row in rows):
        pytest.skip(rows[0]["why_not"])
    assert all(row["right"] for row in rows), list(rows)
