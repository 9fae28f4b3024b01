"""verbs/doctor: machines made up of what probes say, and what does not answer at all."""

import importlib.metadata
import subprocess
import sys

import pytest

from neuralshade.errors import ConfigError
from neuralshade.verbs.doctor import findings as examining
from neuralshade.verbs.doctor import probe_processes, probes, remedies
from neuralshade.verbs.doctor.findings import examine
from neuralshade.verbs.doctor.packages import packages
from neuralshade.verbs.doctor.page import page
from neuralshade.verbs.doctor.probe_processes import run_probes
from neuralshade.verbs.doctor.probes import PROBES

FOLDER = {"what": "compiled kernels", "path": "/x/kernels", "there": True, "files": 3,
          "bytes": 2_000_000, "writable": True, "error": None}  # fmt: skip
WHOLE = {
    "torch": {"version": "2.13.0", "built_for": "13.0", "devices": ["NVIDIA H200"]},
    "slangpy": {"version": "0.43.1", "adapters": [
        {"name": "NVIDIA H200", "api": "vulkan", "software": False, "error": None}]},
    "vulkan": {"loader": "libvulkan.so.1", "devices": [
        {"name": "NVIDIA H200", "type": "discrete", "vulkan": "1.4.312"}]},
    "cuda": {"driver": "13.0", "devices": ["NVIDIA H200"]},
    "nvrtc": {"version": "13.5"},
    "caches": {"folders": [FOLDER]},
    "plugins": {"plugins": []},
}  # fmt: skip


@pytest.fixture
def seen(monkeypatch):
    """Give a function that examines a machine of which probes say so: rows by what they are of."""

    def seen(**answers):
        monkeypatch.setattr(examining, "run_probes", lambda names, limit_s: WHOLE | answers)
        found = examine()
        text = page(found)
        rows = [row for part in found["headings"].values() for row in part]
        assert all(row["found"] in text for row in rows)
        assert all(row["remedy"] in text for row in rows if row["remedy"])
        return {row["what"]: (row["state"], row["found"], row["remedy"]) for row in rows}

    return seen


def test_a_whole_machine_lacks_nothing(seen):
    rows = seen()
    assert {rows[what][0] for what in ("PyTorch", "Vulkan", "CUDA", "NVRTC", "SlangPy")} == {"ok"}
    assert rows["PyTorch"][1] == "2.13.0, built for 13.0; CPU, NVIDIA H200"
    assert rows["Vulkan"][1] == "NVIDIA H200 (discrete, Vulkan 1.4.312)"
    assert rows["compiled kernels"][1] == "/x/kernels: 3 files, 2.0 MB"
    assert rows["Python"][1].startswith(sys.version.split()[0])


@pytest.mark.parametrize("probe, what, remedy", [
    ("torch", "PyTorch", "pip install --force-reinstall torch"),
    ("slangpy", "SlangPy", 'pip install "neuralshade[gpu]"'),
    ("nvrtc", "NVRTC", 'pip install "neuralshade[cuda]"'),
])  # fmt: skip
def test_what_fails_has_a_command(seen, probe, what, remedy):
    assert seen(**{probe: {"failed": "ImportError: no"}})[what] == (
        "missing", "ImportError: no", remedy)  # fmt: skip
    late = seen(**{probe: {"failed": "no answer", "late": True}})[what]
    assert late == ("missing", "no answer", "neuralshade devices")


def test_a_slangpy_that_misses_a_library_of_the_system(seen, monkeypatch):
    monkeypatch.setattr(examining, "vulkan_remedy", lambda: "sudo apt install libatomic1")
    answer = {"failed": "ImportError: libatomic.so.1: cannot open shared object file"}
    assert seen(slangpy=answer)["SlangPy"][2] == "sudo apt install libatomic1"


def test_no_nvidia_gpu_is_no_fault(seen, monkeypatch):
    monkeypatch.setattr(examining, "_has_nvidia_gpu", lambda: False)
    assert seen(cuda={"failed": "OSError: no"})["CUDA"][0::2] == ("off", None)
    monkeypatch.setattr(examining, "_has_nvidia_gpu", lambda: True)
    assert "NVIDIA's driver" in seen(cuda={"failed": "OSError: no"})["CUDA"][2]


