"""Nothing that was loaded is unpickled or run: neither in the package nor in its scripts."""

import ast
import pathlib
from collections.abc import Iterator
from itertools import accumulate

import pytest

ROOT = pathlib.Path(__file__).parent.parent
# Whatever these read may hold code, which reading it runs.
MODULES = {
    "cloudpickle", "code", "dill", "imp", "joblib", "marshal", "multiprocessing", "pickle", "runpy",
    "shelve", "yaml", "zipimport",
}  # fmt: skip
CALLS = {  # and all below them
    "__import__", "compile", "eval", "exec", "ctypes.CDLL", "ctypes.cdll",
    "importlib.import_module", "importlib.machinery", "importlib.util", "numpy.load",
    "os.popen", "os.startfile", "os.system", "site.addsitedir", "subprocess", "sys.meta_path",
    "sys.path", "torch.hub", "torch.jit.load", "torch.load", "torch.ops.load_library",
    "torch.package", "torch.utils.cpp_extension",
}  # fmt: skip
BUILTIN = {"__import__", "compile", "eval", "exec"}
REASONS = {
    ("src/neuralshade/verbs/doctor/probe_processes.py", "sys.path"): "read, to hand it on",
    ("src/neuralshade/asset/texture/bc7_process.py", "subprocess"): "Python, with our own strips",
    ("src/neuralshade/asset/texture/bc7_process.py", "sys.path"): "its parent's, in that child",
    ("src/neuralshade/measure/rival_process.py", "subprocess"): "Python, with our own module",
    ("scripts/sbom.py", "compile"): "base/commit.py of the tree that is built",
    ("scripts/sbom.py", "exec"): "the same",
    ("src/neuralshade/base/commit.py", "subprocess"): "git, for the commit of a clone",
    ("src/neuralshade/verbs/doctor/probe_processes.py", "subprocess"): "Python, with our probes",
    ("src/neuralshade/verbs/doctor/probes.py", "ctypes.CDLL"): "drivers by name, in a child",
    ("src/neuralshade/__init__.py", "importlib.import_module"): "the public names' own modules",
    ("src/neuralshade/model/registry.py", "importlib.import_module"): "our encodings, by name",
    ("src/neuralshade/base/optional.py", "importlib.import_module"): "installed extras, by name",
    ("src/neuralshade/engine/torch_engine.py", "ctypes.CDLL"): "the C library of the process",
    ("src/neuralshade/fitting/tensorboard.py", "importlib.import_module"): "one module, by name",
    ("src/neuralshade/fitting/tensorboard_file.py", "importlib.import_module"): "by name, of it",
    ("src/neuralshade/gpu/device.py", "ctypes.CDLL"): "the C library",
    ("src/neuralshade/gpu/nvidia_driver.py", "ctypes.CDLL"): "NVIDIA's driver, by name",
    ("src/neuralshade/asset/weights/torch_file.py", "torch.load"): "weights_only, which takes "
    "tensors and plain containers alone",
    ("src/neuralshade/gpu/slang_com.py", "ctypes.CDLL"): "Slang's compiler, beside slangpy itself",
    ("src/neuralshade/gpu/slang_com.py", "importlib.util"): "find_spec: where slangpy lies",
    ("src/neuralshade/base/confinement.py", "ctypes.CDLL"): "the C library, for the kernel's calls",
    ("src/neuralshade/base/sandbox/sandbox.py", "subprocess"): "Python, with our own module",
    ("src/neuralshade/base/sandbox/sandbox.py", "sys.path"): "read, to hand it on",
    ("src/neuralshade/base/sandbox/process.py", "sys.path"): "read, for what may be read",
    (
        "src/neuralshade/base/lazy_import.py",
        "importlib.import_module",
    ): "what a KIND names, or the entry points of a package that the user installed",
    ("src/neuralshade/base/bytecode_ahead.py", "ctypes.CDLL"): "the C library",
    (
        "src/neuralshade/base/bytecode_ahead.py",
        "importlib.import_module",
    ): "compiled modules of Python's own library",
    (
        "src/neuralshade/base/bytecode_ahead.py",
        "importlib.machinery",
    ): "Python's own finder and loader, of what is imported anyway",
    ("src/neuralshade/base/bytecode_ahead.py", "importlib.util"): "where bytecode lies",
    ("src/neuralshade/base/bytecode_ahead.py", "sys.meta_path"): "finds where Python does",
    (
        "src/neuralshade/base/deferred_modules.py",
        "importlib.import_module",
    ): "parts of PyTorch, by names that stand there",
    ("src/neuralshade/base/deferred_modules.py", "importlib.machinery"): "a stand-in's ModuleSpec",
    (
        "src/neuralshade/base/deferred_modules.py",
        "importlib.util",
    ): "find_spec: which PyTorch it is",
    ("src/neuralshade/base/deferred_modules.py", "sys.meta_path"): "finds those parts alone",
    ("src/neuralshade/base/plugins.py", "sys.path"): "read, for the packages that are installed",
    ("src/neuralshade/measure/codec_rivals.py", "importlib.import_module"): "one plugin, by name",
    ("src/neuralshade/measure/codec_rivals.py", "importlib.util"): "find_spec: whether it is there",
    ("src/neuralshade/speed/gpu_memory.py", "subprocess"): "nvidia-smi",
    (
        "src/neuralshade/verbs/export/check/compiled_cpp.py",
        "subprocess",
    ): "a C++ compiler, with our own text",
    ("src/neuralshade/verbs/export/check/dxc.py", "ctypes.CDLL"): "DXC, beside compushady itself",
    ("src/neuralshade/verbs/export/check/opengl_textures.py", "ctypes.CDLL"): "EGL, by name",
    ("src/neuralshade/fitting/notebook.py", "importlib.import_module"): "IPython, by name",
    ("scripts/site.py", "importlib.util"): "a script of this repository, by its path",
    ("src/neuralshade/verbs/export/check/dxc.py", "importlib.util"): "find_spec: where that lies",
    ("src/neuralshade/verbs/export/check/node.py", "subprocess"): "Node.js, with our own text",
    (
        "src/neuralshade/verbs/export/check/torch_alone.py",
        "subprocess",
    ): "Python, with our own text",
    ("src/neuralshade/baking/executors/local_worker.py", "subprocess"): "Python, our own worker",
    ("src/neuralshade/baking/executors/local_slots.py", "subprocess"): "nvidia-smi",
    ("src/neuralshade/baking/executors/nvml.py", "ctypes.CDLL"): "NVIDIA's library, by name",
    ("src/neuralshade/baking/executors/ray_session.py", "subprocess"): "itself, to try an address",
    ("scripts/lock.py", "subprocess"): "pip and uv, for who writes locks/",
    ("scripts/software_vulkan.py", "subprocess"): "apt, which checks signatures",
}


