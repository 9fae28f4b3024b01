"""docs/flags.md: what scripts/flags.py writes, which is what --help-all says."""

import importlib.util
import pathlib

ROOT = pathlib.Path(__file__).parents[2]


def test_the_page_lists_the_flags_as_they_are():
    spec = importlib.util.spec_from_file_location("flags", ROOT / "scripts/flags.py")
    flags = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(flags)
    assert (ROOT / "docs/flags.md").read_text() == flags.page(), "run scripts/flags.py"
