/**
 * The kinds of view. A further one (textures on a lit sphere, say) is a module with the same
 * functions and a line in KINDS; the first that applies to a scene is taken.
 *
 * @typedef {object} Kind
 * @property {(scene: import("./types.js").Scene) => boolean} applies
 * @property {(scene: import("./types.js").Scene) => string[]} panes first shown first
 * @property {(scene: import("./types.js").Scene | null) => void} enter null: leave
 * @property {() => object} request what it adds to a `view` message
 * @property {() => number} coarseness by which each side of a view is divided, 1 mostly
 * @property {(dx: number, dy: number) => boolean} drag whether it took the drag; CSS pixels
 */

import { pictures } from "./kind_pictures.js";
import { plane } from "./kind_plane.js";

/** @param {() => void} changed called when a view must be asked for again @returns {Kind[]} */
export function buildKinds(changed) {
  return [plane(changed), pictures()];
}
