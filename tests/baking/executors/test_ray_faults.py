"""baking/ray_executor: what goes wrong in a cluster harms no other job."""

import pytest
from fixtures.bake_faults import Faults

from neuralshade.baking.executors.ray_executor import RayExecutor

pytestmark = pytest.mark.slow  # a cluster takes seconds to start


class TestRayFaults(Faults):
    @pytest.fixture(autouse=True)
    def on_cluster(self, ray_cluster):
        self.cluster, self.words = ray_cluster, ("ray", ray_cluster.address)

    @pytest.fixture
    def start(self, ray_cluster):
        return lambda output: RayExecutor(ray_cluster.address, output)

    def machine_dies(self):
        self.cluster.kill(self.cluster.nodes[0])
        self.cluster.add()
        return True
