"""Machine code of the presets' kernels for NVIDIA GPUs, for the wheel: what `make kernels` runs.

    python scripts/make_kernels.py [sm_90a ...]

Writes src/neuralshade/gpu/shipped/ARCHITECTURE.zip, each in several minutes; without names all of
ARCHITECTURES. Needs the extra `cuda` and no GPU: engines of fits are put together on a stand-in
that notes the kernels they ask for. A wheel that is built afterwards brings the archives along.
They are for the sources as they are: after a change of any Slang file they are of no effect.
"""

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.base.atomic import whole_file
from neuralshade.base.cores import core_count
from neuralshade.fitting.recipe import from_dict
from neuralshade.gpu.cuda_cache import compile_kernel, kernel_parts, packed_kernel
from neuralshade.gpu.cuda_compiler import architecture as architecture_of
from neuralshade.gpu.device import NVIDIA_VENDOR_ID, AdapterInfo
from neuralshade.gpu.gpu import KernelText
from neuralshade.gpu.shipped_kernels import FOLDER, shipped_name, write_archive
from neuralshade.kinds.image.budget import passes_of, resolve
from neuralshade.kinds.image.build import build_gpu_engine as build_image
from neuralshade.kinds.image.presets import preset_recipe
from neuralshade.kinds.material.gpu_engine import GpuMaterialEngine
from neuralshade.kinds.material.recipe import PRESETS as DECODERS
from neuralshade.kinds.material.recipe import MaterialRecipe
from neuralshade.kinds.material.references.reference_bsdf import ReferenceBsdf, ReferenceKernels
from neuralshade.kinds.splats.build import build_splat_engine
from neuralshade.kinds.splats.recipe import SplatsRecipe
from neuralshade.kinds.textures.build import build_gpu_engine as build_textures
from neuralshade.kinds.textures.channels import codings_of, trained_levels
from neuralshade.kinds.textures.layout import decoder_bits, latent_rate, with_grids
from neuralshade.kinds.textures.recipe import TexturesRecipe
from neuralshade.kinds.textures.spectrum import ROUGH, SMOOTH
from neuralshade.kinds.textures.texels import Texels
from neuralshade.source.material_mips import mip_sizes
from neuralshade.source.material_set import MaterialMap, MaterialSet
from neuralshade.source.picture import picture_from_array

Floats = npt.NDArray[np.float32]

ARCHITECTURES = {  # compute capability, and group-shared bytes a group may take
    (8, 0): 166_912, (8, 6): 101_376, (8, 9): 101_376, (9, 0): 232_448, (10, 0): 232_448,
    (12, 0): 101_376,
}  # fmt: skip
PICTURES = ((512, 4.0), (512, 16.0), (256, 4.0), (96, 4.0))  # side and bpp: the classes of networks
SETS = (  # maps that sets usually have
    ("albedo", "normal", "roughness"),
    ("albedo", "normal", "roughness", "ao"),
    ("albedo", "normal", "roughness", "metallic"),
    ("albedo", "normal", "roughness", "ao", "displacement"),
    ("albedo", "normal", "roughness", "metallic", "ao"),
    ("albedo", "normal", "roughness", "metallic", "ao", "displacement"),
)
SIDE = 64  # of such a set
VALUES = (1, *range(8, 21))  # of materials' graphs, read by their encoders; folders of maps: 8
CHANNELS = {"albedo": (3, "srgb"), "normal": (3, "normal")}  # of others one, data


class NotedGpu:
    """A Gpu that only notes the kernels it is asked for."""

    api, name, multiprocessors, most_groups = "cuda", "none", 132, 2**31 - 1

    def __init__(self, capability: tuple[int, int], shared_bytes: int):
        self.adapter = AdapterInfo(
            self.name, self.api, False, ("atomic_float", "atomic_int64", "half", "wave_ops"),
            NVIDIA_VENDOR_ID, (32, 32), "", capability, self.multiprocessors, shared_bytes,
        )  # fmt: skip
        self.noted: dict[KernelText, None] = {}

    def prepare(self, kernels: Sequence[KernelText]) -> None:
        self.noted |= dict.fromkeys(kernels)

    def kernel(self, text: str, entry: str, variables: Mapping[str, Any], *, shared_bytes: int = 0,
               fast_math: bool = False, folder: Any = None) -> None:  # fmt: skip
        if folder is None:
            self.noted[KernelText(text, entry, fast_math)] = None

    def occupancy(self, kernel: object) -> int:
        return 1

    def steps(self, dispatches: object) -> None:
        return None

    def __getattr__(self, name: str) -> Any:
        """Return a stand-in for buffers, rings, readers and commands, which do nothing."""
        return lambda *_, **__: Nothing()


class Nothing:
    """A stand-in of which every method does nothing."""

    size = 0

    def __getattr__(self, name: str) -> Any:
        return lambda *_, **__: None


