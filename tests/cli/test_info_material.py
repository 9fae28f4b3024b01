"""cli: what info tells of a material, whose tensors and settings have a name in common."""

import pathlib

DATA = pathlib.Path(__file__).parent.parent / "data"


def test_tensors_are_told_beside_settings_of_the_same_name(run):
    """The recipe's features stood in the tensor's place."""
    lines = run("info", DATA / "material.nsh").out
    tensors, recipe = lines[: lines.index("recipe")], lines[lines.index("recipe") :]
    (tensor,) = [line.split(maxsplit=1) for line in tensors if line.startswith("  features ")]
    assert tensor[1].startswith("uint8 [")
    (setting,) = [line.split() for line in recipe if line.startswith("  features ")]
    assert setting == ["features", "8"]
