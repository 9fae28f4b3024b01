/** Onto a pane's canvas: pictures, crisp where magnified, smooth where reduced; and the pointer. */

/** @typedef {import("./types.js").Picture} Picture */

const CRISP_FROM = 4; // device pixels: from here on, uneven widths of magnified pixels do not show
const CHECK_PX = 8;
const ARM_PX = 9; // CSS pixels
const GAP_PX = 3;
const OUTLINE_FROM = 8; // device pixels of one pixel: from here on the pixel itself is framed

/** @type {OffscreenCanvas | null} */
let between = null;
/** @type {CanvasPattern | null} */
let checks = null;

/**
 * Draw what of `picture` lies on the pane, where its region says.
 * @param {CanvasRenderingContext2D} context
 * @param {import("./viewport.js").Viewport} viewport
 * @param {Picture} picture
 */
export function paintPicture(context, viewport, picture) {
  const place = viewport.rect();
  const [u0, v0, u1, v1] = picture.region;
  const scaleX = ((u1 - u0) * place.width) / picture.width;
  const scaleY = ((v1 - v0) * place.height) / picture.height;
  const left = place.left + u0 * place.width;
  const top = place.top + v0 * place.height;
  // Only the pixels seen: far zoomed in, the whole would be larger than a canvas can address.
  const [x0, x1] = seen(left, scaleX, context.canvas.width, picture.width);
  const [y0, y1] = seen(top, scaleY, context.canvas.height, picture.height);
  if (x1 <= x0 || y1 <= y0) return;
  const [width, height] = [x1 - x0, y1 - y0];
  const to = [left + x0 * scaleX, top + y0 * scaleY, width * scaleX, height * scaleY];
  if (isWhole(scaleX, picture.width) && isWhole(scaleY, picture.height)) {
    context.imageSmoothingEnabled = false;
    draw(context, picture.source, [x0, y0, width, height], to.map(Math.round));
  } else if (scaleX >= CRISP_FROM) {
    context.imageSmoothingEnabled = false;
    draw(context, picture.source, [x0, y0, width, height], to);
  } else if (scaleX > 1) {
    paintEven(context, picture.source, [x0, y0, width, height], to, Math.ceil(scaleX));
  } else {
    context.imageSmoothingEnabled = true;
    context.imageSmoothingQuality = "high";
    draw(context, picture.source, [x0, y0, width, height], to);
  }
}

/** Fill the rectangle of a picture that has alpha with checks. */
export function paintChecks(
  /** @type {CanvasRenderingContext2D} */ context,
  /** @type {{left: number, top: number, width: number, height: number}} */ place,
) {
  checks ??= context.createPattern(checkedTile(), "repeat");
  if (!checks) return;
  context.fillStyle = checks;
  const left = Math.max(0, place.left);
  const top = Math.max(0, place.top);
  const right = Math.min(context.canvas.width, place.left + place.width);
  const bottom = Math.min(context.canvas.height, place.top + place.height);
  context.fillRect(left, top, Math.max(0, right - left), Math.max(0, bottom - top));
}

/**
 * Mark where the pointer is, at the same place of every pane.
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

/**
 * Draw slightly magnified pixels all of one width: enlarged by a whole number, then reduced.
 * @param {CanvasRenderingContext2D} context
 * @param {CanvasImageSource} source
 * @param {number[]} from
 * @param {number[]} to
 * @param {number} times
 */
function paintEven(context, source, from, to, times) {
  const [width, height] = [from[2] * times, from[3] * times];
  between ??= new OffscreenCanvas(width, height);
  if (between.width < width) between.width = width;
  if (between.height < height) between.height = height;
  const large = between.getContext("2d");
  if (!large) return;
  large.imageSmoothingEnabled = false;
  large.clearRect(0, 0, width, height);
  large.drawImage(source, from[0], from[1], from[2], from[3], 0, 0, width, height);
  context.imageSmoothingEnabled = true;
  context.imageSmoothingQuality = "high";
  draw(context, between, [0, 0, width, height], to);
}

/** @param {number} start @param {number} scale @param {number} room @param {number} count */
function seen(start, scale, room, count) {
  const first = Math.max(0, Math.floor(-start / scale));
  return [first, Math.min(count, Math.ceil((room - start) / scale))];
}

/** Whether `count` pixels so enlarged end less than half a pixel off a whole number of times. */
function isWhole(/** @type {number} */ scale, /** @type {number} */ count) {
  const times = Math.round(scale);
  return times >= 1 && Math.abs(scale - times) * count < 0.5;
}

/**
 * @param {any} context
 * @param {CanvasImageSource} source
 * @param {number[]} from left, top, width, height
 * @param {number[]} to
 */
function draw(context, source, from, to) {
  context.drawImage(source, ...from, ...to);
}

function checkedTile() {
  const tile = new OffscreenCanvas(2 * CHECK_PX, 2 * CHECK_PX);
  const context = tile.getContext("2d");
  if (context) {
    context.fillStyle = "#8d8d8d";
    context.fillRect(0, 0, 2 * CHECK_PX, 2 * CHECK_PX);
    context.fillStyle = "#b4b4b4";
    context.fillRect(0, 0, CHECK_PX, CHECK_PX);
    context.fillRect(CHECK_PX, CHECK_PX, CHECK_PX, CHECK_PX);
  }
  return tile;
}
