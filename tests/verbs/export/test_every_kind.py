"""Every kind that is a function, in every language: printed, and run where this machine can."""

import shutil
from contextlib import ExitStack

import pytest
from fixtures.small_kinds import ASSETS, DATA

from neuralshade.errors import ConfigError
from neuralshade.kinds import all_kinds, open_asset
from neuralshade.languages.halves import in_halves
from neuralshade.languages.printers import LANGUAGES, printer_of
from neuralshade.languages.program_calls import PROGRAM_PRINTERS
from neuralshade.verbs.export.check.checks import check_form

KINDS = [kind.name for kind in all_kinds() if kind.shaders is not None]
RUN = ["slang", "cpp", "torch", "wgsl", "glsl", "glsl-es", "hlsl", "spirv", "js",
       "slang-coopvec"]  # fmt: skip
HALF = ["slang", "hlsl", "spirv", "wgsl", "glsl"]  # of those that have 16-bit numbers


TRANSLATED = "shader"  # by Slang's compiler: not in all languages
PAIRS = [(kind, language) for kind in KINDS for language in LANGUAGES
         if kind != TRANSLATED or language in PROGRAM_PRINTERS]  # fmt: skip


@pytest.fixture(scope="module")
def forms():
    with ExitStack() as held:
        opened = {kind: held.enter_context(open_asset(DATA / ASSETS[kind], trust=True))
                  for kind in KINDS if kind != TRANSLATED}  # fmt: skip
        yield {kind: one.shader("photo") for kind, one in opened.items()}


@pytest.fixture(scope="module")
def form_of(forms, request):
    """Give a function that returns the form of a kind."""

    def form_of(kind):
        if kind not in forms:
            request.getfixturevalue("device")
            opened = open_asset(DATA / ASSETS[kind], trust=True)
            request.addfinalizer(opened.close)
            forms[kind] = opened.shader("photo")
        return forms[kind]

    return form_of


def test_the_usual_kinds_are_functions():
    assert {"image", "splats", "textures", "material", "shader"} <= set(KINDS)


@pytest.mark.parametrize("kind, language", PAIRS)
def test_it_is_printed(form_of, kind, language):
    form = form_of(kind)
    for in_text in (True, False):
        text = printer_of(form, language, in_text).text()
        assert all(function.name in text for function in form.public)
        assert text.isascii() and not text.endswith("\n\n")


@pytest.mark.slow
@pytest.mark.slangpy
@pytest.mark.parametrize("numbers", [True, False], ids=["text", "buffer"])
@pytest.mark.parametrize("kind, language", [pair for pair in PAIRS if pair[1] in RUN])
def test_it_answers_as_the_asset_does(form_of, kind, language, numbers, opened_once):
    if language == "cpp" and not shutil.which("g++"):
        pytest.skip("no C++ compiler")
    if not numbers and kind == "textures" and language in ("slang", "glsl"):
        pytest.skip("software compiles loops for each of its functions for minutes")
    if not numbers and language in ("cpp", "torch", "slang-coopvec"):
        pytest.skip("its numbers are where they are, whatever is asked for")
    if not numbers and kind == TRANSLATED:
        pytest.skip("its text says where its numbers are")
    check(form_of(kind), language, numbers)


@pytest.mark.gpu
@pytest.mark.parametrize("half", [False, True], ids=["whole", "half"])
@pytest.mark.parametrize("numbers", [True, False], ids=["text", "buffer"])
@pytest.mark.parametrize("kind", [kind for kind, language in PAIRS if language == "cuda"])
def test_cuda_answers_as_the_asset_does(form_of, kind, numbers, half):
    check(halved(form_of(kind)) if half else form_of(kind), "cuda", numbers)


@pytest.mark.parametrize(
    "language",
    [pytest.param(one.name, marks=[pytest.mark.slow] * one.name.endswith("-coopvec"))
     for one in LANGUAGES.values() if one.has_halves],
)  # fmt: skip
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != TRANSLATED])
def test_half_is_printed(form_of, kind, language):
    for in_text in (True, False):
        text = printer_of(halved(form_of(kind)), language, in_text).text()
        assert "float16." in text or language.endswith("-coopvec")


@pytest.mark.slow
@pytest.mark.slangpy
@pytest.mark.parametrize("numbers", [True, False], ids=["text", "buffer"])
@pytest.mark.parametrize("language", HALF)
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != TRANSLATED])
def test_half_answers_nearly_as_the_asset_does(form_of, kind, language, numbers, opened_once):
    if not numbers and kind == "textures":
        pytest.skip("software compiles loops for each of its functions for minutes")
    check(halved(form_of(kind)), language, numbers)


def halved(form):
    """Return a form with networks in float16."""
    try:
        return in_halves(form)
    except ConfigError as error:
        pytest.skip(str(error))


def check(form, language, numbers):
    """Run what can run here, and look that all is right."""
    rows = check_form(form, [language], numbers)
    assert {row["function"] for row in rows} == {one.function for one in form.golden}
    if all(row["right"] is None for row in rows):
        pytest.skip(rows[0]["why_not"])
    assert all(row["right"] for row in rows), list(rows)
