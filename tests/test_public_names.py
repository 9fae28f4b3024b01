"""neuralshade: its public names, all of them, and none that costs before it is used."""

import pathlib
import re
import subprocess
import sys

import pytest

import neuralshade

NAMES = [
    "AssetError",
    "ConfigError",
    "FitOptions",
    "NeuralShadeError",
    "PictureError",
    "bake",
    "decode",
    "devices",
    "evaluate",
    "export",
    "fit_image",
    "fit_material",
    "fit_mipmaps",
    "fit_shader",
    "fit_splats",
    "fit_textures",
    "import_asset",
    "info",
    "load",
    "render",
    "render_scene",
    "report",
    "view",
]
# that programs of before have; each is reached through its module, too
OLD = [
    "DeviceError",
    "ExportResult",
    "FitInterrupted",
    "FitResult",
    "GpuField",
    "GpuSplats",
    "ImageRecipe",
    "KernelError",
    "Live",
    "MaterialRecipe",
    "MaterialResult",
    "MaterialSet",
    "MipmapsRecipe",
    "MipmapsResult",
    "Opened",
    "OpenedFamily",
    "OpenedImage",
    "OpenedMaterial",
    "OpenedMipmaps",
    "OpenedShader",
    "OpenedSplats",
    "OpenedTextures",
    "OutputError",
    "Picture",
    "ShaderRecipe",
    "ShaderResult",
    "ShapeError",
    "SplatsRecipe",
    "SplatsResult",
    "TextureSet",
    "TexturesRecipe",
    "TexturesResult",
    "bench",
    "check_gradients",
    "fit_materials",
    "fit_mipmaps_family",
    "load_material_set",
    "load_picture",
    "load_texture_set",
    "picture_from_array",
    "save_picture",
]
HEAVY = ("torch", "numpy", "OpenImageIO", "skimage", "rich", "matplotlib", "PIL", "jinja2",
         "safetensors", "click", "slangpy", "starlette", "uvicorn")  # fmt: skip


def test_the_names_are_these():
    assert neuralshade.__all__ == NAMES == sorted(NAMES)
    assert dir(neuralshade) == sorted([*NAMES, "__version__"]) and len(NAMES) <= 24


@pytest.mark.parametrize("name", [*NAMES, *OLD])
def test_each_name_is_there_and_documented(name):
    thing = getattr(neuralshade, name)
    assert callable(thing) and thing.__doc__
    assert getattr(neuralshade, name) is thing  # kept after its first use


def test_star_import_brings_them_all():
    namespace = {}
    exec("from neuralshade import *", namespace)
    assert set(NAMES) <= namespace.keys()


def test_errors_are_the_package_s_own():
    for name in [*NAMES, *OLD]:
        thing = getattr(neuralshade, name)
        if name.endswith("Error"):
            assert issubclass(thing, neuralshade.NeuralShadeError)
    assert issubclass(neuralshade.FitInterrupted, KeyboardInterrupt)
    assert not issubclass(neuralshade.FitInterrupted, Exception)


def test_unknown_name_refused():
    with pytest.raises(AttributeError) as caught:
        _ = neuralshade.fit_images
    assert str(caught.value) == "module 'neuralshade' has no attribute 'fit_images'"


def test_import_loads_nothing_heavy():
    code = f"import sys, neuralshade; print(sorted(set({HEAVY!r}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_version_is_written_once_more_only_in_the_project_file():
    text = (pathlib.Path(__file__).parents[1] / "pyproject.toml").read_text()
    assert re.search(r'^version = "(.*)"$', text, re.M)[1] == neuralshade.__version__


def test_the_changelog_begins_with_this_version():
    text = (pathlib.Path(__file__).parents[1] / "CHANGELOG.md").read_text()
    assert re.search(r"^## (\S+?),", text, re.M)[1] == neuralshade.__version__
