"""live/live: fits of tasks and materials that a page sends, where the server may run any."""

import io
import json
import shlex

import numpy as np
import pytest
from PIL import Image

import neuralshade
from neuralshade.cli.main import main
from neuralshade.live.live import Live
from neuralshade.live.source_sets import NOT_ALLOWED

STACK = b'[[layer]]\nkind = "diffuse"\ncolor = "maps/rust.png"\n'
TASK = b"""import neuralshade.model.trainable;
struct Task : ITask
{
    Picture<float3> photo;
    [Trainable(0.1)] [Start(0.2)] float3 tint;
    [Differentiable] float loss(no_diff Thread thread)
    {
        float3 wrong = tint - no_diff(photo.sample(thread.uv()));
        return dot(wrong, wrong);
    }
    float3 render(float2 uv) { return tint; }
}
"""


@pytest.fixture
def allowed(live, background, look, tmp_path, monkeypatch):
    """Give a page of a server that runs what pages send; fits write into ``tmp_path``."""
    monkeypatch.chdir(tmp_path)
    background(live.wait)
    return look()


@pytest.fixture
def live(request):
    with Live(port=0, run_shaders="refused" not in request.node.name) as made:
        yield made


def picture():
    file = io.BytesIO()
    Image.fromarray(np.full((8, 8, 3), 188, np.uint8)).save(file, "PNG")
    return file.getvalue()


def send(page, name, document, *pictures):
    status, body = page.ask(f"/source?name={name}", document)
    assert status == 200, body
    key = json.loads(body)["source"]
    for one in pictures:
        status, body = page.ask(f"/source?name={one}&of={key}", picture())
        assert status == 200, body
    return key


def ended(page, fit=1):
    page.until(lambda: page.told["refused"] or (page.fit and page.fit["id"] == fit
                                                and page.fit["state"] == "ended"))  # fmt: skip
    assert page.told["refused"] == []


def test_kinds_say_which_documents_they_take(allowed):
    taken = {kind["name"]: kind["documents"] for kind in allowed.hello["kinds"]}
    assert allowed.hello["runs_shaders"] is True
    assert {name: ends for name, ends in taken.items() if ends} == {
        "shader": [".slang"], "material": [".mtlx", ".toml"]}  # fmt: skip


@pytest.mark.slow
def test_a_task_that_was_sent(device, allowed, tmp_path):
    key = send(allowed, "tint.slang", TASK, "photo.png")
    allowed.control("start", kind="shader", source=key, seconds=0.3)
    ended(allowed)
    assert allowed.fit["output"] == "tint.nsh" and allowed.fit["picture"] == "tint.slang"
    allowed.frame()  # in a process of its own
    assert np.ptp(allowed.pictures["result"]) < 200
    allowed.control("start", seconds=0.3, seed=3)  # the same again
    ended(allowed, 2)
    assert neuralshade.info(tmp_path / "tint.nsh")["recipe"]["seed"] == 3


@pytest.mark.slow
def test_a_task_with_numbers_as_set_gives_them(device, allowed, tmp_path):
    assert [kind["name"] for kind in allowed.hello["kinds"] if kind["set"]] == ["shader"]
    task = TASK.replace(b"    Picture", b"    float gain;\n    Picture").replace(
        b"tint -", b"gain * tint -"
    )
    key = send(allowed, "tint.slang", task, "photo.png")
    given = ["gain=0.5", "tint=0.1,0.2,0.3", "tint.rate=0"]
    allowed.control("start", kind="shader", source=key, seconds=0.3, set=given)
    ended(allowed)
    found = neuralshade.load(tmp_path / "tint.nsh")
    assert found.tensors["tint"].tolist() == pytest.approx([0.1, 0.2, 0.3])
    assert found.recipe_flags()["set"] == ["gain=0.5"]
    allowed.control("start", seconds=0.3, set=["gain=2"])  # the others stay as they were given
    ended(allowed, 2)
    found = neuralshade.load(tmp_path / "tint.nsh")
    assert found.recipe_flags()["set"] == ["gain=2.0"]
    assert found.tensors["tint"].tolist() == pytest.approx([0.1, 0.2, 0.3])


@pytest.mark.slow
def test_how_to_go_on_with_a_task_that_was_sent(device, allowed, tmp_path, caplog):
    """A command, which goes on where the files lie beside the checkpoint."""
    task = TASK.replace(b"    Picture", b"    float gain;\n    Picture").replace(
        b"tint -", b"gain * tint -"
    )
    key = send(allowed, "tint.slang", task, "photo.png")
    allowed.control("start", kind="shader", source=key, seconds=5.0, set=["gain=0.5", "tint=1,0,1"])
    allowed.until(lambda: allowed.fit and allowed.progress and allowed.progress["step"] > 0)
    allowed.control("start", seconds=0.3, seed=2)
    ended(allowed, 2)
    (line,) = [line for line in caplog.messages if line.startswith("stopped at step ")]
    told, _, command = line.partition(", with: ")
    assert told.endswith("tint.checkpoint.nsh. Go on, with 'tint.slang' and 'photo.png', the files "
                         "that were sent, in this folder")  # fmt: skip
    assert command == ("neuralshade fit shader tint.slang -o tint.nsh --set photo=photo.png "
                       "--set gain=0.5 --resume tint.checkpoint.nsh")  # fmt: skip
    (tmp_path / "tint.slang").write_bytes(task)
    (tmp_path / "photo.png").write_bytes(picture())
    main(shlex.split(command)[1:])
    assert neuralshade.info(tmp_path / "tint.nsh")["recipe"]["seconds"] == 5.0


