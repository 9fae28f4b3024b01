"""base/lazy_import: modules load without the collector, which is as it was afterwards."""

import gc
import sys

import pytest

from neuralshade.base.lazy_import import import_object

SEEN = "import gc\nseen = gc.isenabled()\n"


@pytest.fixture
def collector():
    before = gc.isenabled()
    yield
    (gc.enable if before else gc.disable)()


@pytest.mark.parametrize("on", [True, False])
@pytest.mark.parametrize("end", ["", "raise ValueError('own')\n"])
def test_nothing_is_collected_while_a_module_loads(tmp_path, monkeypatch, collector, on, end):
    (tmp_path / "loads_now.py").write_text(SEEN + end)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "loads_now", raising=False)
    (gc.enable if on else gc.disable)()
    if end:
        with pytest.raises(ValueError, match="own"):
            import_object("loads_now:seen")
    else:
        assert import_object("loads_now:seen") is False
        del sys.modules["loads_now"]
    assert gc.isenabled() is on
