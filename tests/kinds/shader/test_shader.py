"""kinds/shader/shader: a trained task as functions of other languages, by Slang's compiler."""

import re

import numpy as np
import pytest

import neuralshade
from neuralshade.asset.file import AssetFile, read_asset_file, write_asset_file
from neuralshade.errors import AssetError, ConfigError
from neuralshade.kinds.shader import trust
from neuralshade.languages.printers import LANGUAGES, printer_of
from neuralshade.languages.program_calls import ALTERNATIVES, PROGRAM_PRINTERS
from neuralshade.verbs.export.check.checks import check_form

TASK = """import neuralshade.model.trainable;
import inks;

struct Task : ITask
{
    [Trainable(0.1)] float4 plain;
    [Trainable(0.1)] [Start(0.3)] float table[3][7];
    [Trainable(0.1)] [Size(4, 3)] [Start(0.1)] Texture<float2> map;
    [Trainable(0.02)] GridEncoding<2, 2, 4, 12, 8> grid;
    [Trainable(0.02)] HashEncoding<3, 1, 6, 4, 18> hash;
    [Trainable(0.01)] Network<7, 1, 1, 5, Silu, Sigmoid> net;
    Picture<float> read;
    Picture<float3> unread;
    float strength = 1.0;
    int whole = 2;

    [Differentiable]
    float loss(no_diff Thread thread)
    {
        float2 uv = thread.random.next_uniform().xy;
        float4 d = color(uv) - 0.5 * strength * unread.sample(uv).xyzx;
        return dot(d, d);
    }

    [Differentiable]
    float4 color(no_diff float2 uv)
    {
        float a[4] = grid.eval(uv);
        float b[3] = hash.eval(uv);
        float x[7] = { a[0], a[1], a[2], a[3], b[0], b[1], b[2] };
        float y[1] = net.eval(x);
        float2 m = map.sample(uv);
        float4 seen = float4(m, y[0], read.sample(uv)) * float(whole);
        return plain * seen + float4(inked(float3(table[0][1], table[1][2], table[2][6])), 1);
    }

    float4 render(float2 uv)
    {
        return color(uv);
    }
}
"""
INKS = """[Differentiable]
float3 inked(float3 color)
{
    return color * float3(1.0f, 0.9f, 0.8f);
}
"""
NAMED = """import neuralshade.model.trainable;
float grey(float2 uv) { return uv.x; }
float grey_area(float2 uv) { return grey(uv); }
struct Task : ITask
{
    [Trainable(0.1)] [Start(0.25)] float grey_rendered;
    [Differentiable]
    float loss(no_diff Thread thread) { return (grey_rendered - 0.5) * (grey_rendered - 0.5); }
    float render(float2 uv) { return grey_area(uv) * grey_rendered; }
}
"""
BRIEF = {"steps": 3, "threads": "8x8", "size": "20x12"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory, device):
    """Give a folder with an asset of every sort of member, and one whose names are an export's."""
    folder = tmp_path_factory.mktemp("tasks")
    rng = np.random.default_rng(4)
    (folder / "inks.slang").write_text(INKS)
    (folder / "task.slang").write_text(TASK)
    (folder / "grey.slang").write_text(NAMED)
    for name, channels in (("read", 1), ("unread", 3)):
        neuralshade.save_picture(folder / f"{name}.png", rng.random((5, 6, channels), np.float32),
                                 "srgb")  # fmt: skip
    pictures = {name: folder / f"{name}.png" for name in ("read", "unread")}
    neuralshade.fit_shader(folder / "task.slang", folder / "task.nsh",
                           values={**pictures, "strength": 0.5}, **BRIEF)  # fmt: skip
    neuralshade.fit_shader(folder / "grey.slang", folder / "grey.nsh", **BRIEF)
    return folder


@pytest.mark.parametrize("language", ["slang", "wgsl", "glsl", "hlsl"])
@pytest.mark.parametrize("task", ["grey", pytest.param("task", marks=pytest.mark.slow)])
def test_it_renders_there_what_it_renders_here(folder, task, language, opened_once):
    with neuralshade.load(folder / f"{task}.nsh") as opened:
        form = opened.shader(task)
        (row,) = check_form(form, [language], None)
    if row["right"] is None:
        pytest.skip(row["why_not"])
    assert row["right"], row
    assert np.ptp(form.golden[0].outputs, axis=0).all()


def test_a_picture_may_be_another_one(folder, tmp_path):
    unread = np.zeros((3, 2, 3), np.float32)
    values = {"read": np.full((2, 2, 1), 0.75, np.float32), "unread": unread}
    neuralshade.export(folder / "task.nsh", "slang", tmp_path, name="a", values=values)
    words = np.fromfile(tmp_path / "a.bin", "<u4").view(np.float32)
    assert (words == 0.75).sum() == 4
    neuralshade.export(folder / "task.nsh", "slang", tmp_path, name="b")
    more = len(np.fromfile(tmp_path / "b.bin", "<u4")) - len(words)
    assert 5 * 6 - 4 - 3 <= more <= 5 * 6 - 4 + 3  # filled up to fours


@pytest.fixture(scope="module")
def texts(folder):
    with neuralshade.load(folder / "task.nsh") as opened:
        form = opened.shader("thing")
        return {language: printer_of(form, language).text() for language in PROGRAM_PRINTERS}


