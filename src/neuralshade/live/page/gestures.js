/** Wheel, drag, pinch and double click on a pane, in device pixels of its canvas. */

const WHEEL_RATE = 0.0015; // of one pixel of turning; a trackpad's pinch turns less
const PINCH_RATE = 0.01;
const LINE_PX = 30;

/**
 * @typedef {object} Gestures
 * @property {(factor: number, x: number, y: number) => void} zoom
 * @property {(dx: number, dy: number, event: PointerEvent) => void} drag
 * @property {() => void} fit
 * @property {(x: number, y: number) => void} point
 * @property {() => void} leave
 */

/**
 * @param {HTMLCanvasElement} canvas
 * @param {Gestures} act
 */
export function listen(canvas, act) {
  /** @type {Map<number, [number, number]>} */
  const down = new Map();

  const place = (/** @type {MouseEvent} */ event) => {
    const box = canvas.getBoundingClientRect();
    const ratio = canvas.width / box.width;
    return /** @type {[number, number]} */ ([
      (event.clientX - box.left) * ratio,
      (event.clientY - box.top) * ratio,
    ]);
  };

  canvas.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      const px = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : LINE_PX;
      const rate = event.ctrlKey ? PINCH_RATE : WHEEL_RATE;
      act.zoom(Math.exp(-event.deltaY * px * rate), ...place(event));
    },
    { passive: false },
  );
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button > 1) return;
    canvas.setPointerCapture(event.pointerId);
    down.set(event.pointerId, place(event));
    act.point(...place(event));
  });
  canvas.addEventListener("pointermove", (event) => {
    const now = place(event);
    const before = down.get(event.pointerId);
    if (before) {
      if (down.size === 2) pinch(event.pointerId, before, now);
      else if (down.size === 1) act.drag(now[0] - before[0], now[1] - before[1], event);
      down.set(event.pointerId, now);
    }
    act.point(...now);
  });
  for (const type of /** @type {const} */ (["pointerup", "pointercancel"])) {
    canvas.addEventListener(type, (event) => down.delete(event.pointerId));
  }
  canvas.addEventListener("pointerleave", () => act.leave());
  canvas.addEventListener("dblclick", () => act.fit());

  /** @param {number} id @param {[number, number]} before @param {[number, number]} now */
  function pinch(id, before, now) {
    const other = [...down].find(([key]) => key !== id)?.[1];
    if (!other) return;
    const length = (/** @type {[number, number]} */ p) =>
      Math.hypot(p[0] - other[0], p[1] - other[1]);
    act.zoom(
      length(now) / Math.max(1, length(before)),
      (now[0] + other[0]) / 2,
      (now[1] + other[1]) / 2,
    );
  }
}
