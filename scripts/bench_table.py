"""Tables of docs/benchmarks.md and benchmarks/results/index.md, written from the results.

    python scripts/bench_table.py    # or make bench-table

A cell of benchmarks/claims.json is text in which <<FILE/SECTION?COLUMN=VALUE#COLUMN|FORMAT>>
stands for a number of benchmarks/results/FILE.json. FILE:RUN is one run of a file that holds
several; ~PATTERN behind a column takes a part of its text; /1000 behind a format divides. Several
rows give a range. `#count` and `#total COLUMN` count rows and sum a column.
"""

import json
import re
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
RESULTS, PAGE = ROOT / "benchmarks/results", ROOT / "docs/benchmarks.md"
CLAIMS = ROOT / "benchmarks/claims.json"  # by heading: what is claimed, ours, the peer's
HEAD = ["| what | ours | peer | machine | command | file |", "|---|---|---|---|---|---|"]
QUERY = re.compile(r"<<(.*?)>>")
COMMAND_CHARACTERS = 64

INTRODUCTION = """\
# Benchmarks

One row a claim: ours, the peer, the machine, the command and the file of the numbers.
`make bench-table` writes this page from [benchmarks/results](../benchmarks/results/index.md).
`make bench` runs all of it on your machine; `neuralshade bench` is short ([bench.md](bench.md)).

Files have versions, date and the whole command. PSNR is of stored files. JPEG, WebP and AVIF are
files that no shader samples at random. More on [pictures](compare.md),
[texture sets](textures-quality.md), [mip levels](mipmaps-quality.md),
[materials](material-speed.md) and [the engine](performance.md).
"""

INDEX = """\
# Results of benchmarks

One file a claim and device. A file has `machine` (what it was measured on, and the command) and
tables, or `runs` of such. `make bench-table` writes this index and
[docs/benchmarks.md](../../docs/benchmarks.md).
"""

CHART = """\
![Samples a second while training, against the batch](images/benchmarks.png)

*One H200, logarithmic axes: A24, B and C of [bench.md](bench.md). tiny-cuda-nn is of another run on
such a GPU. Source: [examples/charts.py](../examples/charts.py).*
"""


def loaded(name: str) -> dict[str, Any]:
    """Return FILE, or one run of it by FILE:RUN."""
    file, _, run = name.partition(":")
    data: dict[str, Any] = json.loads((RESULTS / f"{file}.json").read_text())
    return data["runs"][run] if run else data


def numbers(value: object) -> list[Decimal]:
    """Return a cell's numbers: one, or several with spaces between; none of an empty one."""
    return [Decimal(part) for part in str(value).split()]


def answer(query: str) -> str:
    """Return what a query stands for. Raises: KeyError or ValueError where there is nothing."""
    name, _, rest = query.partition("/")
    section, _, rest = rest.partition("?")
    where, _, rest = rest.partition("#")
    column, _, form = rest.partition("|")
    column, _, pattern = column.partition("~")
    wanted = dict(pair.partition("=")[::2] for pair in where.split("&") if pair)
    rows = [row for row in loaded(name)[section]
            if all(str(row[key]) == value for key, value in wanted.items())]  # fmt: skip
    if not rows:
        raise ValueError(f"{query}: no such row")
    if column == "count":
        return str(len(rows))
    if column.startswith("total "):
        return str(sum(row[column.removeprefix("total ")] for row in rows))
    if not form:
        (value,) = (row[column] for row in rows)
        return str(value)
    values = [row[column] for row in rows]
    if pattern:
        values = [re.search(pattern, value)[1] for value in values]  # type: ignore[index]
    form, _, divisor = form.partition("/")
    found = [number / Decimal(divisor or 1) for value in values for number in numbers(value)]
    least, most = rounded(min(found), form), rounded(max(found), form)
    return least if least == most else f"{least} to {most}"


def rounded(number: Decimal, form: str) -> str:
    """Return a number by a format such as ,.1f; halves go up, as people round."""
    places = int(form.rstrip("f").rpartition(".")[2])
    return f"{number.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP):{form}}"


def filled(cell: str) -> str:
    """Return a cell with its numbers."""
    return QUERY.sub(lambda found: answer(found[1]), cell)


def machine_of(about: dict[str, Any]) -> str:
    """Return what a file was measured on, in few words."""
    gpu = str(about.get("gpu") or about.get("device") or "")
    for name in ("H200", "H100", "llvmpipe"):
        if name in gpu or name in str(about.get("trained in PyTorch on", "")):
            return {"llvmpipe": "software Vulkan, 2 CPU cores"}.get(name, name)
    cpu = "AMD EPYC" if "EPYC" in about["cpu"] else "Intel Xeon"
    return f"{about.get('cores', 2)} cores, {cpu}"


def source_of(ours: str) -> tuple[str, str, str]:
    """Return machine, command and file of the first number of a cell."""
    query = QUERY.search(ours)
    assert query, ours
    name = query[1].partition("/")[0]
    about, file = loaded(name)["machine"], name.partition(":")[0]
    command = about["command"].replace("python benchmarks/", "").replace("|", ",")
    command = re.sub(r"\S+/(\w+\.nsh)", r"\1", command)  # no folders of that machine
    if len(command) > COMMAND_CHARACTERS:
        command = command[:COMMAND_CHARACTERS].rpartition(" ")[0] + " ..."
    machine = "H200" if name.startswith("decode_textures_cuda") else machine_of(about)
    if name == "splats_kodak":
        machine = "H200"  # where the fits were made; the file was measured elsewhere
    if "Without a GPU" in query[1]:
        machine = "2 cores, AMD EPYC"
    return machine, command, file


def page() -> str:
    """Return docs/benchmarks.md."""
    parts = [INTRODUCTION]
    for title, claims in json.loads(CLAIMS.read_text()).items():
        lines = [f"## {title}", "", *HEAD]
        for claim in claims:
            machine, command, file = source_of(claim["ours"])
            link = f"[{file}](../benchmarks/results/{file}.json)"
            found = [filled(claim["ours"]), filled(claim["peer"])]
            cells = [claim["what"], *found, machine, f"`{command}`", link]
            lines.append("| " + " | ".join(cells) + " |")
        parts.append("\n".join(lines) + "\n")
        if title == "Networks on a GPU":
            parts.append(CHART)
    return "\n".join(parts)


def index() -> str:
    """Return benchmarks/results/index.md: a row for each file, or each run of it."""
    rows = []
    for path in sorted(RESULTS.glob("*.json")):
        for run in json.loads(path.read_text()).get("runs", {"": None}):
            about = loaded(f"{path.stem}:{run}")["machine"]
            name = f"[{path.stem}]({path.name})" + (f", {run}" if run else "")
            command = str(about.get("command", "")).replace("|", ",")[:COMMAND_CHARACTERS]
            date = str(about.get("date", ""))[:10]
            rows.append(f"| {name} | {date} | {machine_of(about)} | {command} |")
    return "\n".join([INDEX, "| file | date | machine | command |", "|---|---|---|---|", *rows, ""])


def main() -> None:
    """Write both."""
    PAGE.write_text(page())
    (RESULTS / "index.md").write_text(index())


if __name__ == "__main__":
    main()
