"""What is installed: the wheel's files, the pinned set, and an import that stays light."""

import json
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from importlib.metadata import requires

import pytest

from neuralshade.base.commit import commit_of

ROOT = pathlib.Path(__file__).parent.parent
PACKAGE = ROOT / "src/neuralshade"
LOCKED = r"(?m)^([a-z]\S+)==(\S+) .*\\\n((?:    --hash=.+\n)+)"


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Give a folder with the source package, and the wheel that is built of that."""
    folder = tmp_path_factory.mktemp("built")
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    done = subprocess.run(build, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def wheel(built):
    (path,) = built.glob("neuralshade-*-py3-none-any.whl")
    with zipfile.ZipFile(path) as archive:
        yield archive


@pytest.mark.slow  # builds both
def test_both_packages_have_the_bill_of_materials_of_the_locks(built, wheel):
    (info,) = {name.split("/")[0] for name in wheel.namelist()} - {"neuralshade"}
    bill = json.loads(wheel.read(f"{info}/sboms/neuralshade.cdx.json"))
    (path,) = built.glob("neuralshade-*.tar.gz")
    with tarfile.open(path) as source:
        name = f"{path.name.removesuffix('.tar.gz')}/neuralshade.cdx.json"
        assert json.loads(source.extractfile(name).read()) == bill
    texts = [(ROOT / "locks" / name).read_text() for name in ("all.txt", "torch.txt")]
    locked = [
        (name, version, re.findall(r"sha256:(\w+)", rest))
        for name, version, rest in re.findall(LOCKED, "".join(texts))
    ]
    assert len(locked) > 90 and locked == [
        (c["name"], c["version"], [h["content"] for h in c["externalReferences"][0]["hashes"]])
        for c in bill["components"]
    ]
    scopes = {c["name"]: c["scope"] for c in bill["components"]}
    kinds = ("torch", "filelock", "slangpy", "pytest")
    assert [scopes[kind] for kind in kinds] == ["required", "required", "required", "excluded"]
    assert scopes["av"] == "optional"
    needs = {d["ref"]: d["dependsOn"] for d in bill["dependencies"]}
    own = bill["metadata"]["component"]["bom-ref"]
    assert any(ref.startswith("pkg:pypi/safetensors@") for ref in needs[own])
    assert any(ref.startswith("pkg:pypi/h11@") for ref in needs["pkg:pypi/uvicorn@0.54.0"])
    refs = {own, *(c["bom-ref"] for c in bill["components"])}
    assert set(needs) == refs and all(refs >= set(many) for many in needs.values())


@pytest.mark.slow  # builds both
def test_wheel_holds_every_file_of_the_package(wheel):
    written = [path for path in PACKAGE.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    expected = {path.relative_to(ROOT / "src").as_posix() for path in written}
    assert {"neuralshade/py.typed", "neuralshade/gpu/random.slang"} <= expected
    held = {name for name in wheel.namelist() if not name.startswith("neuralshade-")}
    assert held - {"neuralshade/COMMIT"} == expected


@pytest.mark.slow  # builds both
def test_what_is_built_of_a_clone_says_of_which_commit(built, wheel):
    commit = commit_of(PACKAGE)
    if commit is None:
        assert "neuralshade/COMMIT" not in wheel.namelist()
        pytest.skip("these files are in no clone")
    assert wheel.read("neuralshade/COMMIT").decode().strip() == commit
    (path,) = built.glob("neuralshade-*.tar.gz")
    with tarfile.open(path) as source:
        assert any(name.endswith("/src/neuralshade/COMMIT") for name in source.getnames())


@pytest.mark.slow  # builds both
def test_wheel_brings_command_and_license(wheel):
    (info,) = {name.split("/")[0] for name in wheel.namelist()} - {"neuralshade"}
    command = wheel.read(f"{info}/entry_points.txt").decode()
    assert "neuralshade = neuralshade.__main__:main" in command
    assert "Apache License" in wheel.read(f"{info}/licenses/LICENSE").decode()
    assert "License-Expression: Apache-2.0" in wheel.read(f"{info}/METADATA").decode()


@pytest.mark.slow  # that all files are in the wheel is tested above; a process that compiles anew
def test_kernel_of_the_wheel_runs_from_a_clean_folder(wheel, device, tmp_path):
    wheel.extractall(tmp_path)
    code = (
        "import neuralshade.gpu.device as d, numpy as np, slangpy as spy\n"
        "module = spy.Module(d.open_device().load_module('neuralshade/gpu/random.slang'))\n"
        "print(d.__file__, module.hash_bits(np.zeros((1, 4), np.uint32), _result='numpy').shape)"
    )
    settings = {"cwd": tmp_path, "env": {**os.environ, "PYTHONPATH": "."}}
    run = [sys.executable, "-c", code]
    done = subprocess.run(run, **settings, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[0].startswith(str(tmp_path))


@pytest.mark.slow  # makes an environment, and loads PyTorch in it
@pytest.mark.parametrize("form", ["neuralshade-*.whl", "neuralshade-*.tar.gz"])
def test_what_is_built_is_installed_and_fits_from_another_folder(built, form, tmp_path):
    """In a new environment pip installs it alone; dependencies are those of this one, by a path.

    So nothing is downloaded, which a machine without a network needs. That pip finds and installs
    what the wheel requires, at versions that go together, is not tested here: ``--no-deps`` takes
    no notice of it.
    """
    venv.create(tmp_path / "env", with_pip=True)
    scripts = tmp_path / "env" / ("Scripts" if os.name == "nt" else "bin")
    paths = {"base": str(tmp_path / "env"), "platbase": str(tmp_path / "env")}
    (packages,) = {sysconfig.get_path("purelib", "venv", paths)}
    theirs = pathlib.Path(packages, "theirs.pth")
    theirs.write_text(sysconfig.get_path("purelib") + "\n")
    (package,) = built.glob(form)
    bare = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    settings = {"cwd": tmp_path, "env": bare, "capture_output": True, "text": True, "timeout": 300}
    pip = [scripts / "python", "-m", "pip", "install", "--quiet", "--no-index", "--no-deps",
           "--force-reinstall", "--no-build-isolation", str(package)]  # fmt: skip
    done = subprocess.run(pip, **settings)
    assert done.returncode == 0, done.stderr
    photo = str(ROOT / "tests/data/photo.png")
    fit = ["fit", "image", photo, "-o", "a.nsh", "--engine", "torch", "--preset", "tiny-9",
           "--steps", "2"]  # fmt: skip
    done = subprocess.run([scripts / "neuralshade", *fit], **settings)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "a.nsh").stat().st_size > 100
    where = "import neuralshade; print(neuralshade.__file__)"
    done = subprocess.run([scripts / "python", "-c", where], **settings)
    assert done.stdout.startswith(str(tmp_path))


def test_import_is_light():
    heavy = ["torch", "numpy", "OpenImageIO", "PIL", "skimage", "rich", "jinja2", "slangpy", "cuda"]
    code = f"import sys, neuralshade; print(*(m for m in {heavy} if m in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout.strip(), done.stderr) == ("", "")


def test_every_dependency_is_pinned():
    pins = (ROOT / "constraints.txt").read_text()
    pinned = {name.lower().replace("_", "-") for name in re.findall(r"(?m)^([\w-]+)==", pins)}
    needed = {re.match(r"[\w-]+", need)[0].lower() for need in requires("neuralshade") or []}
    assert len(needed) > 10
    theirs = {"nvidia-cuda-nvrtc", "nvidia-cuda-runtime"}  # PyTorch's CUDA builds pin them
    assert needed - theirs <= pinned and not theirs & pinned
    assert "+" not in re.sub(r"(?m)#.*", "", pins), "a pin with a local version fits one machine"
