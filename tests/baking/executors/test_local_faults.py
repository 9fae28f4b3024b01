"""baking/local_executor: what goes wrong in local processes harms no other job."""

import pytest
from fixtures.bake_faults import Faults

from neuralshade.baking.executors.local_executor import LocalExecutor


class TestLocalFaults(Faults):
    words = ("local", "2")

    @pytest.fixture
    def start(self):
        return lambda output: LocalExecutor(output, 2)
