"""cli/decode: flags become arguments, and files are listed."""

import json

import pytest

from neuralshade.cli.main import main


def run(capsys, *arguments):
    code = 0
    try:
        main(["decode", *map(str, arguments)])
    except SystemExit as ended:
        code = ended.code
    told = capsys.readouterr()
    return code, told.out, told.err


def test_files_are_listed_with_their_bytes(capsys, tmp_path, fitted_set):
    out = tmp_path / "out"
    code, told, _ = run(capsys, fitted_set.asset, "-o", out, "--map", "roughness", "--map",
                        "albedo", "--block", "bc4", "--levels", 2)  # fmt: skip
    assert code == 0
    sizes = {name: (out / f"{name}.dds").stat().st_size for name in ("albedo", "roughness")}
    lines = [f"{out}/{name}.dds: {size:,} bytes" for name, size in sizes.items()]
    assert told.splitlines() == [*lines, "decoded on cpu"]
    assert sizes["roughness"] == 148 + (6 * 4 + 3 * 2) * 8


def test_json_is_one_line(capsys, tmp_path, fitted_set):
    code, told, _ = run(capsys, fitted_set.asset, "-o", tmp_path, "--format", "png", "--map",
                        "metallic", "--region", "0,0,8,4", "--json")  # fmt: skip
    path = tmp_path / "metallic_0.png"
    assert code == 0 and json.loads(told) == {
        "asset": str(fitted_set.asset),
        "files": [{"path": str(path), "bytes": path.stat().st_size}],
        "device": None,  # metallic is the same everywhere
    }


@pytest.mark.parametrize("region", ["0,0,8", "0,0,8,-4", "a,b,c,d", "0.5,0,8,4"])
def test_a_region_that_is_none_is_misuse(capsys, tmp_path, fitted_set, region):
    code, _, told = run(capsys, fitted_set.asset, "-o", tmp_path, "--region", region)
    assert code == 2 and told == (
        f"neuralshade: Invalid value for '--region': got '{region}', need X,Y,W,H in texels, such "
        "as 0,0,256,256. See neuralshade decode --help.\n"
    )


def test_a_device_that_is_none_is_told_in_a_line(capsys, tmp_path, fitted_set):
    code, _, told = run(capsys, fitted_set.asset, "-o", tmp_path / "out", "--device", "gpu")
    assert code == 2 and told == (
        "neuralshade: device: got 'gpu', need one of auto, cpu, cuda, vulkan, metal, d3d12. "
        "Use auto.\n"
    )
    assert not (tmp_path / "out").exists()


def test_what_is_refused_is_told_in_a_line(capsys, tmp_path, fitted_set):
    code, _, told = run(capsys, fitted_set.asset, "-o", tmp_path, "--levels", 9)
    assert code == 2 and told == "neuralshade: levels: got 9, need 1 to 5. Leave it out.\n"
