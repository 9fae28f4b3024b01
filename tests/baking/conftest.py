"""baking: kinds of packages that one test installs are unknown to the next."""

import pytest

from neuralshade.baking.plans.settings import baked_kinds, settings_of


@pytest.fixture(autouse=True)
def only_installed_kinds() -> None:
    """Forget the kinds that were found before: a test may install packages for itself."""
    baked_kinds.cache_clear()
    settings_of.cache_clear()
