/** Pointers, wheel and keys on a canvas, in device pixels. */

const WHEEL_RATE = 0.0015, PINCH_RATE = 0.01, LINE_PX = 30, KEY_PX = 40, KEY_ZOOM = 1.25;
const ARROWS = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

/** @param {HTMLCanvasElement} canvas @param {{drag: Function, zoom: Function, reset: Function}} act */
export function listen(canvas, act) {
  const down = new Map();
  const ratio = () => canvas.width / canvas.clientWidth;
  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    return [(event.clientX - box.left) * ratio(), (event.clientY - box.top) * ratio()];
  };
  const pinch = (id, before, now) => {
    const other = [...down].find(([key]) => key !== id)[1];
    const far = (one) => Math.max(1, Math.hypot(one[0] - other[0], one[1] - other[1]));
    act.zoom(far(now) / far(before), (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
  };
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const px = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : LINE_PX;
    const rate = event.ctrlKey ? PINCH_RATE : WHEEL_RATE;
    act.zoom(Math.exp(-event.deltaY * px * rate), ...place(event));
  }, { passive: false });
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button > 2) return;
    canvas.setPointerCapture(event.pointerId);
    down.set(event.pointerId, place(event));
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = down.get(event.pointerId), now = place(event);
    if (!before) return;
    if (down.size === 2) pinch(event.pointerId, before, now);
    else act.drag(now[0] - before[0], now[1] - before[1], event.buttons === 2 || event.shiftKey);
    down.set(event.pointerId, now);
  });
  for (const type of ["pointerup", "pointercancel"]) {
    canvas.addEventListener(type, (event) => down.delete(event.pointerId));
  }
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("dblclick", () => act.reset());
  canvas.addEventListener("keydown", (event) => {
    const arrow = ARROWS[event.key], px = KEY_PX * ratio();
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (arrow) act.drag(arrow[0] * px, arrow[1] * px, event.shiftKey);
    else if (event.key === "+" || event.key === "=") act.zoom(KEY_ZOOM, canvas.width / 2, canvas.height / 2);
    else if (event.key === "-") act.zoom(1 / KEY_ZOOM, canvas.width / 2, canvas.height / 2);
    else if (event.key === "0") act.reset();
    else return;
    event.preventDefault();
  });
}
