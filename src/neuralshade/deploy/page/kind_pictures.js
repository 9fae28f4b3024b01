/** Flat pictures, side by side: what any scene without a plane is. */

/** @returns {import("./kinds.js").Kind} */
export function pictures() {
  return {
    applies: () => true,
    panes: (scene) => scene.panes,
    enter: () => {},
    request: () => ({}),
    coarseness: () => 1,
    drag: () => false,
  };
}
