/** View of the maps of a surface: on a lit sphere, plane or cube, and each map by itself. */

import { MapTextures, clamped, decodedTextures } from "./textures.js";

const SAMPLES = 8, STEPS = [0.7548776662, 0.569840291]; // of a pixel, when all is still
const EYE = 5, SKY = 0.5, MOST_TILES = 4, FARTHEST = 0.9994, TURN = 2 * Math.PI;
const part = (x) => x - Math.floor(x);

export class MapsView {
  constructor(facts, stage, { view = "", light }) {
    const { length: lit } = facts.shapes, map = facts.maps.indexOf(view.slice(4));
    Object.assign(this, { facts, stage, moves: 0, lit, programs: {},
      names: [...facts.shapes.map((one) => `lit ${one}`), ...facts.maps] });
    this.exact = view === "lit" || view === "plane"; // as render draws it
    this.sharp = +/^(lit$|map:)/.test(view); // whether texels are
    this.drags = "Drag to turn, shift-drag for the light, wheel or pinch to zoom";
    this.shown = lit && (view === "plane" || (facts.trained && view !== "lit")) ? 1 : 0;
    if (view.startsWith("map:") && map >= 0) this.shown = lit + map;
    this.reset();
    if (light) {
      const [turn, rise] = light.split(",").map((one) => (Number(one) * Math.PI) / 180);
      this.light = [Math.cos(rise) * Math.sin(turn), Math.cos(rise) * Math.cos(turn)];
    }
  }

  async open(load) {
    const { facts } = this, { shaders } = facts;
    this.compile = async (shown) => {
      const name = this.#shader(shown);
      this.programs[name] ??= await load.program(shaders[name]);
    };
    await this.compile(this.shown);
    this.own = facts.channels ? await this.#decoded(load) : await this.#loaded(load, facts.images);
    const merge = shaders.merge && await load.program(shaders.merge, ...facts.channels.map(() => "bytes"));
    const beside = facts.beside.map(async ({ title, about, first, images }) => this.#layer(merge
      ? await this.#merged(load, merge, first, images) : await this.#loaded(load, images), { title, about }));
    return [this.#layer(this.own, { title: facts.title }), ...await Promise.all(beside)];
  }

  /** Draw levels of channels from pictures, each of three of them. */
  async #merged({ gpu, segment }, program, first, images) {
    const { facts } = this, count = images.length / (facts.levels - first);
    const made = new MapTextures(gpu, facts.channels, { ...facts, width: Math.max(1, facts.width >> first),
      height: Math.max(1, facts.height >> first), levels: facts.levels - first });
    for (let level = made.levels - 1; level >= 0; --level) {
      const size = made.size(level);
      const textures = await Promise.all(images.slice(level * count, (level + 1) * count).map(async (one) => {
        const texture = gpu.texture(...size, 1, "bytes");
        gpu.fill(texture, 0, ...size, await bitmap(await segment(one)));
        return texture;
      }));
      await made.draw(program, { textures }, level, () => false);
      for (const one of textures) one.free();
    }
    return made;
  }

  /** Name of the shader of a shape or a map. */
  #shader(shown) {
    return this.facts.shapes[shown] ?? "flat";
  }

