"""What the tests of the verbs have in common."""

import pytest


@pytest.fixture(autouse=True)
def opened_once(one_device):
    """Spare every test a device of its own."""
