/** Meshes of a page, as model_mesh.py packs them. */

const FLOATS = 14; // of a corner: place, normal, two coordinates, color

/** Return corners and triangles of a mesh's arrays. */
export function unpackedMesh([triangles, ...columns], { bits, low, size, low_uv, size_uv, colored }) {
  const [places, normals, uvs] = bits.map((count) => 1 / (2 ** count - 1));
  const count = columns[0].length, corners = new Float32Array(FLOATS * count).fill(1);
  const set = (to, column, factor, from) => {
    for (let i = 0; i < count; ++i) corners[FLOATS * i + to] = from + column[i] * factor;
  };
  for (let c = 0; c < 3; ++c) set(c, columns[c], places * size, low[c]);
  for (let c = 0; c < 4; ++c) set(6 + c, columns[5 + c], uvs * size_uv[c], low_uv[c]);
  if (colored) for (let c = 0; c < 4; ++c) set(10 + c, columns[9 + c], 1 / 255, 0);
  for (let i = 0; i < count; ++i) {
    corners.set(direction(2 * columns[3][i] * normals - 1, 2 * columns[4][i] * normals - 1), FLOATS * i + 3);
  }
  return [corners, triangles];
}

/** Return the direction of a point of the square -1 to 1. */
function direction(x, y) {
  const z = 1 - Math.abs(x) - Math.abs(y), fold = Math.max(-z, 0);
  const found = [x - Math.sign(x || 1) * fold, y - Math.sign(y || 1) * fold, z];
  const length = Math.hypot(...found);
  return found.map((one) => one / length);
}
