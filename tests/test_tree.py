"""The tree itself: stages below, kinds above, no circle; twins of kernels; ASCII; short files."""

import ast
import functools
import pathlib
import re
from collections.abc import Iterator

import pytest

ROOT = pathlib.Path(__file__).parent.parent
PACKAGE = ROOT / "src/neuralshade"
# A folder imports only from those before its own.
STAGES = """
    errors
    base
    gpu
    source
    sampler
    model
    loss
    optimizer
    engine
    asset
    languages
    measure
    fitting
    kinds
    speed
    verbs
    testing
    scene
    baking
    live
    cli
    __main__
"""
RANKS = {name: rank for rank, line in enumerate(STAGES.split("\n")) for name in line.split()}
MOST_LINES = 300  # of a file: who reads it holds it in mind
ABOVE_KINDS = ("neuralshade.kinds", "neuralshade.kinds.kind")  # what others may know of them


def module_name(path: pathlib.Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


PYTHON = {module_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}
SLANG = {
    path.relative_to(PACKAGE.parent).as_posix(): path for path in sorted(PACKAGE.rglob("*.slang"))
}


def python_imports(path: pathlib.Path) -> Iterator[str]:
    """Yield what a module imports of ours: for types only and inside functions, too."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (a.name for a in node.names if a.name.split(".")[0] == "neuralshade")
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports by whole names, not relative ones"
            if (node.module or "").split(".")[0] == "neuralshade":
                names = (f"{node.module}.{alias.name}" for alias in node.names)
                yield from (name if name in PYTHON else str(node.module) for name in names)


def slang_imports(path: pathlib.Path) -> Iterator[str]:
    """Yield what a kernel imports or includes of ours, as paths."""
    text = path.read_text()
    for name in re.findall(r"^\s*(?:__exported )?import (neuralshade\.[\w.]+);", text, re.M):
        yield name.replace(".", "/") + ".slang"
    yield from re.findall(r'^\s*#include "(neuralshade/[\w./]+)"', text, re.M)


@functools.cache  # not while tests are collected, which each process does
def python_graph() -> dict[str, list[str]]:
    return {name: sorted(set(python_imports(path)) - {name}) for name, path in PYTHON.items()}


@functools.cache
def kernel_graph() -> dict[str, list[str]]:
    return {name: sorted(set(slang_imports(path)) - {name}) for name, path in SLANG.items()}


def parts_of(name: str) -> list[str]:
    """Return a module's or a kernel's folders and stem, below the package."""
    return re.split(r"[./]", name.removesuffix(".slang"))[1:]


def kind_of(parts: list[str]) -> str | None:
    """Return the kind that a module belongs to; None for what all of them share."""
    if parts[0] != "kinds" or len(parts) < 2 or not (PACKAGE / "kinds" / parts[1]).is_dir():
        return None
    return parts[1]


def fault(importer: str, imported: str) -> str | None:
    """Return what is wrong about one import, None where nothing is."""
    a, b = parts_of(importer), parts_of(imported)
    if not a or a[0] == "errors":
        return None  # the root, which names everything, and errors, which import nothing
    if not b:
        return None if a[0] in ("cli", "__main__") else "imports the package root"
    if a[0] == "kinds" and kind_of(a) is None and kind_of(b) is not None:
        return "knows a kind"
    if kind_of(a) is not None and kind_of(b) not in (None, kind_of(a)):
        return "a kind knows another"
    if RANKS[a[0]] < RANKS[b[0]]:
        return f"{a[0]} is below {b[0]}"
    if a[0] != "kinds" and b[0] == "kinds" and imported not in ABOVE_KINDS:
        return "knows a kind"
    return None


def faults() -> list[str]:
    return sorted(
        f"{importer} -> {imported}: {wrong}".replace("neuralshade.", "")
        for importer, imports in (python_graph() | kernel_graph()).items()
        for imported in imports
        if (wrong := fault(importer, imported)) is not None
    )


def circles(graph: dict[str, list[str]]) -> list[list[str]]:
    """Return the groups of modules that reach each other (Tarjan 1972)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:
        index[name] = low[name] = len(index)
        stack.append(name)
        for other in graph.get(name, []):
            if other not in index:
                visit(other)
            if other in stack:
                low[name] = min(low[name], low[other])
        if low[name] == index[name]:
            group = [stack.pop()]
            while group[-1] != name:
                group.append(stack.pop())
            if len(group) > 1:
                found.append(sorted(group))

    for name in graph:
        if name not in index:
            visit(name)
    return sorted(found)


def test_stages_below_kinds_above():
    assert faults() == []


@pytest.mark.parametrize("graph", [python_graph, kernel_graph], ids=["python", "slang"])
def test_no_circle(graph):
    below = {n: imports for n, imports in graph().items() if n != "neuralshade"}  # names everything
    assert circles(below) == []


def test_every_folder_has_a_place():
    entries = {name.split(".")[1] for name in PYTHON if "." in name}
    assert entries <= set(RANKS), f"no place in STAGES: {sorted(entries - set(RANKS))}"


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
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in (".py", ".slang"):
                assert path.read_bytes().isascii(), f"{path} holds characters beyond ASCII"


def test_no_file_is_long():
    """80 to 250 lines are usual; what is longer has a second thing in it.

    Exports below examples/export are written by scripts/export_examples.py.
    """
    long = {}
    for folder in ("src", "tests", "examples", "benchmarks", "scripts"):
        for path in (ROOT / folder).rglob("*"):
            exported = path.parent.parent == ROOT / "examples/export"
            if path.suffix in (".py", ".slang", ".js", ".css", ".html") and not exported:
                long[str(path.relative_to(ROOT))] = len(path.read_text().splitlines())
    assert {name: lines for name, lines in long.items() if lines > MOST_LINES} == {}


def test_files_are_looked_for_by_functions_that_no_name_breaks():
    """Those of pathlib raise OSError for a name that is too long; those of os.path are False."""
    for name, path in PYTHON.items():
        found = re.findall(r"\S+(?<!os\.path)\.(?:exists|is_file|is_dir)\(\)", path.read_text())
        assert found == [], f"{name}: write os.path.exists(), isfile() or isdir()"