  /** Upload the levels of textures. */
  async #loaded({ gpu, segment }, images) {
    const formats = new Map(images.map((one) => [one.name, one.format]));
    const made = new MapTextures(gpu, [...formats.keys()], this.facts, (name) => formats.get(name));
    for (const { name, levels } of images) {
      await Promise.all(levels.map(async (one, level) => gpu.fill(made.named.get(name), level,
        ...made.size(level), await bitmap(await segment(one)))));
    }
    made.finest = 0;
    this.whole = Promise.resolve();
    return made;
  }

  /** Decode levels: coarse ones now, the others while the page is shown. */
  async #decoded(load) {
    const { facts } = this;
    const { made, whole } = await decodedTextures(load, this.stage,
      facts.shaders.decode, facts.words, facts.channels, facts);
    this.whole = whole;
    return made;
  }

  #layer(textures, about) {
    const view = this, { facts: { shaders } } = this;
    return {
      ...about, gain: 1,
      get program() { return view.programs[view.#shader(view.shown)]; },
      get linear() { return !view.flat; },
      get samples() { return view.flat ? undefined : view.exact || textures.finest ? 1 : SAMPLES; },
      get textures() {
        const { textures: names } = shaders[view.#shader(view.shown)];
        return names.map((name) => textures.named.get(name)).filter(Boolean); // all but the mean
      },
      inputs: (width, height, sample = 0) => view.#inputs(textures, width, height, sample),
    };
  }

  /** Whether a map is shown by itself. */
  get flat() {
    return this.shown >= this.lit;
  }

  /** What the shaders read; see maps_shapes.py. */
  #inputs({ width: across, height: down, finest }, width, height, sample) {
    const { facts, facts: { sphere, plane, trained }, exact, scale, shown: shape } = this;
    const inputs = new Float32Array(64), set = (row, ...values) => inputs.set(values, 4 * row);
    const sharp = this.sharp * (finest === 0);
    if (this.flat) {
      const { u, v, du, dv } = this.#part(width, height);
      set(8, across, down, finest, sharp * (du * across < 1.001)); // smaller: texels are mixed
      set(12, u, v, du, dv, shape - this.lit);
      return inputs;
    }
    const ground = shape === 1, own = ground ? plane : sphere, [x, y] = this.light;
    const light = [x, y, Math.sqrt(Math.max(1 - x * x - y * y, 0))];
    const [c, s, cp, sp] = this.turn.flatMap((one) => [Math.cos(one), Math.sin(one)]);
    const rows = [[c, s * sp, -s * cp], [0, cp, sp], [s, -c * sp, c * cp]];
    const turned = (v) => rows.map((row) => row[0] * v[0] + row[1] * v[1] + row[2] * v[2]);
    const jitter = STEPS.map((step) => (exact ? 0 : part(0.5 + step * sample) - 0.5));
    const small = (sphere.radius * Math.min(facts.width, facts.height)) / 2;
    const maps = Math.max(1, Math.round((TURN * small) / facts.width)); // around it, whole ones
    const radian = exact ? small : (maps * facts.width) / TURN;
    const reach = (sphere.radius * Math.min(width, height) * scale) / 2;
    set(0, width, height, ...jitter);
    set(1, 1 / (sample + 1), +exact, +(ground || !exact));
    set(2, shape === 2 ? reach * Math.sqrt(EYE ** 2 / 3 - 1) : reach, EYE, radian / facts.width,
      radian / facts.height);
    rows.forEach((row, i) => set(3 + i, ...row));
    set(6, ...(ground ? light : turned(light)), own.radiance);
    set(7, ...(ground ? [0, 0, 1] : turned([0, 1, 0])), exact ? own.ambient : 0);
    set(8, across, down, finest, sharp);
    set(9, exact || trained ? 1 : 0.5, exact ? 0 : SKY, own.background, +!exact);
    const pixel = (2 * Math.tan(plane.field / 2)) / height;
    const low = Math.sin(plane.pitch) + Math.tan(plane.field / 2) * Math.cos(plane.pitch);
    const tiles = (exact ? plane.tiles : Math.min(plane.tiles, MOST_TILES)) / scale;
    set(10, pixel, (tiles * low) / (width * pixel), sp, cp);
    set(11, c, s, 0, facts.width / facts.height);
    return inputs;
  }

  /** The part of a flat map that is seen. */
  #part(width, height) {
    const { canvas } = this.stage, [across, down] = this.#texel;
    const du = canvas.width / width / across, dv = canvas.height / height / down;
    return { u: this.u - (du * width) / 2, v: this.v - (dv * height) / 2, du, dv };
  }

  /** Device pixels of a whole flat map, across and down. */
  get #texel() {
    const { facts: { width, height }, stage: { canvas } } = this;
    const scale = Math.min(canvas.width / width, canvas.height / height) * this.scale;
    return [width * scale, height * scale];
  }

  drag(dx, dy, other) {
    const { canvas } = this.stage, side = Math.min(canvas.width, canvas.height) / 2;
    const [x, y] = [dx / side, dy / side];
    if (this.flat) this.#move(dx, dy);
    else if (other !== (this.moves === 1)) {
      const [a, b] = [this.light[0] + x, this.light[1] - y];
      const far = Math.max(1, Math.hypot(a, b) / FARTHEST);
      this.light = [a / far, b / far];
    } else {
      const ground = this.shown === 1, rate = ground ? 0.5 : 1 / Math.max(1, this.scale);
      const [least, most] = ground ? [0.1, 1.5] : [-1.5, 1.5];
      this.turn = [this.turn[0] + rate * x,
        clamped(this.turn[1] + (ground ? -rate : rate) * y, least, most)];
    }
  }

  #move(dx, dy) {
    const [across, down] = this.#texel;
    this.u = clamped(this.u - dx / across, -0.5, 1.5);
    this.v = clamped(this.v - dy / down, -0.5, 1.5);
  }

  zoom(factor, x, y) {
    const { canvas } = this.stage, off = [x - canvas.width / 2, y - canvas.height / 2];
    const before = this.scale;
    this.scale = clamped(before * factor, 0.25, this.flat ? 1024 : 32);
    const moved = 1 - this.scale / before; // what is under the pointer stays
    if (this.flat) this.#move(off[0] * moved, off[1] * moved);
  }

  reset() {
    const { facts: { sphere, plane }, shown } = this, ground = shown === 1;
    Object.assign(this, { u: 0.5, v: 0.5, scale: 1, light: (ground ? plane : sphere).light.slice(0, 2),
      turn: ground ? [0, plane.pitch] : shown === 2 ? [0.6, 0.45] : [0, 0] });
    if (!this.exact && !this.flat && !ground) this.scale = 0.86;
  }

  key(name) {
    if (name === "p") this.sharp = 1 - this.sharp;
    return name === "p";
  }

  controls() {
    const show = async (value) => {
      await this.compile(value);
      Object.assign(this, { shown: value, exact: false });
      this.reset();
      this.stage.change();
    };
    return [
      { label: "Show", names: this.names, value: this.shown, set: show },
      ...(this.lit ? [{ label: "Drag", names: ["turns", "moves the light"], value: 0,
        set: (value) => { this.moves = value; } }] : []),
      { label: "Texels", names: ["smooth", "sharp"], value: this.sharp,
        set: (value) => { this.sharp = value; } },
    ];
  }

  /** Return what the statistics say of the view. */
  get state() {
    return `levels from ${this.own.finest} on, ${this.scale.toPrecision(3)} of its usual size`;
  }
}

/** Return a file's picture, its numbers as they are. */
function bitmap(bytes) {
  return createImageBitmap(new Blob([bytes], { type: "image/webp" }),
    { premultiplyAlpha: "none", colorSpaceConversion: "none" });
}
