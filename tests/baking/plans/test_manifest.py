"""baking/manifest: what a manifest becomes, and what is said of a wrong one."""

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuralshade.baking.plans.faults import Faults
from neuralshade.baking.plans.manifest import read_manifest
from neuralshade.baking.plans.manifest_lines import Lines
from neuralshade.baking.plans.settings import Recipes
from neuralshade.base.toml_file import parse_toml
from neuralshade.errors import ConfigError

TOML = """
[defaults]
kind = "textures"
steps = 2000
bpp = 3

[[asset]]
name = "rocks/wall"
input = "textures/wall"  # a folder
target_psnr = 38

[[asset]]
kind = "image"
input = "s3://bucket/photos/lake.png"
seconds = 5

[[asset]]
input = ["a_albedo.png", "arm=packed.png"]
steps = 10
name = "b.nsh"
"""


@pytest.fixture
def read(tmp_path, monkeypatch):
    """Give a function from a manifest's text to its jobs and faults, in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def read(text, name="bake.toml", **named):
        (tmp_path / name).write_text(text)
        faults = Faults(name)
        return read_manifest(name, faults, Recipes(), **named), faults

    return read


def as_json(text):
    return json.dumps(parse_toml(text, "", "", ""), indent=1)


@pytest.mark.parametrize("name", ["bake.toml", "bake.json"])
def test_entries_become_jobs(read, tmp_path, name):
    jobs, faults = read(TOML if name.endswith("toml") else as_json(TOML), name)
    assert faults.count == 0
    wall, lake, packed = jobs
    assert (wall.name, wall.kind, wall.output) == ("rocks/wall", "textures", "rocks/wall.nsh")
    assert wall.subject == (str(tmp_path / "textures/wall"),)
    # target_psnr is no end of a texture set's fit, but seconds are one of a picture's
    assert wall.settings == {"steps": 2000, "bpp": 3.0, "target_psnr": "38"}
    assert (lake.name, lake.subject) == ("lake", ("s3://bucket/photos/lake.png",))
    assert lake.settings == {"bpp": 3.0, "seconds": 5.0}
    assert packed.subject == (f"{tmp_path}/a_albedo.png", f"arm={tmp_path}/packed.png")
    assert (packed.name, packed.settings["steps"]) == ("b", 10)


def test_places_are_lines(read):
    jobs, _ = read(TOML)
    assert [job.place for job in jobs] == ["bake.toml:7", "bake.toml:12", "bake.toml:17"]
    text = as_json(TOML)
    jobs, _ = read(text, "bake.json")
    lines = [n for n, line in enumerate(text.split("\n"), 1) if line == "  {"]
    assert [job.place for job in jobs] == [f"bake.json:{n}" for n in lines]


def test_settings_of_the_caller_stand_between_defaults_and_entries(read):
    jobs, _ = read(TOML, settings={"seconds": 3})
    assert jobs[0].settings.get("steps") is None and jobs[0].settings["seconds"] == 3.0
    assert jobs[1].kind == "image" and jobs[1].settings["seconds"] == 5.0
    jobs, _ = read("[defaults]\nkind = 'image'\n[[asset]]\ninput = 'a.png'", kind="splats")
    assert jobs[0].kind == "splats"  # the caller's goes before the default


def test_files_of_flags_are_relative_to_the_manifest(read, tmp_path):
    (tmp_path / "in.png").touch()
    jobs, faults = read("""