def uses(text: str) -> Iterator[str]:
    """Yield which of MODULES a file imports and which of CALLS it names, by whatever alias."""
    tree, names = ast.parse(text), {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                root = alias.name if alias.asname else alias.name.split(".")[0]
                names[alias.asname or root] = root
                yield from {alias.name.split(".")[0]} & MODULES
        elif isinstance(node, ast.ImportFrom):
            yield from {(node.module or "").split(".")[0]} & MODULES
            names.update({a.asname or a.name: f"{node.module}.{a.name}" for a in node.names})
    names = {name: name for name in BUILTIN} | names
    for node in ast.walk(tree):
        if isinstance(node, (ast.Attribute, ast.Name)):
            if not (whole := dotted(node, names)):
                continue
            yield from set(accumulate(whole.split("."), "{}.{}".format)) & CALLS
            if whole.startswith(("os.exec", "os.spawn", "os.posix_spawn")):
                yield whole


def dotted(node: ast.expr, names: dict[str, str]) -> str:
    """Return what an expression such as np.load is called without aliases; "" for others."""
    if isinstance(node, ast.Name):
        return names.get(node.id, "")
    if isinstance(node, ast.Attribute):
        owner = dotted(node.value, names)
        return f"{owner}.{node.attr}" if owner else ""
    return ""


def test_nothing_is_unpickled_or_run_but_for_a_reason():
    files = [path for folder in ("src", "scripts") for path in (ROOT / folder).rglob("*.py")]
    found = {
        (path.relative_to(ROOT).as_posix(), use) for path in files for use in uses(path.read_text())
    }
    assert len(files) > 250
    assert found == set(REASONS)


@pytest.mark.parametrize("text, use", [
    ("import pickle", "pickle"), ("from pickle import loads as read", "pickle"),
    ("import torch as t\nt.load(x)", "torch.load"),
    ("from torch import load as f\nf(x)", "torch.load"),
    ("import numpy as np\nnp.load(x)", "numpy.load"), ("eval(x)", "eval"), ("f = exec", "exec"),
    ("import sys\nsys.path.insert(0, x)", "sys.path"), ("import os\nos.execv(a, b)", "os.execv"),
    ("import importlib.util\nimportlib.util.spec_from_file_location(a, b)", "importlib.util"),
    ("import subprocess as s\ns.run(x)", "subprocess"), ("import yaml", "yaml"),
    ("from ctypes import CDLL\nCDLL(x)", "ctypes.CDLL"),
    ("import ctypes\nctypes.cdll.LoadLibrary(x)", "ctypes.cdll"),
])  # fmt: skip
def test_it_is_seen_under_any_name(text, use):
    assert use in set(uses(text))


def test_what_only_looks_like_it_is_not():
    text = "import re, safetensors.numpy as n\nre.compile(x)\nn.load(x)\nfield.eval(x)\nlog.exec"
    assert set(uses(text)) == set()
