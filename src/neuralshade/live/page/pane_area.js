/** The panes: what each shows, their common zoom and pan, and when they are drawn. */

import { Arrangement } from "./arrange.js";
import { byId } from "./dom.js";
import { listen } from "./gestures.js";
import { paintChecks, paintCursor, paintPicture } from "./paint.js";
import { errorOf, flipOf, isLike, isResult, needed, offerPanes } from "./panes.js";
import { Pictures } from "./pictures.js";
import { coarseness } from "./samples.js";
import { Divider, Slot } from "./slot.js";
import { Viewport } from "./viewport.js";

const MOST_PANES = 3;

export class PaneArea {
  constructor() {
    this.root = byId("pane-area");
    this.arrangement = new Arrangement(this.root);
    this.viewport = new Viewport();
    this.pictures = new Pictures();
    this.slots = [1, 2, 3].map((number) => new Slot(number));
    this.requested = MOST_PANES;
    this.wiping = false;
    this.error_scale = 4;
    this.error_form = "grey"; // or heat, flip
    /** @type {import("./types.js").Scene | null} */ this.scene = null;
    /** @type {import("./panes.js").Offer | null} */ this.offer = null;
    /** @type {{u: number, v: number, slot: Slot | null} | null} */ this.cursor = null;
    /** @type {((context: CanvasRenderingContext2D, viewport: Viewport) => void)[]} over results */
    this.over = [];
    /** @type {() => void} called when another region or pane must be requested */
    this.onview = () => {};
    /** @type {(u: number, v: number) => void} */ this.onpoint = () => {};
    /** @type {() => void} called when buttons may have to change */ this.onlayout = () => {};
    /** @type {(dx: number, dy: number, pane: string) => boolean} whether it took the drag */
    this.ondrag = () => false; // CSS pixels
    this.drawing = 0;
    this.divider = new Divider(this.slots[0].well, () => this.invalidate());
    this.root.append(...this.slots.map((slot) => slot.root));
    const sizes = new ResizeObserver((entries) => this.#resized(entries));
    for (const slot of this.slots) this.#attach(slot, sizes);
    new ResizeObserver(() => this.#arrange()).observe(this.root);
    this.layout();
  }

  /** @param {import("./types.js").Scene | null} scene */
  show(scene) {
    const other = scene?.id !== this.scene?.id || scene?.name !== this.scene?.name;
    if (other && isLike(scene, this.scene)) this.pictures.outlive();
    else if (other) this.pictures.clear();
    this.scene = scene;
    if (scene) {
      this.viewport.setPicture(scene.width, scene.height, scene.continuous);
      this.offer = offerPanes(scene);
      const { entries, first } = this.offer;
      this.slots.forEach((slot, i) => slot.offer(entries, first[i], first[1]));
      this.root.style.setProperty("--aspect", String(scene.width / scene.height));
    } else this.offer = null;
    this.layout();
  }

  get most() {
    return Math.min(MOST_PANES, this.offer?.entries.length ?? 1);
  }

  get count() {
    return this.wiping ? 1 : Math.min(this.requested, this.most);
  }

  get active() {
    return this.slots.slice(0, this.count);
  }

  /** Return the view to request; for lit panes with as many pixels as the screen. */
  request() {
    const lit = this.panes.some((pane) => this.isLit(pane));
    return this.viewport.request(lit);
  }

  /** Return the reference of each pane that has errors. */
  get beside() {
    return this.offer?.beside ?? new Map();
  }

  /** Return how errors are shown: by FLIP only where the server draws that. */
  get form() {
    const drawn = this.flips.length || this.error_form !== "flip";
    return drawn ? this.error_form : "grey";
  }

  /** Return the panes with a FLIP error map from the server. */
  get flips() {
    return (this.scene?.panes ?? []).filter((pane) => pane.startsWith(flipOf("")));
  }

  /** Return the panes to request from the server. */
  get panes() {
    const names = this.active.flatMap((slot) => slot.shown);
    return needed(names, this.beside, this.form);
  }

  layout() {
    if (this.most < 2) this.wiping = false;
    const titles = this.offer?.titles ?? new Map();
    this.slots.forEach((slot, i) => {
      const shown = i < this.count;
      slot.root.hidden = !shown;
      if (shown) slot.label(this.wiping, titles);
      else delete slot.canvas.dataset.pane;
    });
    this.root.classList.remove("roomy");
    this.divider.root.hidden = !this.wiping;
    this.root.hidden = !this.scene;
    byId("nothing").hidden = Boolean(this.scene);
    byId("toolbar").hidden = byId("values").hidden = !this.scene;
    this.#arrange();
    this.#widen();
    this.onlayout();
    this.moved();
  }

  /** Draw what is there after a move, and request what is missing. */
  moved() {
    const zoomed = !this.viewport.isWhole;
    this.root.classList.toggle("zoomed", zoomed);
    this.onlayout();
    this.invalidate();
    this.onview();
  }

  invalidate() {
    this.drawing ||= requestAnimationFrame(() => this.draw());
  }

  draw() {
    cancelAnimationFrame(this.drawing);
    this.drawing = 0;
    for (const slot of this.active) this.#drawSlot(slot);
    this.#widen();
  }

  /** @param {string} name @returns {import("./types.js").Picture | null} */
  picture(name) {
    const compared = errorOf(name);
    if (compared === null) return this.pictures.latest.get(name) ?? null;
    if (this.form === "flip") return this.pictures.latest.get(flipOf(compared)) ?? null;
    const scale = this.form === "heat" ? -this.error_scale : this.error_scale;
    return this.pictures.errors.of(compared, this.beside.get(compared) ?? "", scale, this.isLit(name));
  }

  /** Whether a pane is lit, or an error of what is. @param {string} name */
  isLit(name) {
    return this.scene?.light?.panes.includes(errorOf(name) ?? name) ?? false;
  }

  /** Return the panes whose numbers are listed: the pointed one, those shown, and their references. */
  get measured() {
    const { slot } = this.cursor ?? {};
    const names = [slot, ...this.active].flatMap((each) => each?.shown ?? []);
    const whole = names.flatMap((name) => {
      const pane = errorOf(name) ?? name;
      return [pane, this.beside.get(pane) ?? ""];
    });
    return [...new Set(whole)].filter(Boolean);
  }

  /** Whether a pane still shows the previous scene. @param {string} name */
  isEarlier(name) {
    return needed([name], this.beside, this.form).some((pane) => this.pictures.earlier.has(pane));
  }

  #drawSlot(/** @type {Slot} */ slot) {
    const { context, canvas } = slot;
    context.clearRect(0, 0, canvas.width, canvas.height);
    if (slot.wiping) {
      const cut = Math.round(this.divider.share * canvas.width);
      this.#drawPane(context, slot.pane, 0, cut);
      this.#drawPane(context, slot.second, cut, canvas.width);
    } else this.#drawPane(context, slot.pane, 0, canvas.width);
    if (this.cursor) paintCursor(context, this.viewport, this.cursor, this.cursor.slot === slot);
    const seen = slot.shown.map((name) => this.picture(name));
    const [latest] = seen;
    if (!latest) return slot.describe(this.#lacking(slot.pane));
    const timeless = latest.step === null || [...this.beside.values()].includes(slot.pane);
    const step = timeless ? "" : ` \u00b7 step ${latest.step?.toLocaleString("en-US")}`;
    const earlier = slot.shown.some((name) => this.isEarlier(name));
    // first: of a narrow pane, the end of the line is cut off
    const before = earlier ? "earlier: " : coarseness(seen);
    slot.describe(`${before}${latest.width} x ${latest.height}${step}`);
  }

  /** Return the reason why a pane has no picture. */
  #lacking(/** @type {string} */ name) {
    const compared = errorOf(name);
    const made = [compared ?? "", this.beside.get(compared ?? "") ?? ""];
    const drawn = made.every((pane) => this.pictures.latest.has(pane));
    return drawn ? "waits until both are as sharp" : "not drawn yet";
  }

  /** Draw one pane between two columns of the canvas. */
  #drawPane(
    /** @type {CanvasRenderingContext2D} */ context,
    /** @type {string} */ name,
    /** @type {number} */ left,
    /** @type {number} */ right,
  ) {
    context.save();
    context.beginPath();
    context.rect(left, 0, right - left, context.canvas.height);
    context.clip();
    const error = errorOf(name) !== null;
    const transparent = !error && [2, 4].includes(this.scene?.channels ?? 3);
    if (transparent) paintChecks(context, this.viewport.rect());
    const whole = error || transparent ? null : this.pictures.whole.get(name);
    const picture = this.picture(name);
    if (whole && whole !== picture) paintPicture(context, this.viewport, whole);
    if (picture) paintPicture(context, this.viewport, picture);
    if (this.scene && isResult(name, this.scene)) for (const paint of this.over) paint(context, this.viewport);
    context.restore();
  }

