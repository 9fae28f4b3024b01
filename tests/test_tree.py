"""The tree itself: folders import only leftwards, kernels have host twins, sources are ASCII."""

import ast
import pathlib
import re

FLOW = "gpu source sampler model loss optimizer engine asset measure deploy"
FOLDERS = tuple(FLOW.split())
ROOT = pathlib.Path(__file__).parent.parent
PACKAGE = ROOT / "src/neuralshade"
# these see several stages, so no stage may import them
ABOVE = ("fit", "recipes", "verbs", "cli", "cli_fit", "cli_live", "cli_mipmaps")


def imported_names(path: pathlib.Path) -> list[str]:
    text = path.read_text()
    if path.suffix == ".slang":
        return re.findall(r"import (neuralshade\.[\w.]+);", text)
    names = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports by whole names, not relative ones"
            # `from neuralshade import fit` names the folder last
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return [name for name in names if name.startswith("neuralshade.")]


def sources(folder: pathlib.Path) -> list[pathlib.Path]:
    return sorted(p for p in folder.rglob("*") if p.suffix in (".py", ".slang"))


def test_data_flows_one_way():
    for rank, folder in enumerate(FOLDERS):
        for path in sources(PACKAGE / folder):
            imported = {name.split(".")[1] for name in imported_names(path)}
            later = imported & {*FOLDERS[rank + 1 :], *ABOVE}
            assert not later, f"{path} may not import {sorted(later)}: data flows {FLOW}"


def test_each_kernel_has_a_host_twin():
    """But for gpu/instructions, which names instructions that the host has none of."""
    kernels = [p for p in PACKAGE.rglob("*.slang") if p.parent.name != "instructions"]
    assert kernels
    for kernel in kernels:
        twin = kernel.with_name(kernel.name.split(".")[0] + ".py")  # fused.cs.slang -> fused.py
        assert twin.exists(), f"{kernel} has no {twin.name} beside it"


def test_each_folder_is_a_package():
    for folder in {path.parent for path in PACKAGE.rglob("*.py")}:
        assert (folder / "__init__.py").exists(), f"{folder} has no __init__.py"


def test_sources_are_ascii():
    for folder in ("src", "tests", "examples", "benchmarks", "scripts"):
        for path in sources(ROOT / folder):
            assert path.read_bytes().isascii(), f"{path} holds characters beyond ASCII"
