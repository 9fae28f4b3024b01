/** View of a material: shapes under a light and a sky, with sliders of its inputs. */

import { Dragged } from "./light.js";

const KEY = 3, FILL = 0.35, SKY = 0.35; // radiance: the light, one at the eye without a sky, the sky
const LOOK = { cloth: [-20, 40], ball: [-25, 12] }; // first turns, so that their form is seen
const SAMPLES = 32, TILES = 2, MOST_ZOOM = 64;

export class MaterialView {
  constructor(facts, stage, options) {
    const shape = Math.max(0, facts.shapes.indexOf(options.shape));
    Object.assign(this, { facts, stage, shape, zoom_by: 1, u: 0.5, v: 0.5, tiles: TILES,
      sky: options.env !== "0", dragged: new Dragged(facts.light, options) });
    if (!options.turn) this.#look();
    this.inputs = facts.inputs.map((one) => Number(options[one.label] ?? one.value));
    this.drags = "Shift-drag or right drag does the other; wheel or pinch to zoom";
  }

  #look() {
    this.dragged.turn = [...LOOK[this.facts.shapes[this.shape]] ?? [0, 0]];
  }

  async open(load) {
    const { shaders } = this.facts, words = await load.words();
    const direct = { program: await load.program(shaders.direct) };
    this.layer = { title: this.facts.title, words, linear: true, gain: 1, ...direct,
      inputs: (width, height, sample) => this.#inputs(width, height, sample) };
    this.direct = direct;
    if (this.sky) this.later = this.#with_sky(load); // compiled while the first picture is seen
    else this.later = Promise.resolve();
    this.load = load;
    return [this.layer];
  }

  async #with_sky(load) {
    await this.stage.drawn;
    this.with_sky ??= { program: await load.program(this.facts.shaders.sky), samples: SAMPLES };
    if (this.sky) Object.assign(this.layer, this.with_sky);
    this.stage.change();
  }

  #inputs(width, height, sample) {
    const inputs = new Float32Array(64), dark = this.layer.program === this.direct.program;
    inputs.set([width, height, this.shape, sample, ...this.dragged.turning,
      ...this.dragged.towards, KEY, this.zoom_by, this.tiles, this.u, this.v]);
    inputs.set(this.inputs, 16);
    inputs.set([dark ? FILL : 0, dark ? 0 : SKY], 20);
    return inputs;
  }

  drag(dx, dy, other) {
    const flat = this.facts.shapes[this.shape] === "plane", { dragged } = this;
    if (flat && dragged.turns !== Boolean(other)) {
      const px = Math.min(this.stage.canvas.width, this.stage.canvas.height) * this.zoom_by;
      this.u -= dx / px;
      this.v -= dy / px;
    } else dragged.drag(dx, dy, other);
  }

  zoom(factor) {
    this.zoom_by = Math.min(Math.max(this.zoom_by * factor, 0.5), MOST_ZOOM);
  }

  reset() {
    this.dragged.reset();
    this.#look();
    Object.assign(this, { zoom_by: 1, u: 0.5, v: 0.5 });
  }

  key(name) {
    if (name === "l") this.dragged.turns = !this.dragged.turns;
    else if (name === "s") this.#choose((this.shape + 1) % this.facts.shapes.length);
    else return false;
    return true;
  }

  controls() {
    const { facts } = this;
    return [
      { label: "Shape", names: facts.shapes, value: this.shape, set: (index) => this.#choose(index) },
      this.dragged.control,
      { label: "Sky", names: ["off", "on"], value: this.sky ? 1 : 0, set: (index) => {
        this.sky = index === 1;
        if (this.sky) this.#with_sky(this.load);
        else Object.assign(this.layer, this.direct, { samples: undefined });
      } },
      { label: "Repeats", low: 0.5, high: 8, value: this.tiles, digits: 1, set: (x) => { this.tiles = x; } },
      ...facts.inputs.map((one, i) => ({ ...one, value: this.inputs[i],
        set: (value) => { this.inputs[i] = value; } })),
    ];
  }

  #choose(index) {
    this.shape = index;
    this.#look();
  }

  get state() {
    const [azimuth, elevation] = this.dragged.light.map((one) => one.toFixed(0));
    return `light ${azimuth}, ${elevation} degrees, ${this.layer.passes ?? 0} samples`;
  }
}
