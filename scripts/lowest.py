"""Print pyproject.toml's lower bounds as exact versions, for `make lowest`."""

import pathlib
import re

TEXT = (pathlib.Path(__file__).parent.parent / "pyproject.toml").read_text()

for name, version, marker in re.findall(r'^    "([\w-]+)>=([\d.]+)(; [^"]+)?"', TEXT, re.MULTILINE):
    print(f"{name}=={version}{marker}")
