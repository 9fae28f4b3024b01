/**
 * What a canvas shows: one or two layers, drawn in bands that never block for long.
 *
 * A layer is {program, words, textures, linear, gain, samples, inputs(width, height, sample)}; one
 * of meshes has draws(width, height, sample) in place of the last, each with a program. While
 * something moves, and at first, it is drawn smaller; then whole, band by band; then, where it has
 * several samples, again and again, each time as the mean of all so far, which it reads from its
 * first texture.
 */

const BAND_MS = 50, MOVING_MS = 50, SHOWN_MS = 100, LEAST_BAND = 4096;
const FIRST_SCALE = 4, MOST_SCALE = 8, LEAST_SAMPLES = 4, MOST_SPENT_MS = 4000;

export class Stage {
  constructor(gpu, canvas, present) {
    Object.assign(this, { gpu, canvas, present, background: [0, 0, 0] });
    this.layers = [];
    this.wipe = 1; // share of the width that the first layer has
    this.ns = new Map(); // of a pixel, by program
    this.band = new Map(); // pixels that take about BAND_MS, by program
    this.shown = 0; // when the canvas was drawn last
    this.moving = false;
    this.stopped = false;
    this.drawn = new Promise((drawn) => { this.#drawn = drawn; });
    this.settled = Promise.resolve();
  }

  #drawn;
  #settle = () => {};
  #running = false;

  /** Show these layers. */
  show(layers) {
    for (const layer of this.layers) if (!layers.includes(layer)) this.#free(layer);
    this.layers = layers;
    this.change();
  }

  /** Draw again: something of the view has changed. */
  change(moving = false) {
    this.moving = moving;
    for (const layer of this.layers) layer.stale = true;
    if (!this.#running) this.#run();
  }

  /** Only the present step has changed: the wipe, the exposure, the background. */
  again() {
    this.fresh = true;
    if (!this.#running) this.#run();
  }

  stop() {
    this.stopped = true;
  }

  async #run() {
    this.#running = true;
    this.settled = new Promise((settled) => { this.#settle = settled; });
    for (;;) {
      await new Promise(requestAnimationFrame);
      if (this.stopped) return;
      this.#resize();
      const layer = this.#next;
      this.fresh = false;
      try {
        if (layer) await this.#step(layer);
      } catch (error) {
        this.stopped = true;
        throw error;
      }
      if (this.stopped) return;
      const due = !this.#next || !this.layers.some((one) => one.rows)
        || performance.now() - this.shown > SHOWN_MS;
      if (due && this.layers.every((one) => one.back)) {
        this.#show();
        this.#drawn();
        await this.gpu.done(); // or the next band would seem to take that long too
        this.shown = performance.now();
      }
      if (this.moving && !this.layers.some((one) => one.stale)) {
        await new Promise((go) => setTimeout(go, 60));
        if (!this.layers.some((one) => one.stale)) this.moving = false;
      }
      if (!this.fresh && !this.#next) break;
    }
    this.#running = false;
    this.#settle();
  }

  /** The layer to draw next, if any is; asked anew after each wait, in which the view may change. */
  get #next() {
    return this.layers.find((one) => one.stale) ?? this.layers.find((one) => !this.#whole(one));
  }

  #whole(layer) {
    const { passes, samples = 1, spent } = layer;
    return passes >= samples || (passes >= LEAST_SAMPLES && spent > MOST_SPENT_MS);
  }

  /** Draw the next part of a layer. */
  async #step(layer) {
    const { width, height } = this.canvas, ns = this.ns.get(layer.program);
    if (layer.stale) {
      layer.stale = false;
      layer.rows = layer.passes = layer.spent = 0;
      let scale = ns === undefined ? FIRST_SCALE : 1;
      const budget = MOVING_MS * 1e6;
      while (scale < MOST_SCALE && width * height * ns > budget * scale ** 2) scale *= 2;
      if (scale === 1) return this.#band(layer, height);
      const small = [Math.ceil(width / scale), Math.ceil(height / scale)];
      layer.small = this.#target(layer.small, ...small);
      await this.#draw(layer, layer.small, [0, small[1]], 0);
      layer.back = layer.small;
      return;
    }
    if (this.moving) return;
    await this.#band(layer, Math.max(1, Math.floor(this.band.get(layer.program) / width)));
  }

  async #band(layer, rows) {
    const { width, height } = this.canvas;
    const target = layer.back === layer.one ? "two" : "one";
    layer[target] = this.#target(layer[target], width, height);
    layer.front = layer[target];
    const end = Math.min(height, layer.rows + rows);
    await this.#draw(layer, layer.front, [layer.rows, end], layer.passes);
    layer.rows = end;
    if (end < height) return;
    layer.back = layer.front;
    layer.rows = 0;
    layer.passes += 1;
  }

  async #draw(layer, texture, rows, sample) {
    const before = texture === layer.small ? null : layer.back; // none is read while it is drawn
    const begin = performance.now(), { width, height } = texture;
    const draws = layer.draws?.(width, height, sample)
      ?? [{ program: layer.program, words: layer.words, textures: layer.textures,
        inputs: layer.inputs(width, height, sample) }];
    for (const { program, words, textures = [], inputs, mesh, clears } of draws) {
      const all = layer.samples ? [before ?? this.#blank(), ...textures] : textures;
      this.gpu.draw(program, { targets: [{ texture }], words, textures: all, rows, inputs, mesh, clears });
    }
    await this.gpu.done();
    const ms = performance.now() - begin;
    layer.spent += ms;
    this.#learn(layer.program, width * (rows[1] - rows[0]), ms);
  }

  /** Learn how much can be drawn at once: each draw has a latency, so bands grow step by step. */
  #learn(program, pixels, ms) {
    const most = this.band.get(program) ?? pixels;
    const factor = Math.min(Math.max(BAND_MS / Math.max(ms, 0.1), 0.5), 2);
    const next = factor < 1 ? pixels * factor : Math.max(most, pixels * factor);
    this.band.set(program, Math.max(LEAST_BAND, next));
    const ns = (ms * 1e6) / pixels, before = this.ns.get(program);
    if (pixels >= 0.5 * most) this.ns.set(program, before ? 0.7 * before + 0.3 * ns : ns);
  }

  #show() {
    const [a, b = a] = this.layers, { canvas } = this;
    const gain = (one) => (one.linear ? one.gain ?? 1 : 0);
    const inputs = new Float32Array(64);
    inputs.set([canvas.width, canvas.height, +this.gpu.flipped, 0,
      a.rows / canvas.height, b.rows / canvas.height, b === a ? 2 : this.wipe, 0,
      gain(a), gain(b), 0, 0, ...this.background]);
    const textures = [a, b].flatMap((one) => [one.back, one.front ?? one.back]);
    this.gpu.draw(this.present, { textures, inputs });
  }

  #target(texture, width, height) {
    if (texture?.width === width && texture.height === height) return texture;
    texture?.free();
    return this.gpu.texture(width, height, 1, "light");
  }

  #blank() {
    this.blank ??= this.gpu.texture(1, 1, 1, "light");
    return this.blank;
  }

  #resize() {
    const { canvas } = this, ratio = Math.min(devicePixelRatio, this.gpu.largest / 4096);
    const width = Math.max(1, Math.round(canvas.clientWidth * ratio));
    const height = Math.max(1, Math.round(canvas.clientHeight * ratio));
    if (canvas.width === width && canvas.height === height) return;
    Object.assign(canvas, { width, height });
    for (const layer of this.layers) layer.stale = true;
  }

  #free(layer) {
    for (const name of ["small", "one", "two"]) layer[name]?.free();
    Object.assign(layer, { small: null, one: null, two: null, back: null, front: null });
  }
}