[[asset]]
kind = "material"
input = "copper.mtlx"
share = "shelf/first.nsh"
[[asset]]
kind = "shader"
input = "task.slang"
set = ["photo=in.png", "strength=0.5", "other=missing.png"]
""")
    assert faults.count == 0
    assert jobs[0].settings == {"share": f"{tmp_path}/shelf/first.nsh"}
    assert jobs[1].settings["set"] == [f"photo={tmp_path}/in.png", "strength=0.5",
                                       "other=missing.png"]  # fmt: skip


@pytest.mark.parametrize("line, place, word", [
    ("target_psn = 38", 5, "Did you mean target_psnr?"),
    ("steps = 'many'", 5, "a whole number"),
    ("latents = 'bc1'\npolish = 2", 3, "polish"),
    ("kind = 'texture'", 5, "Did you mean textures?"),
    ("name = '../wall'", 5, "inside"),
    ("name = '/wall'", 5, "inside"),
    ("name = 'a/.bake/b'\ninput = 3", 6, "input"),
    ("name = '.bake/b'", 5, "itself"),
    ("name = ''", 5, "empty"),
    ("name = 'a//b'", 5, "empty"),
    ("name = 'a:b'", 5, "characters"),
    ("name = 'a/NUL.1'", 5, "Windows"),
    ("name = 'a/b. '", 5, "space"),
    ("name = 7", 5, "text"),
    ("input = 'ftp://host/x.png'", 5, "s3://"),
])  # fmt: skip
def test_wrong_entries_are_told_with_their_lines(read, same_message, line, place, word):
    entry = "" if line.count("input") else 'input = "a"\n'
    shift = 0 if entry else -1
    jobs, faults = read(f"[defaults]\nkind = 'textures'\n[[asset]]\n{entry}{line}\n")
    assert jobs == () and faults.count == 1
    same_message(faults.lines[0], f"bake.toml:{place + shift}", word)


@pytest.mark.parametrize("text, place, word", [
    ("[default]\n[[asset]]\nkind='image'\ninput='a.png'", "bake.toml:1", "Did you mean defaults?"),
    ("x = 1\n[asset]\ninput='a.png'\n", "bake.toml:1", "unknown"),
    ("[asset]\ninput='a.png'\n", "bake.toml:1", "[[asset]]"),
    ("defaults = 3\n[[asset]]\nkind='image'\ninput='a'", "bake.toml:1", "[defaults]"),
    ("[defaults]\nkind = 'image'\n", "bake.toml", "[[asset]]"),
    ("[[asset]]\ninput = 'a.png'\n", "bake.toml:1", "kind"),
    ("[defaults]\nsteps = 5\nkind = 'imag'\n[[asset]]\ninput = 'a'", "bake.toml:3", "image"),
    ("[defaults]\nkind = 'image'\nstepz = 5\n[[asset]]\ninput = 'a'", "bake.toml:3", "steps"),
    ("[defaults]\nkind='image'\nsteps = -1\n[[asset]]\ninput='a'", "bake.toml:3", "limit|1 to"),
])  # fmt: skip
def test_wrong_tables_are_told(read, same_message, text, place, word):
    _, faults = read(text)
    assert faults.count
    same_message(faults.lines[0], place, word.split("|")[-1])


def test_each_default_is_told_once(read):
    entries = "[[asset]]\ninput = 'a{}.png'\n"
    text = "[defaults]\nkind = 'image'\nsteps = -1\n" + "".join(map(entries.format, range(50)))
    assert read(text)[1].count == 1
    assert read(text.replace("image", "imag").replace("-1", "1"))[1].count == 1


def test_outputs_may_not_clash(read, same_message):
    entry = "[[asset]]\nkind = 'image'\ninput = 'a.png'\n"
    _, faults = read(f"{entry}{entry}")
    same_message(faults.lines[0], "bake.toml:4", "name")
    _, faults = read(f"{entry}name = 'Rock'\n{entry}name = 'rock'\n")
    same_message(faults.lines[0], "bake.toml:8", "file systems")
    _, faults = read(f"{entry}name = 'a.nsh/b'\n{entry}name = 'a'\n")
    same_message(faults.lines[0], "bake.toml:1", "folder")


def test_all_faults_are_listed_up_to_a_bound(read, same_message):
    text = "".join(f"[[asset]]\nkind = 'image'\ninput = 'a{i}.png'\nstep = 1\n" for i in range(332))
    jobs, faults = read(text)
    assert (jobs, faults.count) == ((), 332)
    with pytest.raises(ConfigError) as refused:
        faults.check()
    same_message(str(refused.value), "bake.toml", "and 312 more", "bake.toml:8")


@pytest.mark.parametrize("name, text, word", [
    ("bake.toml", "[[asset]\n", "[[asset]]"),
    ("bake.json", '{"asset": [1, 2], "asset": []}', "twice"),
    ("bake.json", '{"asset": [}', "commas"),
    ("bake.json", "[]", "object"),
    ("bake.json", '{"asset": NaN}', "NaN"),
])  # fmt: skip
def test_text_that_is_no_manifest_is_refused(read, same_message, name, text, word):
    with pytest.raises(ConfigError) as refused:
        read(text, name)
    same_message(str(refused.value), name, word)


def test_a_huge_file_is_refused_unread(read, tmp_path, same_message):
    with (tmp_path / "big.toml").open("wb") as file:
        file.truncate(2**40)  # sparse
    with pytest.raises(ConfigError) as refused:
        read_manifest("big.toml", Faults("big.toml"), Recipes())
    same_message(str(refused.value), "big.toml", "several")


@given(st.lists(st.sampled_from([
    "[[asset]]", "x = '[[asset]]'", 'y = """\n[[asset]]\n"""', "z = '''\n[[asset]]'''",
    "# [[asset]]", 'w = "\\"[[asset]]"', "  [[ asset ]]  # it", "v = 1",
]), max_size=12))  # fmt: skip
def test_headers_are_found_as_the_parser_finds_them(pieces):
    """Not in strings and comments. Names are made different, since a table has each once."""
    text = "\n".join(["[defaults]", *(
        piece if "=" not in piece or piece.startswith(("[", " ", "#")) else f"k{i}_{piece}"
        for i, piece in enumerate(pieces))])  # fmt: skip
    entries = parse_toml(text, "", "", "").get("asset", [])
    lines = Lines("a.toml", text, "asset", len(entries))
    assert lines.known
    for index in range(len(entries)):
        number = int(lines.entry(index).rpartition(":")[2])
        assert text.split("\n")[number - 1].strip().startswith("[[")


def test_lists_that_are_written_otherwise_have_numbers(read):
    jobs, faults = read('asset = [{kind = "image", input = "a.png"}, {input = "b.png"}]')
    assert len(jobs) == 1 and faults.lines[0].startswith("bake.toml: asset 2: got no kind")


@given(st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["image", "name", "../a", "a.png", "", "textures"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["asset", "defaults", "name", "input", "kind", "steps", "bpp", "x"]), inner,
        max_size=4), max_leaves=12,
))  # fmt: skip
def test_any_json_is_a_manifest_or_refused(tmp_path_factory, data):
    path = str(tmp_path_factory.getbasetemp() / "any.json")
    with open(path, "w") as file:
        json.dump({"asset": data} if isinstance(data, list) else data, file)
    faults, jobs = Faults(path), ()
    with contextlib.suppress(ConfigError):
        jobs = read_manifest(path, faults, Recipes())
    assert all(line.startswith(path) for line in faults.lines)
    assert len({job.output.casefold() for job in jobs}) == len(jobs)
    assert all(".." not in job.output.split("/") for job in jobs)
