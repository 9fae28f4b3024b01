"""neuralshade sample: an input for a first fit of each kind."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from neuralshade.base.atomic import whole_file
from neuralshade.base.did_you_mean import did_you_mean
from neuralshade.base.message_text import folder_failure
from neuralshade.errors import ConfigError, OutputError

PHOTO_PX = (300, 200)  # 20 s of one slow core are enough: 38.9 dB at 4 bits a pixel, BC1 37.5
MAPS_PX = 256


@dataclass(frozen=True)
class Sample:
    """Name of a sample, the function that writes it, and the command that fits it."""

    output: str
    write: Callable[[Path], None]  # into an empty file, or an empty folder
    command: str
    folder: bool = False


def write_photo(path: Path) -> None:
    """Write scikit-image's photograph of a cat (CC0) as PNG."""
    import skimage.data
    from PIL import Image

    photo = Image.fromarray(skimage.data.chelsea())
    photo.resize(PHOTO_PX, Image.Resampling.LANCZOS).save(path, "png")


def write_maps(folder: Path, size: int = MAPS_PX) -> None:
    """Write albedo, normal, roughness, ao and displacement of bricks as 8-bit PNG."""
    import numpy as np
    from PIL import Image

    from neuralshade.verbs.sample.bricks import brick_maps

    for name, values in brick_maps(size).items():
        pixels = np.rint(values.clip(0, 1) * 255).astype(np.uint8)
        Image.fromarray(pixels).save(folder / f"{name}.png")


def _copied(name: str) -> Callable[[Path], None]:
    source = Path(__file__).with_name(name)

    def write(path: Path) -> None:
        path.write_bytes(source.read_bytes())

    return write


SAMPLES = {
    "photo": Sample("photo.png", write_photo, "fit image photo.png"),
    "bricks": Sample("bricks", write_maps, "fit textures bricks/", folder=True),
    "copper": Sample("copper.toml", _copied("copper.toml"), "fit material copper.toml"),
    "task": Sample("task.slang", _copied("task.slang.txt"), "fit shader task.slang"),
}


def write_sample(name: str, output: str | os.PathLike[str] | None = None) -> Path:
    """Write a sample and return its path; by default its name in the current folder.

    Raises: ConfigError for an unknown name; OutputError where the path exists or is not
        writable.
    """
    if name not in SAMPLES:
        raise ConfigError(f"sample: got {name!r}, need one of {list(SAMPLES)}."
                          f"{did_you_mean(name, SAMPLES)}")  # fmt: skip
    sample = SAMPLES[name]
    path = Path(sample.output if output is None else output)
    if os.path.lexists(path):
        raise OutputError(f"{path}: got a file or folder that is there already, need a new name. "
                          "Write elsewhere with -o.")  # fmt: skip
    if sample.folder:
        _write_folder(path, sample.write)
    else:
        with whole_file(path) as partial:
            sample.write(partial)
    return path


def _write_folder(path: Path, write: Callable[[Path], None]) -> None:
    """Write a folder whole or not at all."""
    try:
        partial = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
    except OSError as error:
        raise OutputError(f"{path}: got {folder_failure(error)}, need a folder for the sample. "
                          "Create its parent, or choose another.") from error  # fmt: skip
    try:
        write(partial)
        partial.chmod(0o755)  # the mode of mkdir; temporary folders are private
        os.rename(partial, path)
    except OSError as error:
        raise OutputError(f"{path}: got '{error.strerror}' while writing, need a writable place. "
                          "Choose another path.") from error  # fmt: skip
    finally:
        shutil.rmtree(partial, ignore_errors=True)
