/** Where the pointer is, marked at the same place of every pane. */

const ARM_PX = 9; // CSS pixels
const GAP_PX = 3;
const OUTLINE_FROM = 8; // device pixels of one pixel: from here on the pixel itself is framed

/**
 * @param {CanvasRenderingContext2D} context
 * @param {import("./viewport.js").Viewport} viewport
 * @param {{u: number, v: number}} cursor
 * @param {boolean} own whether the pointer is over this pane, and needs no second mark
 */
export function paintCursor(context, viewport, { u, v }, own) {
  const place = viewport.rect();
  const framed = viewport.scale >= OUTLINE_FROM && !viewport.continuous;
  if (own && !framed) return;
  const path = new Path2D();
  if (framed) {
    const x = Math.floor(u * viewport.width) * viewport.scale + place.left;
    const y = Math.floor(v * viewport.height) * viewport.scale + place.top;
    path.rect(x, y, viewport.scale, viewport.scale);
  } else {
    const ratio = window.devicePixelRatio;
    const [x, y] = [place.left + u * place.width, place.top + v * place.height];
    for (const [dx, dy] of [
      [1, 0],
      [-1, 0],
      [0, 1],
      [0, -1],
    ]) {
      path.moveTo(x + dx * GAP_PX * ratio, y + dy * GAP_PX * ratio);
      path.lineTo(x + dx * ARM_PX * ratio, y + dy * ARM_PX * ratio);
    }
  }
  context.lineWidth = 3 * window.devicePixelRatio;
  context.strokeStyle = "#000a";
  context.stroke(path);
  context.lineWidth = window.devicePixelRatio;
  context.strokeStyle = "#fff";
  context.stroke(path);
}
