"""docs/architecture.md: the way of a fit passes the files that the page names, and no more of them
than it says."""

import inspect
import logging
import pathlib
import re
import sys

import pytest

import neuralshade
from neuralshade import FitOptions
from neuralshade.cli.main import main

ROOT = pathlib.Path(__file__).parents[2]
PACKAGE = ROOT / "src/neuralshade"
PAGE = (ROOT / "docs/architecture.md").read_text()
TABLE = PAGE.split("\n## One fit, from file to kernel to asset\n")[1].split("\nOne sample,")[0]
NAMED = [name for name in re.findall(r"`(\w+/[\w/]+\.py)`", TABLE)]
COUNTED = re.search(
    r"passes (\d+) Python files.*?and (\d+) with PyTorch.*?command line passes (\d+) more", PAGE,
    re.DOTALL,
)  # fmt: skip
PHOTO = str(ROOT / "tests/data/photo.png")
BRIEF = {"steps": 2, "encoding": "dense_grid:width=8,height=8", "hidden_width": 8}


def passed_by(call):
    """Return our files in which a function ran while ``call`` did, in that order.

    Bodies of modules and classes, which are run to load them, do not count.
    """
    seen, files = set(), {}

    def look(frame, event, argument):
        code = frame.f_code
        if event == "call" and code not in seen:
            seen.add(code)
            path = pathlib.Path(code.co_filename)
            if code.co_flags & inspect.CO_OPTIMIZED and path.is_relative_to(PACKAGE):
                files[path.relative_to(PACKAGE).as_posix()] = None

    before = sys.getprofile()
    sys.setprofile(look)
    try:
        call()
    finally:
        sys.setprofile(before)
    return list(files)


def fitted(tmp_path, options):
    fit = neuralshade.fit_image  # loaded by its name, which is not counted
    return passed_by(lambda: fit(PHOTO, tmp_path / "x.nsh", options=options, **BRIEF))


def typed(tmp_path):
    """Fit from the command line, whose part is the same with either engine."""
    flags = [f"--{name.replace('_', '-')}={value}" for name, value in BRIEF.items()]
    main(["fit", "image", PHOTO, "-o", str(tmp_path / "x.nsh"), "--engine=torch", *flags])


def test_the_table_names_files():
    assert len(NAMED) > 40 and len(set(NAMED)) >= len(NAMED) - 1  # fit.py has the job too


@pytest.mark.slow
def test_a_fit_passes_the_files_of_the_page(device, tmp_path, monkeypatch):
    # what other tests' command lines left, which would show a fit's warnings
    monkeypatch.setattr(logging.getLogger("neuralshade"), "handlers", [])
    api = device.info.type.name  # loops, which a GPU with matrices has as well
    on_gpu = fitted(tmp_path, FitOptions(engine="gpu", device=api, kernels="fma"))
    in_torch = fitted(tmp_path, FitOptions(engine="torch"))
    on_the_way = passed_by(lambda: typed(tmp_path))
    assert sorted(set(NAMED) - {*on_gpu, *on_the_way}) == []
    gpu, torch, more = map(int, COUNTED.groups())
    assert len(on_gpu) <= gpu, on_gpu
    assert len(in_torch) <= torch, in_torch
    assert len(set(on_the_way) - set(in_torch)) <= more, set(on_the_way) - set(in_torch)
