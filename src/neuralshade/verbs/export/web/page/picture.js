/** View of a picture: zoom and pan far beyond its pixels, beside the source and other codings. */

const MOST_SCALE = 4096; // device pixels of one pixel
const MOST_SIDE = 4; // samples along a side of a pixel

export class PictureView {
  /** @param {any} facts of the asset @param {any} stage */
  constructor(facts, stage) {
    Object.assign(this, { facts, stage, u: 0.5, v: 0.5, scale: null, pixels: 0 });
    this.drags = "Drag to move, wheel or pinch to zoom";
  }

  /** Compile, and return the layers: the asset first, then what stands beside it. */
  async open(load) {
    const { facts } = this, { width, height, linear } = facts;
    const gain = 2 ** (facts.exposure ?? 0);
    const own = { title: facts.title, program: await load.program(facts.shaders.picture),
      words: await load.words(), linear, gain,
      inputs: (w, h) => this.#inputs(w, h, Math.min(MOST_SIDE, Math.ceil(this.#step(w) * width - 0.01))) };
    const image = facts.beside.length ? await load.program(facts.shaders.image) : null;
    const beside = await Promise.all(facts.beside.map(async (one) => ({ title: one.title,
      about: one.about, program: image, textures: [await load.image(one.file)], linear: false, gain: 1,
      inputs: (w, h) => this.#inputs(w, h, 1, [one.width, one.height, this.pixels]) })));
    return [own, ...beside];
  }

  get #canvas() {
    return this.stage.canvas;
  }

  /** Device pixels of one pixel where all of it is seen. */
  get #fit() {
    const { width, height } = this.facts;
    return Math.min(this.#canvas.width / width, this.#canvas.height / height);
  }

  #step(across) {
    const scale = (this.scale ?? this.#fit) * (across / this.#canvas.width);
    return 1 / (this.facts.width * scale);
  }

  #inputs(width, height, side, more = []) {
    const du = this.#step(width);
    const dv = (du * this.facts.width) / this.facts.height * (width / height)
      * (this.#canvas.height / this.#canvas.width);
    side = Math.max(1, side);
    const inputs = new Float32Array(64);
    inputs.set([this.u - (du * width) / 2, this.v - (dv * height) / 2, du, dv,
      side, 1 / side ** 2, 0, 0, ...more]);
    return inputs;
  }

  drag(dx, dy) {
    const scale = this.scale ?? this.#fit;
    this.u = clamped(this.u - dx / (this.facts.width * scale));
    this.v = clamped(this.v - dy / (this.facts.height * scale));
  }

  zoom(factor, x, y) {
    const before = this.scale ?? this.#fit;
    const scale = Math.min(Math.max(before * factor, this.#fit / 4), MOST_SCALE);
    const { width, height } = this.#canvas;
    this.u = clamped(this.u + ((x - width / 2) / this.facts.width) * (1 / before - 1 / scale));
    this.v = clamped(this.v + ((y - height / 2) / this.facts.height) * (1 / before - 1 / scale));
    this.scale = scale;
  }

  reset() {
    Object.assign(this, { u: 0.5, v: 0.5, scale: null });
  }

  key(name) {
    if (name !== "p" || !this.facts.beside.length) return false;
    this.pixels = 1 - this.pixels;
    return true;
  }

  /** Return what the statistics say of the view. */
  get state() {
    return `${((this.scale ?? this.#fit)).toPrecision(3)} device pixels a pixel`;
  }
}

const clamped = (x) => Math.min(Math.max(x, -0.5), 1.5);