@pytest.mark.skipif(sys.platform in ("darwin", "win32"), reason="commands of Linux")
@pytest.mark.parametrize("told, command", [
    ({"ID": "debian", "VERSION_ID": "13"}, "sudo apt install -y libvulkan1 mesa"),
    ({"ID": "debian", "VERSION_ID": "12"}, "bookworm-backports"),
    ({"ID": "rocky", "ID_LIKE": "rhel centos fedora"}, "sudo dnf install"),
    ({}, "Mesa 23 or newer"),
])  # fmt: skip
def test_a_machine_without_vulkan(seen, monkeypatch, told, command):
    monkeypatch.setattr(remedies, "_os_release", lambda: told)
    for answer in ({"failed": "OSError: no"}, {"loader": "libvulkan.so.1", "devices": []}):
        state, _, remedy = seen(vulkan=answer)["Vulkan"]
        assert state == "missing" and command in remedy


def test_answers_that_nobody_expects_leave_a_hole_alone(seen):
    rows = seen(torch={"odd": 1}, caches={})
    assert rows["this part"] == ("missing", "KeyError: 'folders'", None)
    assert rows["version"][0] == "ok"


def test_a_folder_of_somebody_else(seen):
    other = FOLDER | {"writable": False, "error": "[Errno 13] Permission denied: '/x/kernels'"}
    state, found, remedy = seen(caches={"folders": [other]})["compiled kernels"]
    assert state == "wrong" and "Permission denied" in found and "/x/kernels" in remedy


def test_what_is_there_and_wrong_is_not_called_missing(seen, monkeypatch, tmp_path):
    """A defaults file that was there had the mark MISSING."""
    path = tmp_path / "defaults.toml"
    path.write_text("[image]\nrates = 3\n")
    monkeypatch.setattr("neuralshade.fitting.defaults.defaults_path", lambda: path)
    (row,) = examining._defaults(refuses)
    text = page({"headings": {"neuralshade": [row]}})
    assert text.splitlines()[1].startswith("  WRONG    your defaults      image: no")
    assert text.splitlines()[-1] == "1 wrong: see the lines with ->."


def refuses(table):
    raise ConfigError(f"{table}: no")


def test_packages_are_those_of_the_metadata(monkeypatch):
    needs = ["torch>=2.13", "numpy>=2.0", 'wheelless>=1; python_version < "99"', "plain",
             "tomlier>=2.0; python_version < '3.10'",
             'av>=14.0.0; extra == "movie"', 'pytest>=8; extra == "dev"']  # fmt: skip
    there = {"torch": "2.9.1+cpu", "numpy": "2.0", "plain": "1"}

    def version(name):
        return there[name]  # KeyError: an installation that broke

    monkeypatch.setattr(importlib.metadata, "requires", lambda name: needs)
    monkeypatch.setattr(importlib.metadata, "version", version)
    found = {p.name: (p.enough, p.extra, p.marked, p.remedy) for p in packages()}
    assert found == {
        "torch": (False, None, False, 'pip install "torch>=2.13"'),
        "numpy": (True, None, False, 'pip install "numpy>=2.0"'),
        "wheelless": (False, None, True, 'pip install "wheelless>=1"'),
        "plain": (True, None, False, "pip install plain"),
        "av": (False, "movie", False, 'pip install "av>=14.0.0"'),
    }


def test_who_hangs_or_dies_is_told(monkeypatch):
    late = run_probes(["caches"], 0.0)["caches"]
    assert late["late"] and late["failed"].startswith("no answer within 0 s")
    assert run_probes(["absent"])["absent"]["failed"].startswith("KeyError")
    monkeypatch.setattr(probe_processes, "PROBES", "neuralshade.base.version")  # has no answer()
    assert run_probes(["caches"])["caches"]["failed"] == "it ended with exit code 1 and no answer"
    monkeypatch.setattr(sys, "executable", "/absent/python")
    assert run_probes(["caches"])["caches"]["failed"] == "no other process could be started"


def test_folders_are_counted_and_refusals_told(tmp_path, monkeypatch):
    (tmp_path / "neuralshade/kernels/rhi").mkdir(parents=True)
    (tmp_path / "neuralshade/kernels/rhi/a").write_bytes(bytes(70))
    monkeypatch.setattr("platformdirs.user_cache_dir", lambda name: str(tmp_path / name))
    kernels = probes.caches()["folders"][0]
    assert (kernels["files"], kernels["bytes"], kernels["writable"]) == (1, 70, True)


def test_without_its_packages_the_doctor_still_answers():
    """As where an installation broke off: the command line itself cannot be read."""
    text = (
        "import sys; sys.modules['click'] = None; sys.argv = ['neuralshade', {verb!r}]\n"
        "import neuralshade.verbs.doctor.findings as e; e.run_probes = lambda names, limit_s: "
        "dict.fromkeys(names, {{'failed': 'no'}})\n"
        "import neuralshade.__main__ as m; m.main()"
    )
    ran = [subprocess.run([sys.executable, "-c", text.format(verb=verb)], capture_output=True,
                          text=True) for verb in ("doctor", "fit")]  # fmt: skip
    assert ran[0].returncode == 0 and ran[0].stdout.startswith("neuralshade\n  ok ")
    assert ran[1].returncode == 1 and ran[1].stdout == ""
    assert ran[1].stderr.endswith("need every package that it was installed with. See neuralshade "
                                  "doctor.\n")  # fmt: skip


