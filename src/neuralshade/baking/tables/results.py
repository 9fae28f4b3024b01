"""What a bake leaves beside its assets: bake.html, bake.csv and a requested table."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from neuralshade.baking.job import Row
from neuralshade.baking.stores.store import Store, is_url, local_path
from neuralshade.baking.tables.page import write_bake_page
from neuralshade.baking.tables.table import write_table

PAGE, TABLE = "bake.html", "bake.csv"


def write_results(store: Store, rows: Callable[[], Iterable[Row]],
                  subjects: Mapping[str, tuple[str, ...]],
                  table: str | os.PathLike[str] | None = None) -> None:  # fmt: skip
    """Write page and table into the store, and ``table`` where it is a path.

    Args:
        rows: gives all rows from the first on, each time that it is called.
        subjects: sources by the assets' names.

    Raises: OutputError.
    """
    place = store.place
    folder = None if is_url(place) else Path(local_path(place))
    title = PurePosixPath(Path(place).as_posix()).name or "bake"
    with TemporaryDirectory(prefix="neuralshade-scratch-") as made:
        page, csv = Path(made, PAGE), Path(made, TABLE)
        write_bake_page(page, rows(), title=title, folder=folder, subjects=subjects)
        write_table(csv, rows())
        store.publish(page, PAGE)
        store.publish(csv, TABLE)
    if table is not None:
        write_table(table, rows())
