"""gpu/device: what each adapter tells of itself when all of them are listed."""

import pytest

from neuralshade.gpu.device import (
    BACKENDS,
    describe_adapter,
    is_software,
    list_adapters,
    newest_profile,
)


def test_the_device_that_opens_is_listed_as_it_describes_itself(device):
    described = describe_adapter(device)
    found = [a for a in list_adapters() if (a.api, a.name) == (described.api, described.name)]
    assert [a.opened for a in found] == [described] * len(found) and found
    assert all(a.software == described.software and a.error is None for a in found)
    assert device.info.adapter_name  # still open: listing opens and closes devices of its own


def test_a_device_tells_what_the_paths_are_chosen_by(device):
    adapter = describe_adapter(device)
    least, most = adapter.subgroup_size
    assert 1 <= least <= most <= 128
    if adapter.api == "vulkan":
        assert adapter.profile.startswith("spirv_1_")
        assert adapter.vendor_id > 0


def test_hardware_comes_first_within_an_api(device):
    listed = list_adapters()
    order = [(BACKENDS.index(a.api), is_software(a.name)) for a in listed]
    assert order == sorted(order)


@pytest.mark.parametrize("capabilities, profile", [
    (["spirv", "_spirv_1_6", "_spirv_1_0", "SPV_KHR_ray_query"], "spirv_1_6"),
    (["hlsl", "_sm_6_9", "_sm_6_10", "_sm_5_1"], "sm_6_10"),
    (["metal", "_metallib_2_4", "_metallib_3_1"], "metallib_3_1"),
    (["metal"], ""),
    ([], ""),
])  # fmt: skip
def test_the_newest_profile(capabilities, profile):
    assert newest_profile(capabilities) == profile
