"""Writes tests/data/: assets and checkpoints of every kind, small ones, and what is in them.

They were made by commit e18cfda, so that a test shows that files from before the tree was
restructured still load; made again by a later commit they would show nothing. Run it with that
commit's package: python make_older_files.py FOLDER. It needs a GPU or software Vulkan. With a
second folder it writes there what the package says of the files in the first, and makes none.
"""

import contextlib
import hashlib
import json
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path

import numpy as np

import neuralshade
from neuralshade import FitInterrupted, FitOptions

SIZE = (9, 7)  # of what is rendered
TORCH = {"engine": "torch", "device": "cpu"}
IMAGE = {"steps": 100, "warmup": 0, "precision": "float32", "seed": 3}
DENSE = "dense_grid:levels=2,features=2,coarsest=3,width=12,height=8"
SPLATS = {"count": 30, "steps": 60, "compositing": "normalized", "seed": 3}
MIPMAPS = {"steps": 40, "pool": 16, "pairs": 4, "reuse": 2}
SHADER = {"steps": 40, "threads": "16x16", "size": "18x12", "seed": 3}
TINT = """import neuralshade.model.trainable;

struct Task : ITask
{
    [Trainable(0.05)] [Range(0, 1)] [Start(0.5)] float3 tint;
    [Trainable(0.05)] Texture<float3> map;
    [Trainable(0.01)] Network<2, 3, 1, 8, Relu, None> net;
    Picture<float3> photo;
    float strength = 1.0;

    [Differentiable]
    float loss(no_diff Thread thread)
    {
        float2 uv = thread.random.next_uniform().xy;
        float3 d = color(uv) - photo.sample(uv);
        return strength * dot(d, d);
    }

    [Differentiable]
    float3 color(no_diff float2 uv)
    {
        float x[2] = { uv.x, uv.y };
        float y[3] = net.eval(x);
        return tint * (1 + map.sample(uv)) + float3(y[0], y[1], y[2]);
    }

    float3 render(float2 uv)
    {
        return color(uv);
    }
}
"""
IMPORTING = """import neuralshade.model.encoding;
import neuralshade.model.frequency;
import neuralshade.model.trainable;
import inks;

struct Task : ITask
{
    [Trainable(0.02)] GridEncoding<2, 2, 4, 12, 8> grid;
    [Trainable(0.02)] HashEncoding<3, 2, 6, 4, 18> table;
    [Trainable(0.01)] Network<14, 3, 1, 16, Silu, Sigmoid> net;
    Picture<float3> photo;

    [Differentiable]
    float loss(no_diff Thread thread)
    {
        float2 uv = thread.random.next_uniform().xy;
        float3 d = color(uv) - photo.sample(uv);
        return dot(d, d);
    }

    [Differentiable]
    float3 color(no_diff float2 uv)
    {
        float a[4] = grid.eval(uv);
        float b[6] = table.eval(uv);
        float c[4] = no_diff(encode<Frequency<1>>(uv));
        float x[14] = { a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3], b[4], b[5],
                        c[0], c[1], c[2], c[3] };
        float y[3] = net.eval(x);
        return inked(float3(y[0], y[1], y[2]));
    }

    float3 render(float2 uv)
    {
        return color(uv);
    }
}
"""
INKS = """[Differentiable]
float3 inked(float3 color)
{
    return color * float3(1.0f, 0.9f, 0.8f);
}
"""


def smooth(height: int, width: int):
    """Return a smooth picture: float32 [height, width, 3] in [0.1, 0.9]."""
    row, col = np.mgrid[0:height, 0:width].astype(np.float32)
    waves = [0.5 + 0.4 * np.sin(row / (3 + i) + col / (5 + i)) for i in range(3)]
    return np.stack(waves, axis=2).astype(np.float32)


def rock(seed: int, width: int, height: int) -> dict[str, np.ndarray]:
    """Return the maps of a bumpy surface."""
    rng = np.random.default_rng(seed)
    normal = np.concatenate(
        [rng.normal(0, 0.25, (height, width, 2)), np.ones((height, width, 1))], axis=2
    )
    normal /= np.linalg.norm(normal, axis=2, keepdims=True)
    maps = {"albedo": rng.random((height, width, 3)), "normal": normal,
            "roughness": rng.uniform(0.3, 0.9, (height, width)),
            "metallic": np.ones((height, width))}  # fmt: skip
    return {name: values.astype(np.float32) for name, values in maps.items()}


def texture_set(name: str, maps: dict[str, np.ndarray]):
    """Return the set of ``rock``'s maps."""
    return neuralshade.TextureSet(
        name, maps["albedo"], maps["normal"], maps["roughness"], maps["metallic"], None, {}, ()
    )


def interrupted(fit, *arguments, options=None, **settings):
    """Fit until a quarter of the steps are made: a checkpoint is left."""
    step = settings["steps"] // 4
    with contextlib.suppress(FitInterrupted):
        fit(*arguments, options=FitOptions(**(options or {})),
            observer=lambda p: p.step >= step and signal.raise_signal(signal.SIGINT),
            **settings)  # fmt: skip
        raise AssertionError("the fit ended before it was interrupted")


def bits(path) -> str:
    """Return the digest of an asset's tensors; its header has the time it took."""
    state = hashlib.sha256()
    for name, values in sorted(neuralshade.load(path).tensors.items()):
        state.update(f"{name} {values.dtype} {values.shape}".encode() + values.tobytes())
    return state.hexdigest()


