"""Reports of every kind: the asset's own rows are marked, no others, by what a browser computes."""

import pytest

import neuralshade

# of each row that is shown: its first words, whether it is marked, and the background of its cells
ROWS = """() => [...document.querySelectorAll("tbody tr")].map(row => [
    row.innerText.trim().split("\\t")[0], row.className,
    [...new Set([...row.cells].map(cell => getComputedStyle(cell).backgroundColor))],
])"""
CUT = """() => [...document.querySelectorAll(".scroll")].filter(
    box => box.scrollWidth > box.clientWidth).map(box => box.innerText.slice(0, 80))"""
CLEAR = "rgba(0, 0, 0, 0)"


@pytest.fixture
def tab(browser, small_kinds, tmp_path):
    """Give a function that opens the report of a kind's small asset."""
    tabs = []

    def tab(kind, width=1200):
        page, small = tmp_path / f"{kind}.html", small_kinds[kind]
        neuralshade.report(small.asset, small.subject, page)
        tabs.append(browser.new_page(viewport={"width": width, "height": 900}))
        tabs[-1].goto(page.as_uri())
        return tabs[-1]

    yield tab
    for opened in tabs:
        opened.close()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["image", "textures"])
def test_one_row_beside_others_is_marked(tab, kind):
    """It was the rival's in the report of a texture set: a reset had less weight than the mark."""
    page = tab(kind)
    rows = page.evaluate(ROWS)
    marked = [row for row in rows if row[1] == "ours"]
    assert len(marked) == 1 and marked[0][0].startswith("neuralshade")
    assert len(marked[0][2]) == 1 and marked[0][2] != [CLEAR]
    assert all(found == [CLEAR] for _, name, found in rows if name != "ours")
    assert page.evaluate(CUT) == []


@pytest.mark.slow
def test_rows_and_columns_of_trained_levels_are_marked(tab, device):
    page = tab("mipmaps")
    rows = page.evaluate(ROWS)
    assert sum(name == "ours" for _, name, _ in rows) >= 4  # of drifts and planes
    for _, name, found in rows:
        assert (CLEAR not in found) == (name == "ours"), (name, found)
