"""scene/bvh: the tree finds what trying every triangle finds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neuralshade.gpu.gpu import run_once
from neuralshade.scene.bvh import LEAF, build_bvh

KERNEL = """
import neuralshade.scene.bvh;
Meshes meshes;
StructuredBuffer<float4> rays;
RWStructuredBuffer<float4> found;
[shader("compute")] [numthreads(64, 1, 1)]
void cast(uint i : SV_DispatchThreadID)
{
    Hit hit = meshes.hit(rays[2u * i].xyz, rays[2u * i + 1u].xyz, 1e30f, false);
    found[i] = float4(hit.distance, float(int(hit.triangle)), hit.place);
}
"""
RAYS = 512


def soup(count, seed, spread=1.0):
    """Return triangles anywhere, of sizes from tiny to large: float32 [count, 3, 3]."""
    noise = np.random.default_rng(seed)
    middle = noise.normal(size=(count, 1, 3)) * spread
    size = np.exp(noise.uniform(-5, 0, (count, 1, 1)))
    return (middle + size * noise.normal(size=(count, 3, 3))).astype(np.float32)


def nearest(corners, begin, along):
    """Return the distance of the nearest triangle of each ray, trying all, in float64."""
    a, ab, ac = (corners[:, 0], corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    p = np.cross(along[:, None], ac)
    det = (p * ab).sum(2)
    offset = begin[:, None] - a
    u = (offset * p).sum(2) / det
    q = np.cross(offset, ab)
    v, far = (along[:, None] * q).sum(2) / det, (q * ac).sum(2) / det
    return np.where((u >= 0) & (v >= 0) & (u + v <= 1) & (far > 0), far, np.inf).min(1)


def leaves(bvh):
    """Return (first, count) of all leaves, having looked that boxes hold their children's."""
    words = bvh.nodes.view(np.uint32)
    found, stack = [], [0]
    while stack:
        node = stack.pop()
        first, count = divmod(int(words[node, 3]), 8)
        if count:
            found.append((first, count))
            continue
        for child in (first, first + 1):
            assert (bvh.nodes[child, :3] >= bvh.nodes[node, :3]).all()
            assert (bvh.nodes[child, 4:7] <= bvh.nodes[node, 4:7]).all()
            stack.append(child)
    return found


@settings(max_examples=30)
@given(st.integers(1, 300), st.integers(0, 2**32 - 1), st.sampled_from([0.0, 1.0, 1e4]))
def test_every_triangle_lies_in_one_leaf_and_its_box(count, seed, spread):
    corners = soup(count, seed, spread)
    bvh = build_bvh(corners)
    assert sorted(bvh.order) == list(range(count))
    words = bvh.nodes.view(np.uint32)
    spans = leaves(bvh)
    assert sorted(i for first, n in spans for i in range(first, first + n)) == list(range(count))
    assert max(n for _, n in spans) <= LEAF
    for node in np.flatnonzero(words[:, 3] % 8):
        first, n = divmod(int(words[node, 3]), 8)
        held = corners[bvh.order[first : first + n]].reshape(-1, 3)
        assert (held >= bvh.nodes[node, :3]).all() and (held <= bvh.nodes[node, 4:7]).all()


def test_equal_triangles_are_split_evenly():
    bvh = build_bvh(np.repeat(soup(1, 0), 1000, axis=0))
    assert len(bvh.nodes) < 1000


@pytest.mark.parametrize("count", [1, 5, 700])
def test_rays_meet_what_brute_force_finds(gpu, noise, count):
    corners = soup(count, count)
    begin = noise.normal(size=(RAYS, 3)) * 3
    along = corners.mean(1)[noise.integers(0, count, RAYS)] - begin
    along += 0.05 * noise.normal(size=(RAYS, 3))
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    begin, along = begin.astype(np.float32), along.astype(np.float32)
    bvh = build_bvh(corners)
    rays = np.pad(np.stack([begin, along], 1), ((0, 0), (0, 0), (0, 1))).astype(np.float32)
    found = gpu.buffer(size=16 * RAYS)
    unread = gpu.buffer(size=64)  # what a surface's colours are read by
    meshes = {"nodes": gpu.buffer(bvh.nodes), "edges": gpu.buffer(bvh.edges),
              "vertices": unread, "triangles": unread}  # fmt: skip
    variables = {"meshes": meshes, "rays": gpu.buffer(rays), "found": found}
    run_once(gpu, [(gpu.kernel(KERNEL, "cast", variables), RAYS // 64)])
    had = found.read().view(np.float32).reshape(-1, 4)[:, 0]
    wanted = nearest(corners.astype(np.float64), begin.astype(float), along.astype(float))
    wanted = np.where(np.isinf(wanted), 1e30, wanted)
    assert (wanted < 1e30).sum() > RAYS // 20
    wrong = ~np.isclose(had, wanted, rtol=1e-3)  # float32, triangles seen from their side
    assert wrong.mean() < 0.005  # rays along an edge may go either way