@pytest.mark.parametrize("language", PROGRAM_PRINTERS)
def test_a_text_is_functions_alone_and_its_names_are_the_asset_s(texts, language):
    text = texts[language]
    if language == "spirv":  # its text is Slang
        return
    assert "stub" not in text and "numthreads" not in text and "void main" not in text
    assert "#version" not in text and "pack_matrix" not in text
    heads = re.findall(r"^(?:fn |public |const )*(?:\w+ )?(\w+)\(", text, re.M)
    assert all(head.startswith("thing") for head in {*heads} - {"layout"}), heads
    assert len(re.findall(r"^ *(?:public )?(?:fn|float4|vec4) thing\(", text, re.M)) == 1


def test_numbers_that_are_few_stand_in_the_text(folder, tmp_path):
    result = neuralshade.export(folder / "grey.nsh", "slang,wgsl", tmp_path / "out")
    names = {path.removeprefix(f"{tmp_path}/out/") for path in result.files}
    assert "grey.bin" not in names and "grey_modules/grey_task.slang" in names
    trained = neuralshade.load(folder / "grey.nsh").tensors["grey_rendered"]
    assert str(np.float32(trained)) in (tmp_path / "out/grey_modules/grey_task.slang").read_text()
    assert "grey_words" not in (tmp_path / "out/grey.wgsl").read_text()
    assert "nothing to bind" in (tmp_path / "out/README.md").read_text()


def test_modules_go_into_a_folder_of_the_asset_s(folder, tmp_path):
    (tmp_path / "inks.slang").write_text("mine")
    neuralshade.export(folder / "task.nsh", output=tmp_path / "thing.slang")
    assert (tmp_path / "inks.slang").read_text() == "mine"
    modules = tmp_path / "thing_modules"
    assert (modules / "inks.slang").read_text() == INKS
    for file in modules.rglob("*.slang"):
        assert not re.search(r"^(?:__exported )?import neuralshade|\"neuralshade/",
                             file.read_text(), re.M), file  # fmt: skip


def test_what_fails_leaves_no_folder(folder, tmp_path, monkeypatch):
    from neuralshade.verbs.export import export as module

    whole, written = module.whole_file, []

    def failing(path):
        written.append(path)
        if len(written) == 4:
            raise neuralshade.errors.OutputError("full")
        return whole(path)

    monkeypatch.setattr(module, "whole_file", failing)
    with pytest.raises(neuralshade.errors.OutputError):
        neuralshade.export(folder / "grey.nsh", "slang", tmp_path / "out")
    assert len(written) == 4 and not (tmp_path / "out").exists()


@pytest.mark.parametrize("language", sorted(set(LANGUAGES) - set(PROGRAM_PRINTERS)))
def test_other_languages_are_refused_with_what_to_take(folder, tmp_path, refusal, language):
    said = refusal(ConfigError, neuralshade.export, folder / "grey.nsh", language, tmp_path / "o")
    assert f"to: got {language}" in said and "slang, hlsl, glsl, spirv, wgsl, metal" in said
    assert ALTERNATIVES[language] in said and not (tmp_path / "o").exists()


def test_where_numbers_are_is_no_choice(folder, tmp_path, refusal):
    said = refusal(ConfigError, neuralshade.export, folder / "grey.nsh", "wgsl", tmp_path / "o",
                   numbers="text")  # fmt: skip
    assert "need auto" in said


def test_a_task_that_renders_nothing_is_refused(tmp_path, sum_text, brief, device, refusal):
    (tmp_path / "sum.slang").write_text(sum_text)
    neuralshade.fit_shader(tmp_path / "sum.slang", tmp_path / "sum.nsh", steps=1, threads="4x4")
    said = refusal(AssetError, neuralshade.export, tmp_path / "sum.nsh", "wgsl", tmp_path / "o")
    assert "got a task without render(float2 uv)" in said


@pytest.fixture
def stranger(folder, tmp_path, monkeypatch):
    """Give the asset of somebody else, whose module no fit of this user had."""
    monkeypatch.setattr(trust, "_noted", set())
    monkeypatch.setattr(trust.platformdirs, "user_data_dir", lambda name: str(tmp_path / "data"))
    file = read_asset_file(folder / "grey.nsh")
    return tmp_path / "s.nsh", file


def written(path, file, text):
    module = file.header["module"] | {"text": text}
    write_asset_file(path, AssetFile(file.header | {"module": module}, file.tensors))


@pytest.mark.slow
def test_a_stranger_s_is_compiled_apart_once_it_is_trusted(stranger, tmp_path, refusal):
    path, file = stranger
    written(path, file, NAMED)
    said = refusal(AssetError, neuralshade.export, path, "wgsl", tmp_path / "o")
    assert "add --trust" in said and not (tmp_path / "o").exists()
    result = neuralshade.export(path, "slang,wgsl", tmp_path / "o", check=True, trust=True)
    assert all("somebody else's" in row["why_not"] for row in result.checks) and result.right
    assert "fn s(uv: vec2f)" in (tmp_path / "o/s.wgsl").read_text()


@pytest.mark.slow
def test_a_stranger_s_that_reaches_beyond_arithmetic_is_refused(stranger, tmp_path, refusal):
    path, file = stranger
    written(path, file, NAMED.replace("return uv.x;", "Ptr<int> p; return uv.x;"))
    said = refusal(AssetError, neuralshade.export, path, "wgsl", tmp_path / "o", trust=True)
    assert "got Ptr in line" in said and not (tmp_path / "o").exists()