def note_pictures(gpu: Any) -> None:
    """Let ``gpu`` note the kernels of pictures with the presets grid and detail."""
    rng = np.random.default_rng(0)
    for side, bpp in PICTURES:
        for channels in (1, 3, 4):
            picture = picture_from_array(rng.integers(256, size=(side, side, channels), dtype="u1"))
            recipe = resolve(preset_recipe("grid", {"steps": 1, "bpp": bpp}), picture)
            searched = passes_of(recipe, picture, True) > 0
            build_image(recipe, picture, gpu, "auto", False, searched=searched)


def note_splats(gpu: Any) -> None:
    """Let ``gpu`` note the kernels of pictures as Gaussians."""
    for channels in (1, 3, 4):
        pixels = np.random.default_rng(0).integers(256, size=(64, 64, channels), dtype="u1")
        recipe = from_dict(SplatsRecipe, {"count": 16, "steps": 1})
        build_splat_engine(recipe, picture_from_array(pixels), gpu, 16)


def material_set(names: Sequence[str]) -> MaterialSet:
    """Return a random set of maps."""
    rng = np.random.default_rng(0)
    maps = []
    for name in names:
        channels, meaning = CHANNELS.get(name, (1, "data"))
        values = rng.random((SIDE, SIDE, channels), np.float32)
        if meaning == "normal":
            values[..., 2] += 1
            values /= np.linalg.norm(values, axis=2, keepdims=True)
        maps.append(MaterialMap(name, values, meaning, 8, None))
    return MaterialSet("set", tuple(maps))


def note_textures(gpu: Any) -> None:
    """Let ``gpu`` note the kernels of texture sets at the usual rate."""
    for names in SETS:
        textures = material_set(names)
        codings = codings_of(textures)
        levels = len(mip_sizes(SIDE, SIDE, None))
        texels = Texels(trained_levels(textures, codings, levels), None)
        for layouts in (ROUGH, SMOOTH):
            recipe = with_grids(TexturesRecipe(), layouts)
            recipe = replace(recipe, network_bits=decoder_bits(recipe),
                             latent_rate=latent_rate(recipe))  # fmt: skip
            build_textures(recipe, texels, codings, gpu, "auto", False, searched=True)


class NotedReference(ReferenceKernels):
    """A material of ``count`` values, whose own kernels are not noted: each has others."""

    def __init__(self, gpu: Any, count: int):
        names = tuple(f"value_{index}" for index in range(count))
        super().__init__(gpu, ReferenceBsdf("none", "", names, {}))

    def parameters(self, uv: Floats) -> Floats:
        return np.random.default_rng(0).random((len(uv), self.value_count), np.float32)

    def eval(self, uv: Floats, wi: Floats, wo: Floats) -> Floats:
        return np.full((len(uv), 3), 0.5, np.float32)

    def prepare(self, kernels: object) -> None:
        pass

    def compiled(self, kernel: object, variables: object) -> Any:
        return None


def note_materials(gpu: Any) -> None:
    """Let ``gpu`` note the kernels of materials that do not depend on the material's graph."""
    for count in VALUES:
        decoders = DECODERS.values() if count == VALUES[0] else [DECODERS["standard"]]
        for decoder in decoders:
            recipe = from_dict(MaterialRecipe, {"steps": 1, **decoder})
            GpuMaterialEngine(recipe, NotedReference(gpu, count), gpu, "auto", False)


def noted_kernels(capability: tuple[int, int]) -> list[KernelText]:
    """Return the kernels of the presets on a GPU of that capability."""
    gpu = NotedGpu(capability, ARCHITECTURES[capability])
    for note in (note_pictures, note_splats, note_textures, note_materials):
        note(gpu)
    return list(gpu.noted)


def built_kernels(kernels: Sequence[KernelText], name: str) -> Iterator[tuple[str, bytes]]:
    """Compile kernels for an architecture; yield their names and contents."""

    def built(kernel: KernelText) -> tuple[str, bytes]:
        made = compile_kernel(kernel.text, kernel.entry, name, kernel.fast_math, None)
        parts = kernel_parts(kernel.text, kernel.entry, name, kernel.fast_math)
        return shipped_name(parts), packed_kernel(made)

    with ThreadPoolExecutor(core_count()) as pool:
        for count, one in enumerate(pool.map(built, kernels), 1):
            print(f"\r{name}: {count} of {len(kernels)}", end="", file=sys.stderr, flush=True)
            yield one
    print(file=sys.stderr)


def main() -> None:
    """Write the archives of the named architectures."""
    known = {architecture_of(capability): capability for capability in ARCHITECTURES}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("architectures", nargs="*", metavar="NAME", help=", ".join(known))
    named = parser.parse_args().architectures or list(known)
    for name in named:
        if name not in known:
            parser.error(f"got {name}, need one of {', '.join(known)}")
    FOLDER.mkdir(exist_ok=True)
    for name in named:
        path = FOLDER / f"{name}.zip"
        with whole_file(path) as partial:
            write_archive(partial, built_kernels(noted_kernels(known[name]), name))
        print(f"{path}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
