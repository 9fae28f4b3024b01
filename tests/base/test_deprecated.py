"""base/deprecated: old names of what other packages use still work, and warn once."""

import warnings

import pytest

from neuralshade.base import deprecated
from neuralshade.model import parameters
from neuralshade.model.encoding import AxisEncoding


@pytest.fixture(autouse=True)
def _unwarned(monkeypatch):
    monkeypatch.setattr(deprecated, "_WARNED", set())


def test_an_old_name_of_a_module_is_the_new_one_and_warns_once():
    with pytest.warns(DeprecationWarning, match=r"SlangHalf is now .*SlangType"):
        assert parameters.SlangHalf is parameters.SlangType
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert parameters.SlangHalf is parameters.SlangType
    with pytest.raises(AttributeError, match="has no attribute 'Unknown'"):
        parameters.Unknown  # noqa: B018


def test_an_old_method_does_what_the_new_one_does():
    encoding = AxisEncoding(3, dimensions=3)
    with pytest.warns(DeprecationWarning, match="slang_half is now AxisEncoding.slang_type"):
        old = encoding.slang_half("frequency", "Frequency", 6)
    assert old == encoding.slang_type("frequency", "Frequency", 6)