def make() -> None:
    """Fill this folder; names are relative, as assets of tasks keep them."""
    neuralshade.save_picture("photo.png", smooth(16, 24), "srgb")
    np.savez_compressed("maps.npz", **rock(0, 12, 8))
    Path("tint.slang").write_text(TINT)
    Path("importing.slang").write_text(IMPORTING)
    Path("inks.slang").write_text(INKS)
    values = {"photo": "photo.png", "map.size": (5, 3)}
    textures = texture_set("rock", dict(np.load("maps.npz")))
    away = Path(tempfile.mkdtemp())
    torch = FitOptions(**TORCH)

    neuralshade.fit_image("photo.png", "image_grid.nsh", options=torch, bpp=16.0, **IMAGE)
    neuralshade.fit_image("photo.png", "image_hash.nsh", options=torch, hidden_width=8,
                          encoding="hash_grid:levels=3,log2_entries=6,finest=16 + "
                          "frequency:octaves=2", **IMAGE)  # fmt: skip
    for compositing in ("over", "sum", "normalized"):
        neuralshade.fit_splats("photo.png", f"splats_{compositing}.nsh",
                               **SPLATS | {"compositing": compositing})  # fmt: skip
    neuralshade.fit_mipmaps(textures, away / "mips", **MIPMAPS)
    shutil.copy(away / "mips/rock.nsh", "mipmaps.nsh")
    family = [texture_set(name, rock(seed, 16, 16)) for seed, name in enumerate("ab")]
    neuralshade.fit_mipmaps_family(family, "mip_family.nsh", away / "family", **MIPMAPS)
    neuralshade.fit_shader("tint.slang", "shader.nsh", values=values, **SHADER)
    neuralshade.fit_shader("importing.slang", "shader_import.nsh",
                           values={"photo": "photo.png"}, **SHADER)  # fmt: skip

    interrupted(neuralshade.fit_image, "photo.png", "image.nsh", options=TORCH,
                encoding=DENSE, hidden_width=8, **IMAGE)  # fmt: skip
    interrupted(neuralshade.fit_splats, "photo.png", "splats.nsh", **SPLATS)
    interrupted(neuralshade.fit_mipmaps, textures, away / "parted", **MIPMAPS)
    shutil.copy(away / "parted/rock.checkpoint.nsh", "mipmaps.checkpoint.nsh")
    interrupted(neuralshade.fit_shader, "tint.slang", "tint.nsh", values=values, **SHADER)
    Path("tint.checkpoint.nsh").rename("shader.checkpoint.nsh")


def short(rows: list) -> list:
    """Return rows with six digits of each number."""
    return [{name: float(f"{value:.6g}") if isinstance(value, float) else value
             for name, value in row.items()} for row in rows]  # fmt: skip


def expectations() -> tuple[dict, dict]:
    """Return what this package says of all files, and what it draws and trains."""
    found, arrays = {"assets": {}, "evaluated": {}, "resumed": {}}, {}
    for path in sorted(Path().glob("*.nsh")):
        if path.name.endswith(".checkpoint.nsh"):
            continue
        info = neuralshade.info(path)
        del info["path"]
        found["assets"][path.name] = info
        if path.name != "mip_family.nsh":  # it shows nothing
            arrays[path.stem] = neuralshade.render(path, size=SIZE)
    textures = texture_set("rock", dict(np.load("maps.npz")))
    compared = {"image_grid": "photo.png", "splats_sum": "photo.png", "mipmaps": textures,
                "shader": None}  # fmt: skip
    for name, target in compared.items():
        rows = neuralshade.evaluate(f"{name}.nsh", target)
        found["evaluated"][name] = short(rows[:1] if name != "mipmaps" else rows)

    def resumed(name: str) -> dict:
        return {"options": FitOptions(resume=f"{name}.checkpoint.nsh")}

    away = Path(tempfile.mkdtemp())
    options = FitOptions(resume="image.checkpoint.nsh", **TORCH)
    image = neuralshade.fit_image("photo.png", away / "image.nsh", options=options)
    splats = neuralshade.fit_splats("photo.png", away / "splats.nsh", **resumed("splats"))
    mipmaps = neuralshade.fit_mipmaps(textures, away / "mipmaps", **resumed("mipmaps"))
    shader = neuralshade.fit_shader("tint.slang", away / "shader.nsh", **resumed("shader"),
                                    values={"photo": "photo.png", "map.size": (5, 3)})  # fmt: skip
    arrays |= {f"shader.{name}": values for name, values in shader.members.items()}
    arrays["resumed"] = neuralshade.render(image.asset, size=SIZE)
    found["resumed"] = {
        "image": {"steps": image.steps, "psnr_db": image.psnr_db, "bits": bits(image.asset)},
        "splats": {"steps": splats.steps, "psnr_db": splats.psnr_db, "count": splats.count},
        "mipmaps": {"steps": mipmaps.steps, "loss": mipmaps.loss, "kept": list(mipmaps.kept),
                    "bits": bits(mipmaps.asset)},
        "shader": {"steps": shader.steps, "loss": shader.loss},
    }  # fmt: skip
    return found, arrays


if __name__ == "__main__":
    place = Path(sys.argv[1])
    output = Path(sys.argv[2] if len(sys.argv) > 2 else place).resolve()  # of what is told
    place.mkdir(parents=True, exist_ok=True)
    output.mkdir(parents=True, exist_ok=True)
    os.chdir(place)
    if len(sys.argv) == 2:
        make()
    told, drawn = expectations()
    (output / "expected.json").write_text(json.dumps(told) + "\n")
    np.savez_compressed(output / "expected.npz", **drawn)
