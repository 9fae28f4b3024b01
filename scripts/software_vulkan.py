"""Give this machine a Vulkan device in software (Mesa's lavapipe), where apt can do it.

Never fails the set-up: what needs no Vulkan works without it. The user's apt configuration
stays as it is; a backports suite is named to apt for the one call that needs it.
"""

import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

PACKAGES = ("mesa-vulkan-drivers", "libvulkan1", "libatomic1")  # slangpy links the last one
OLDEST_MESA = 23  # slang-rhi demands VK_KHR_shader_non_semantic_info
OPEN = "from neuralshade.gpu.device import open_device; open_device('vulkan').close()"
APT_FOLDER = pathlib.Path("/etc/apt")


def obstacle(python: str) -> str | None:
    """Return why ``python`` opens no Vulkan device; None if it opens one."""
    done = subprocess.run([python, "-c", OPEN], capture_output=True, text=True)
    if done.returncode == 0:
        return None
    said = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
    return said[-1].split("DeviceError: ")[-1]


def apt(*arguments: str, check: bool = True) -> str:
    """Run apt-get and return what it printed; CalledProcessError where it refuses."""
    command = ["apt-get", "-qq", "-y", "-o", "DPkg::Lock::Timeout=120", *arguments]
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C"}
    done = subprocess.run(command, env=quiet, capture_output=True, text=True, check=check)
    return done.stdout


def mesa_on_offer() -> int:
    """Return the major version of Mesa that a plain install would give; 0 if none."""
    done = subprocess.run(
        ["apt-cache", "policy", PACKAGES[0]],
        env={**os.environ, "LC_ALL": "C"},
        capture_output=True,
        text=True,
        check=True,
    )
    found = re.search(r"Candidate: (?:\d+:)?(\d+)\.", done.stdout)
    return int(found[1]) if found else 0


def debian_codename() -> str | None:
    """Return the release's codename on Debian itself, else None."""
    release = platform.freedesktop_os_release()
    return release.get("VERSION_CODENAME") if release.get("ID") == "debian" else None


def archives(codename: str) -> set[tuple[str, str]]:
    """Return (address, suite as written) of each configured archive of Debian ``codename``."""
    fields = "$(ORIGIN)|$(CODENAME)|$(REPO_URI)|$(RELEASE)"
    rows = [line.split("|") for line in apt("indextargets", "--format", fields).splitlines()]
    return {(row[2].rstrip("/"), row[3]) for row in rows if row[:2] == ["Debian", codename]}


def backports_line(line: str, codename: str, known: set[tuple[str, str]]) -> str | None:
    """Turn one line of sources.list into its backports twin; None if it is another archive."""
    entry = re.fullmatch(r"\s*deb\s+(\[[^]]*\]\s+)?(\S+)\s+(\S+)\s+([^#]+).*", line)
    if entry is None or (entry[2].rstrip("/"), entry[3]) not in known:
        return None
    return f"deb {entry[1] or ''}{entry[2]} {codename}-backports {entry[4].strip()}"


def backports_stanza(stanza: str, codename: str, known: set[tuple[str, str]]) -> str | None:
    """Turn one stanza of a .sources file into its backports twin; None if it is another archive."""
    text = re.sub(r"(?m)^#.*\n?", "", stanza.strip() + "\n")
    # a value may go on over indented lines, as a key written out in Signed-By does
    pairs = re.findall(r"(?m)^([\w-]+):(.*(?:\n[ \t].*)*)", text)
    fields = {name.lower(): value for name, value in pairs}
    written = {
        (uri.rstrip("/"), suite)
        for uri in fields.get("uris", "").split()
        for suite in fields.get("suites", "").split()
    }
    if not written & known or fields.get("enabled", "yes").strip().lower() in ("no", "false", "0"):
        return None
    fields |= {"types": " deb", "suites": f" {codename}-backports"}
    return "".join(f"{name}:{value}\n" for name, value in fields.items())


def add_backports(folder: pathlib.Path, codename: str) -> None:
    """Write to ``folder`` the machine's own apt sources and, beside them, their backports twins."""
    known = archives(codename)
    lines: list[str | None] = []
    stanzas: list[str | None] = []
    one_file = APT_FOLDER / "sources.list"
    for path in [one_file, *sorted((APT_FOLDER / "sources.list.d").glob("*"))]:
        if not path.is_file():
            continue
        text = path.read_text()
        if path.suffix == ".sources":
            stanzas += [backports_stanza(s, codename, known) for s in re.split(r"\n\s*\n", text)]
        elif path.suffix == ".list":
            lines += [backports_line(line, codename, known) for line in text.splitlines()]
        if path != one_file:
            shutil.copy(path, folder / path.name)
    (folder / "neuralshade-backports.list").write_text(
        "".join(f"{line}\n" for line in lines if line)
    )
    (folder / "neuralshade-backports.sources").write_text("\n".join(s for s in stanzas if s))


def install() -> None:
    """Install the packages; CalledProcessError where apt refuses."""
    apt("update", check=False)  # another archive of this machine may be out of order
    codename = debian_codename()
    if mesa_on_offer() >= OLDEST_MESA or codename is None:
        apt("install", "--no-install-recommends", *PACKAGES)
        return
    with tempfile.TemporaryDirectory() as name:
        add_backports(pathlib.Path(name), codename)
        sources = ("-o", f"Dir::Etc::SourceParts={name}")
        apt("update", *sources, check=False)
        suite = ("-t", f"{codename}-backports")
        apt("install", *sources, "--no-install-recommends", *suite, *PACKAGES)


def main() -> None:
    """Do what can be done, and say in one line what cannot."""
    python = sys.argv[1]
    if platform.system() != "Linux" or obstacle(python) is None:
        return
    failure = ""
    if shutil.which("apt-get") and os.geteuid() == 0:
        print("setup: installing software Vulkan (Mesa) through apt", flush=True)
        try:
            install()
        except subprocess.CalledProcessError as error:
            said = (error.stderr or "").strip().splitlines() or [f"status {error.returncode}"]
            failure = f" (apt-get: {said[-1]})"
    reason = obstacle(python)
    if reason is not None:
        print(
            f"setup: all but the Slang kernels works; for them install {', '.join(PACKAGES)} by "
            f"these names of Debian and Ubuntu, on Debian 12 from its backports. {reason}{failure}"
        )


if __name__ == "__main__":
    main()