def test_the_real_probes_answer():
    """With no word on what they find: any machine may lack anything."""
    found = run_probes(["vulkan", "cuda", "caches"], 60.0)
    assert all("failed" in answer or answer for answer in found.values())
    assert len(found["caches"]["folders"]) == 3 and set(found) < set(PROBES)


def test_plug_ins_are_listed_and_each_is_loaded(seen, outside, installed):
    assert seen()["none"] == ("off", "no package brings encodings, losses or kinds", None)
    installed("odd", "1", {"neuralshade.encodings": {"frequency": "a:B", "gone": "absent_all:B"},
                           "neuralshade.kinds": {"toy": "toykind:KIND"}})  # fmt: skip
    rows = seen(plugins=probes.plugins())
    assert rows["encoding powers"] == ("ok", "shade-outside 1.2, outside.powers:Powers", None)
    assert rows["loss cauchy"] == ("ok", "shade-outside 1.2, outside.cauchy:cauchy", None)
    assert rows["kind toy"] == ("ok", "odd 1, toykind:KIND", None)
    assert rows["encoding frequency"] == (
        "wrong", "odd 1: refused: neuralshade itself has one of that name", "pip uninstall odd"
    )  # fmt: skip
    state, found, remedy = rows["encoding gone"]
    assert (state, remedy) == ("wrong", "pip install --upgrade odd")
    assert "does not load (ModuleNotFoundError: No module named 'absent_all')" in found


def test_plug_ins_that_end_their_process_are_a_line(seen):
    answer = {"failed": "it ended with signal 11 and no answer"}
    assert seen(plugins=answer)["packages"][:2] == ("missing", answer["failed"])


def test_extras_that_are_left_out_are_not_passed_over():
    """The page ended with "Nothing is missing." below extras that were not there."""
    rows = [told_row("extra cuda", "without nvrtc", "pip install cuda", "off"),
            told_row("extra gpu", "there"),
            told_row("extra docs", "without mkdocs", "pip install docs", "off"),
            told_row("none", "no package brings any", None, "off")]  # fmt: skip

    def last(rows):
        return page({"headings": {"packages": rows}}).split("\n")[-1]

    left_out = "Left out, each with its command above: extra cuda, extra docs."
    assert last(rows) == f"Nothing that a fit needs is missing. {left_out}"
    assert last(rows[1:2]) == "Nothing that a fit needs is missing."
    rows.append(told_row("Vulkan", "no", "sudo apt install it", "missing"))
    assert last(rows) == f"1 missing: see the lines with ->. {left_out}"


def told_row(what, found, remedy=None, state="ok"):
    return {"what": what, "state": state, "found": found, "remedy": remedy}


def test_on_a_narrow_terminal_rows_break_at_spaces():
    """They broke wherever the terminal ended."""
    folder = "/home/somebody/.cache/neuralshade/kernels: 3 files, 2.0 MB"
    found = {"headings": {"GPU": [
        told_row("Vulkan", "llvmpipe (LLVM 15.0.6, 256 bits) (software)"),
        told_row("compiled kernels", folder),
        told_row("SlangPy", "ImportError: no",
                   "sudo apt install -y libvulkan1 mesa-vulkan-drivers", "missing"),
    ]}}  # fmt: skip
    assert page(found, 60).split("\n") == [
        "GPU",
        "  ok       Vulkan             llvmpipe (LLVM 15.0.6, 256",
        "             bits) (software)",
        "  ok       compiled kernels",
        "             /home/somebody/.cache/neuralshade/kernels: 3",
        "             files, 2.0 MB",
        "  MISSING  SlangPy            ImportError: no",
        "             -> sudo apt install -y libvulkan1 \\",
        "                mesa-vulkan-drivers",
        "",
        "1 missing: see the lines with ->.",
    ]
    assert max(map(len, page(found, 82).split("\n"))) <= 82
    assert page(found, 82).split("\n")[2:4] == [
        "  ok       compiled kernels   /home/somebody/.cache/neuralshade/kernels: 3 files,",
        "                              2.0 MB",
    ]
    assert page(found).split("\n")[2] == f"  ok       compiled kernels   {folder}"  # of a pipe