@pytest.mark.parametrize("pairs, line", [
    (["gain"], "set: got 'gain', need NAME=VALUE. Write for example strength=0.5."),
    (["a=1", "a=2"], "set: got a twice, need it once. Leave one out."),
    (["photo=../photo.png"], "set: got photo='../photo.png', need a number, or numbers with commas "
     "between. Write for example photo=0.5; send a picture beside the task."),
])  # fmt: skip
def test_a_fit_survives_values_that_cannot_be_given(fitting, look, pairs, line):
    fitting()
    page = look()
    page.reach(5)
    key = send(page, "tint.slang", TASK, "photo.png")
    page.control("start", kind="shader", source=key, set=pairs)
    assert page.next("refused")["text"] == line
    assert page.fit["id"] == 1 and page.fit["state"] == "running"


@pytest.mark.slow
def test_a_stack_that_was_sent(device, allowed, tmp_path):
    key = send(allowed, "paint.toml", STACK, "rust.png")
    allowed.control("start", kind="material", source=key, seconds=0.3)
    ended(allowed)
    assert neuralshade.info(tmp_path / "paint.nsh")["kind"] == "material"


def test_a_fit_survives_a_task_that_reaches_too_far(fitting, look, tmp_path):
    fitting()
    page = look()
    page.reach(5)
    page.control("start", kind="shader", source=send(page, "a.slang", b"Ptr<float> p;"))
    assert page.next("refused")["text"] == (
        "a.slang: got Ptr in line 1 of a.slang, need a task without it: such code can reach all "
        "memory and files. Do not trust where it comes from.")  # fmt: skip
    assert page.fit["id"] == 1 and page.fit["state"] == "running"


DEFINED = b"""<?xml version="1.0"?><materialx version="1.39">
<nodedef name="ND_a" node="a" NDEXTRA><output name="out" type="float"/></nodedef>
<nodegraph name="NG_a" nodedef="ND_a"><a name="n" type="float"/>
<output name="out" type="float" nodename="n"/></nodegraph><a name="w" type="float"/>
<image name="i" type="color3"><input name="file" type="filename" value="PICTURE"/></image>
<oren_nayar_diffuse_bsdf name="top" type="BSDF">
<input name="weight" type="float" nodename="w"/><input name="color" type="color3" nodename="i"/>
</oren_nayar_diffuse_bsdf>
<surface name="S" type="surfaceshader"><input name="bsdf" type="BSDF" nodename="top"/></surface>
<surfacematerial name="M" type="material">
<input name="surfaceshader" type="surfaceshader" nodename="S"/></surfacematerial>
</materialx>"""
PLAIN = DEFINED.replace(b"<a name", b"<constant name")


@pytest.mark.slow
@pytest.mark.parametrize("document, line", [
    (DEFINED, "a.mtlx: ND_a: got a definition inside itself"),
    (PLAIN.replace(b"NDEXTRA", b'inherit="ND_a"'), "a.mtlx: ND_a: got inherit in a circle"),
    (PLAIN.replace(b"PICTURE", b"a" * 5000 + b".png"), "a.mtlx: "),
    (PLAIN.replace(b"NDEXTRA", b'sourcecode="x"'), "a.mtlx: got 'sourcecode', need a document"),
])  # fmt: skip
def test_a_fit_survives_documents_that_would_end_it(fitting, look, document, line):
    pytest.importorskip("MaterialX", reason="has no wheel for this machine")
    fitting()
    page = look()
    page.reach(5)
    document = document.replace(b"NDEXTRA", b"").replace(b"PICTURE", b"rust.png")
    page.control("start", kind="material", source=send(page, "a.mtlx", document, "rust.png"))
    text = page.next("refused")["text"]
    assert text.startswith(line) and "\n" not in text
    assert page.fit["id"] == 1 and page.fit["state"] == "running"


def test_a_server_survives_what_no_fit_should_raise(allowed, monkeypatch):
    """A bug in what a page asked for is told to the page; the next fit is run."""

    def fails(*given, **named):
        raise ZeroDivisionError("an odd picture")

    import neuralshade.kinds.image.fit as fits

    allowed.expects_failure = True
    body = json.loads(allowed.ask("/picture?name=a.png", picture())[1])
    with monkeypatch.context() as patch:
        patch.setattr(fits, "chosen_engine", fails)
        allowed.control("start", picture=body["picture"], seconds=0.2)
        allowed.until(lambda: allowed.fit and allowed.fit["state"] == "failed")
    assert allowed.fit["text"] == "got ZeroDivisionError: an odd picture. This is a bug."
    allowed.control("start", picture=body["picture"], seconds=0.2)
    ended(allowed, 2)


def test_a_source_is_refused_where_nobody_let_pages_run_code(fitting, look):
    fitting()
    page = look()
    assert page.hello["runs_shaders"] is False
    page.reach(5)
    status, body = page.ask("/source?name=a.slang", TASK)
    assert (status, json.loads(body)) == (403, {"refused": NOT_ALLOWED})
    page.control("start", kind="shader", source="s1")
    assert page.next("refused")["text"] == f"start.source: {NOT_ALLOWED}"
    assert page.fit["id"] == 1 and page.fit["state"] == "running"
