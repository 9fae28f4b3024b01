"""The bill of materials of a release: CycloneDX of what locks/ lists, made by each build.

hatchling runs it: the wheel has it in .dist-info/sboms (PEP 770), the source package at its root.
"""

import json
import pathlib
import re
import shutil
import tempfile
import uuid
from collections.abc import Iterable, Mapping
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NAME = "neuralshade.cdx.json"
COMMIT = "COMMIT"  # read by base/commit.py
LOCKS = ("all.txt", "torch.txt")  # PyTorch without CUDA is the same version, built otherwise
ENTRY = re.compile(r"(?m)^([a-z][\w-]*)==(\S+)(?: ; (.+?))? \\\n((?:    .+\n)+)")
VIA = re.compile(r"(?m)^    # +(?:via )?(?!via$)([a-z][\w-]*)(?: \(.+\))?$")


def components(lock: str) -> list[dict[str, Any]]:
    """Return what a lock lists: name, version, marker, hashes, and the names of who needs it."""
    return [
        {
            "name": name,
            "version": version,
            "marker": marker,
            "hashes": re.findall(r"--hash=sha256:(\w+)", rest),
            "needed_by": VIA.findall(rest),
        }
        for name, version, marker, rest in ENTRY.findall(lock)
    ]


def reached(starts: Iterable[str], found: list[dict[str, Any]]) -> set[str]:
    """Return the names that a package needs which needs ``starts``."""
    names = {re.split(r"[^\w.-]", need, maxsplit=1)[0].lower().replace("_", "-") for need in starts}
    while True:
        more = {c["name"] for c in found if names & set(c["needed_by"])} - names
        if not more:
            return names
        names |= more


def bill(
    name: str, version: str, needs: Iterable[str], extras: Mapping[str, Iterable[str]],
    locks: Iterable[str],
) -> dict[str, Any]:  # fmt: skip
    """Return the bill as CycloneDX 1.6 has it; equal arguments give equal bytes.

    Args:
        needs, extras: requirements, as the package's metadata give them. What only the extra
            ``dev`` takes is marked as excluded: it is no part of what runs.
        locks: the texts of all locks.
    """
    found = [component for lock in locks for component in components(lock)]
    required = reached(needs, found)
    others = (need for extra, many in extras.items() if extra != "dev" for need in many)
    optional = reached(others, found)
    own = f"pkg:pypi/{name}@{version}"
    edges: dict[str, list[str]] = {own: []}
    for c in found:
        c["ref"] = f"pkg:pypi/{c['name']}@{c['version']}"
        edges[c["ref"]] = []
    for c in found:
        users = [user["ref"] for user in found if user["name"] in c["needed_by"]]
        for user in [*users, own] if name in c["needed_by"] else users:
            edges[user].append(c["ref"])
    listed = [_component(c, required, optional) for c in found]
    told: dict[str, Any] = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "library", "bom-ref": own, "name": name, "version": version, "purl": own,
                "licenses": [{"license": {"id": "Apache-2.0"}}],
            },
        },
        "components": listed,
        "dependencies": [{"ref": ref, "dependsOn": sorted(needs)} for ref, needs in edges.items()],
    }  # fmt: skip
    serial = uuid.uuid5(uuid.NAMESPACE_URL, own + json.dumps(listed))
    return {**told, "serialNumber": f"urn:uuid:{serial}"}


def _component(c: dict[str, Any], required: set[str], optional: set[str]) -> dict[str, Any]:
    scope = "required" if c["name"] in required else "optional"
    files = [{"alg": "SHA-256", "content": digest} for digest in c["hashes"]]
    told = {
        "type": "library",
        "bom-ref": c["ref"],
        "name": c["name"],
        "version": c["version"],
        "scope": scope if c["name"] in required | optional else "excluded",
        "purl": c["ref"],
        # of each of its files, of which a system takes one
        "externalReferences": [{"type": "distribution", "url": c["ref"], "hashes": files}],
    }
    if c["marker"]:
        told["properties"] = [{"name": "neuralshade:marker", "value": c["marker"]}]
    return told


def commit_of(package: pathlib.Path) -> str | None:
    """Return what base/commit.py says of a package that is not installed yet."""
    place = package / "base/commit.py"
    text = place.read_text().replace("from neuralshade.base.version import VERSION", "")
    names: dict[str, Any] = {"__file__": str(place)}
    exec(compile(text, place, "exec"), names)
    found: str | None = names["commit_of"](package)
    return found


class CustomBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """Puts the bill into what is built."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write it where the build finds it; an editable install has none."""
        if version == "editable":
            return
        core, root = self.metadata.core, pathlib.Path(self.root)
        texts = [(root / "locks" / name).read_text() for name in LOCKS]
        told = bill(core.name, core.version, core.dependencies, core.optional_dependencies, texts)
        self._folder = tempfile.mkdtemp(prefix="neuralshade-")
        path = pathlib.Path(self._folder, NAME)
        path.write_text(json.dumps(told, indent=1) + "\n")
        if self.target_name == "wheel":
            build_data["sbom_files"].append(str(path))
        else:
            build_data["force_include"][str(path)] = NAME
        self._include_commit(root, build_data)

    def _include_commit(self, root: pathlib.Path, build_data: dict[str, Any]) -> None:
        """Put the commit beside the package where there is one, for --version."""
        commit = commit_of(root / "src/neuralshade")
        if commit is not None:
            path = pathlib.Path(self._folder, COMMIT)
            path.write_text(commit + "\n")
            place = "neuralshade" if self.target_name == "wheel" else "src/neuralshade"
            build_data["force_include"][str(path)] = f"{place}/{COMMIT}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the file that was packed."""
        shutil.rmtree(getattr(self, "_folder", ""), ignore_errors=True)
