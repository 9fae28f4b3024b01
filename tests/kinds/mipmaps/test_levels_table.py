"""kinds/mipmaps/levels_table: every column says whose error or bias it is."""

from neuralshade.kinds.mipmaps.levels_table import LevelsTable, error_table

ROW = {"level": 1, "width": 6, "height": 4, "kept": "trained", "ours": 0.0137, "box": 0.01,
       "toksvig": 0.02, "lean": 0.0, "bias": 1.0, "box_bias": 0.9, "toksvig_bias": 0.8,
       "lean_bias": 0.7}  # fmt: skip


def test_ratios_to_the_best_filter_stand_beside_the_errors(capsys):
    """Only the report had them, and headings were "of box" and "of LEAN"."""
    lights = {"mirror": 0.03, "cosine": 0.02, "environment": 0.04}
    LevelsTable([{**ROW, "light": light, "lean": best} for light, best in lights.items()]).print()
    lines = capsys.readouterr().out.splitlines()
    assert [line.split() for line in lines[1:3]] == [
        ["kept", "box", "Toksvig", "LEAN", "times", "kept", "box", "Toksvig", "LEAN"],
        ["level", "size", "kept", *["error"] * 4, "best", *["bias"] * 4],
    ]
    assert lines[3].split() == [
        "1", "6", "x", "4", "trained", "0.0137", "0.0100", "0.0200", "0.0300", "1.37",
        "1.000", "0.900", "0.800", "0.700",
    ]  # fmt: skip
    assert all(len(line) <= 100 for line in lines[1:4])
    assert "of the three filters under the same lights; below 1 is better" in lines[-2]


def test_a_narrow_place_has_each_level_beside_the_best_filter():
    def chains(*values):
        methods = ("kept", "stored_box", "stored_toksvig", "stored_lean")
        return {name: [{"symmetric": one} for one in pair]
                for name, pair in zip(methods, values, strict=True)}  # fmt: skip

    mirror = chains((0.02, 0.1), (0.03, 0.1), (0.04, 0.2), (0.05, 0.3))
    sky = chains((0.2, 0.6), (0.5, 0.6), (0.4, 0.9), (0.3, 0.8))
    maps = {"sizes": [[8, 4], [4, 2], [2, 1]], "kept": ["trained", "box"]}
    found = error_table(maps, {"mirror": mirror, "environment": sky})
    assert found.columns == ("level", "mirror", "environment")
    assert found.rows == (
        (("1: trained", "4 x 2"), ("0.0200", "box 0.0300"), ("0.2000", "LEAN 0.3000")),
        (("2: box", "2 x 1"), ("0.1000", "box 0.1000"), ("0.6000", "box 0.6000")),
    )