  #attach(/** @type {Slot} */ slot, /** @type {ResizeObserver} */ sizes) {
    try {
      sizes.observe(slot.canvas, { box: "device-pixel-content-box" });
    } catch {
      sizes.observe(slot.canvas); // Safari: without that box, sizes are rounded in #resized
    }
    slot.onchoice = () => this.layout();
    listen(slot.canvas, {
      zoom: (factor, x, y) => {
        this.viewport.zoomAt(this.viewport.scale * factor, x, y);
        this.moved();
      },
      drag: (dx, dy, event) => {
        const ratio = window.devicePixelRatio;
        const shifted = event.shiftKey || event.buttons === 4;
        if (!shifted && this.ondrag(dx / ratio, dy / ratio, slot.paneAt(this.divider.share, event))) return;
        this.viewport.panBy(dx, dy);
        this.moved();
      },
      fit: () => this.showWhole(),
      point: (x, y) => this.#point(slot, x, y),
      leave: () => {
        this.cursor = null;
        this.invalidate();
      },
    });
  }

  showWhole() {
    this.viewport.fit();
    this.moved();
  }

  /** @param {Slot} slot @param {number} x @param {number} y */
  #point(slot, x, y) {
    const [u, v] = this.viewport.toPicture(x, y);
    const inside = u >= 0 && u < 1 && v >= 0 && v < 1;
    this.cursor = inside ? { u, v, slot } : null;
    this.invalidate();
    if (inside) this.onpoint(u, v);
  }

  /** @param {ResizeObserverEntry[]} entries */
  #resized(entries) {
    for (const { target, contentRect, devicePixelContentBoxSize } of entries) {
      const canvas = /** @type {HTMLCanvasElement} */ (target);
      const exact = devicePixelContentBoxSize?.[0];
      const width = exact?.inlineSize ?? Math.round(contentRect.width * devicePixelRatio);
      const height = exact?.blockSize ?? Math.round(contentRect.height * devicePixelRatio);
      if (!width || !height) continue; // hidden
      if (canvas.width !== width) canvas.width = width;
      if (canvas.height !== height) canvas.height = height;
    }
    const { width, height } = this.slots[0].canvas;
    this.viewport.setPane(width, height);
    this.draw(); // at once: a resized canvas is empty
    this.onlayout();
    this.onview();
  }

  #arrange() {
    if (!this.scene || !this.root.clientHeight) return;
    this.arrangement.arrange(this.count, this.slots[0].caption.offsetHeight, this.scene);
  }

  /** Give captions two lines each where one has no room in its own; all, as panes are of one size. */
  #widen() {
    if (this.root.classList.contains("roomy") || !this.active.some((slot) => slot.isCrowded)) return;
    this.root.classList.add("roomy");
    this.#arrange();
  }
}
