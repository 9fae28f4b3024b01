"""MkDocs hooks: README.md is the first page, results of benchmarks become pages.

Pages link as files of the repository do, so that they work where it is browsed; what lies
outside of docs/ and is no page of the site becomes plain text. A page that is named by its file,
as who browses the repository knows it, is named by its title.
"""

import importlib.util
import json
import re
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[1]
RESULTS = "benchmarks/results"
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)")
# Wrapped, not cut at the edge; beside the button that copies, not under it.
STYLE = ".md-typeset pre > code { white-space: pre-wrap; padding-right: 3em; }\n"
FENCES = re.compile(r"(^```.*?^```$)", re.M | re.S)


def on_files(files, config):
    """Add README.md as index.md, the results with their charts, and the style of code."""
    from mkdocs.structure.files import File  # only here: what follows is tested without MkDocs

    readme = (ROOT / "README.md").read_text()
    front = readme.replace("](docs/", "](").replace(f"]({RESULTS}/", "](results/")
    files.append(File.generated(config, "index.md", content=front))
    files.append(File.generated(config, "site.css", content=STYLE))
    listed = (ROOT / RESULTS / "index.md").read_text()
    files.append(File.generated(config, "results/index.md", content=listed))
    for path in sorted((ROOT / RESULTS).glob("*.json")):
        content = tables(path.stem, json.loads(path.read_text()))
        files.append(File.generated(config, f"results/{path.stem}.md", content=content))
    return files


def tables(name, data):
    """Return a file of results as Markdown, as its benchmark prints it."""
    place = ROOT / "benchmarks/shared/results.py"
    spec = importlib.util.spec_from_file_location("benchmark_results", place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.markdown(name, data)


def on_page_markdown(markdown, page, config, files):
    """Point links to results at their pages, and drop links to other files of the repository."""
    parts = FENCES.split(markdown)
    parts[::2] = [LINK.sub(lambda link: inside(link, page.file.src_uri), p) for p in parts[::2]]
    return "".join(parts)


def inside(link: re.Match[str], uri: str) -> str:
    """Return a link of a page as the site has it."""
    text, target = link[1], link[2]
    if "://" in target or target.startswith("#"):
        return link[0]
    if uri.startswith("results/"):
        target = target.replace("../../docs/", "../")
    target = target.replace(f"../{RESULTS}/", "results/")
    if target == "../README.md":
        target = "index.md"
    if uri == "index.md" and target.startswith("examples/"):
        return text
    leaves = PurePosixPath(uri).parent / target
    if outside(leaves):
        return text
    if leaves.parent.name == "results":
        target = target.replace(".json", ".md")
    path = target.partition("#")[0]
    return f"[{titled(text, path)}]({target})"


def titled(text: str, path: str) -> str:
    """Return the title of the page of docs/ that a link's text names by its file, else the text."""
    page = ROOT / "docs" / PurePosixPath(path).name
    if PurePosixPath(text).name != page.name or not page.is_file():
        return text
    return page.read_text().partition("\n")[0].removeprefix("# ")


def outside(path: PurePosixPath) -> bool:
    """Return whether a path, from the root of the site, climbs above it."""
    depth = 0
    for part in path.parts:
        depth += -1 if part == ".." else 1
        if depth < 0:
            return True
    return False
