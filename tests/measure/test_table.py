"""measure/table: where there is no terminal a row is a line, and nothing in it is cut."""

from neuralshade.measure.table import Column, Table

NAMES = [f"a_long_name_of_a_map_{i}" for i in range(9)]


def test_a_table_for_a_pipe_is_whole(capsys):
    row = dict.fromkeys(NAMES, 1.5) | {"name": "BC7, BC5, BC4 at half size " * 8}
    columns = [Column("", "name", right=False), *(Column(name, name, ".2f") for name in NAMES)]
    Table([row], columns).print()
    titles, line = capsys.readouterr().out.splitlines()
    assert titles.split() == NAMES
    assert line.startswith(row["name"]) and line.split()[-9:] == ["1.50"] * 9
