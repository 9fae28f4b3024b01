"""Commands that install a driver on this system."""

from __future__ import annotations

import sys

NVIDIA = "install NVIDIA's driver: https://www.nvidia.com/drivers"
BACKPORTS = (  # Debian 12 has Mesa 22, which SlangPy refuses
    "echo 'deb http://deb.debian.org/debian bookworm-backports main' | "
    "sudo tee /etc/apt/sources.list.d/backports.list && sudo apt update && "
    "sudo apt install -y -t bookworm-backports libvulkan1 mesa-vulkan-drivers"
)
VULKAN = {  # by ID or ID_LIKE of /etc/os-release
    "debian": "sudo apt install -y libvulkan1 mesa-vulkan-drivers libatomic1",
    "ubuntu": "sudo apt install -y libvulkan1 mesa-vulkan-drivers libatomic1",
    "fedora": "sudo dnf install -y vulkan-loader mesa-vulkan-drivers",
    "rhel": "sudo dnf install -y vulkan-loader mesa-vulkan-drivers",
    "suse": "sudo zypper install -y libvulkan1 libvulkan_lvp",
    "arch": "sudo pacman -S --needed vulkan-icd-loader vulkan-swrast",
}
ANYWHERE = "install the GPU's driver, or Mesa 23 or newer with its Vulkan drivers (lavapipe)"


def vulkan_remedy() -> str:
    """Return the command that installs a Vulkan loader and driver, at least software Vulkan."""
    if sys.platform == "darwin":
        return "none needed: SlangPy takes Metal"
    if sys.platform == "win32":
        return "install the GPU's driver; it brings Vulkan"
    system = _os_release()
    if system.get("ID") == "debian" and system.get("VERSION_ID") == "12":
        return BACKPORTS
    for name in [system.get("ID", ""), *system.get("ID_LIKE", "").split()]:
        if name in VULKAN:
            return VULKAN[name]
    return ANYWHERE


def _os_release() -> dict[str, str]:
    try:
        with open("/etc/os-release", encoding="utf-8", errors="replace") as file:
            pairs = [line.strip().partition("=") for line in file]
    except OSError:
        return {}
    return {name: value.strip("\"'") for name, _, value in pairs}
