"""gpu/foreign_slang: kernels find Slang files of other packages, and of no more than they name."""

import sys
import types

import pytest

from neuralshade.errors import ConfigError, KernelError
from neuralshade.gpu import foreign_slang
from neuralshade.gpu.foreign_slang import folders_of, foreign_packages, register_package
from neuralshade.gpu.slangpy_kernel import slang_session
from neuralshade.languages.translate import translate
from neuralshade.model.registry import build_encoding

TEXT = """
import neuralshade.model.encoding;
import neuralshade.model.parameters;
import outside.planes;
StructuredBuffer<float> numbers;
RWStructuredBuffer<float> results;

[shader("compute")] [numthreads(32, 1, 1)]
void encoded(uint3 thread : SV_DispatchThreadID)
{
    FloatParameters parameters = { numbers };
    results[thread.x] = encode<Planes<2>>(float2(0.25f, 0.5f), parameters)[1];
}
"""


@pytest.fixture
def nothing_known(monkeypatch):
    monkeypatch.setattr(foreign_slang, "_known", {})


def made(module, file, monkeypatch):
    """Return a class of a module that lies there."""
    there = types.ModuleType(module)
    there.__file__ = str(file)
    monkeypatch.setitem(sys.modules, module, there)
    return type("Thing", (), {"__module__": module})


@pytest.mark.parametrize("module, file", [
    ("lamps", "lamps/__init__.py"), ("lamps.glow", "lamps/glow.py"),
    ("lamps.deep.glow", "lamps/deep/glow.py"), ("lamps.deep", "lamps/deep/__init__.py"),
])  # fmt: skip
def test_a_package_is_known_by_any_of_its_modules(
    tmp_path, monkeypatch, nothing_known, module, file
):
    (tmp_path / "lamps/deep").mkdir(parents=True)
    register_package(made(module, tmp_path / file, monkeypatch), "encoding glow")
    assert foreign_packages("import lamps.glow;") == ("lamps",)
    assert foreign_packages("import lampshade.glow; import a.lamps;") == ()
    assert folders_of(["lamps"]) == [tmp_path]


def test_what_lies_in_no_package_is_refused(
    tmp_path, monkeypatch, nothing_known, refusal, same_message
):
    thing = made("alone", tmp_path / "alone.py", monkeypatch)
    message = refusal(ConfigError, register_package, thing, "encoding glow of x 1.0")
    same_message(message, "encoding glow of x 1.0", ".py")
    register_package(ConfigError, "")  # ours is found without
    assert "neuralshade" not in foreign_slang._known


def test_a_kernel_that_names_it_becomes_other_languages(outside):
    build_encoding("planes", None)
    assert "fn encoded" in translate(TEXT, "encoded", "wgsl").decode()
    assert "encoded(" in translate(TEXT, "encoded", "cuda").decode()


def test_one_that_no_recipe_named_is_not_found(nothing_known):
    with pytest.raises(KernelError, match="outside"):
        translate(TEXT, "encoded", "wgsl")


def test_a_session_s_folders_are_its_own(device, tmp_path):
    before = list(device.slang_session.desc.compiler_options.include_paths)
    slang_session(device, tmp_path, str(tmp_path / "made"))
    options = device.slang_session.desc.compiler_options
    assert list(options.include_paths) == before and not options.dump_intermediates
