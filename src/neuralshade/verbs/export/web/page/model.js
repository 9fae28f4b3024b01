/** View of a whole model: its meshes with decoded textures, and with the original images beside. */

import { Dragged } from "./light.js";
import { unpackedMesh } from "./mesh.js";
import { PIPELINE, meshOn } from "./triangles.js";
import { clamped, decodedTextures } from "./textures.js";

const SAMPLES = 8, BLENDED_SAMPLES = 32; // of a pixel, when all is still
const STEPS = [0.7548776662, 0.569840291], LIGHT_DEG = [-35, 45];
const FIELD = (35 * Math.PI) / 180, PITCH_DEG = 15, YAW_DEG = -25, SKY = 0.5, ROOM = 1.1;
const INPUTS = 32, SLOTS_AT = 14, NAMES = ["base", "normal", "rough", "occlusion", "emissive"];
const WHITE = [255, 255, 255, 255], FLAT = [128, 128, 255, 255];
const part = (x) => x - Math.floor(x);
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

export class ModelView {
  constructor(facts, stage, options) {
    const center = facts.center, radius = facts.radius;
    Object.assign(this, { facts, stage, center, radius, scale: 1 });
    this.drags = "Drag to turn, shift-drag for the light, wheel or pinch to zoom";
    this.dragged = new Dragged(LIGHT_DEG, options);
    if (!options.turn) this.dragged.turn = [YAW_DEG, PITCH_DEG];
  }

  async open(load) {
    const { facts, facts: { shaders }, stage } = this, { gpu } = load;
    this.lit = await load.program({ ...shaders.lit, pipeline: PIPELINE });
    this.back = await load.program(shaders.back);
    load.step("Reading the model");
    this.meshes = await Promise.all(facts.meshes.map(async (one) => ({ material: facts.materials[one.material],
      mesh: meshOn(gpu, ...unpackedMesh(await load.arrays(one.segment), one)) })));
    this.meshes.forEach(({ material: { inputs } }) => { this.blended ||= inputs[12] === 2; });
    const one = (color) => {
      const made = gpu.texture(1, 1, 1, "bytes");
      gpu.fill(made, 0, 1, 1, Uint8Array.from(color));
      return { texture: made, width: 1, height: 1, finest: 0 };
    };
    this.missing = { white: one(WHITE), flat: one(FLAT) };
    this.sets = [];
    for (const [i, set] of facts.sets.entries()) {
      load.step(`Decoding neural textures, set ${i + 1} of ${facts.sets.length}`);
      this.sets.push(await decodedTextures(load, stage, set.decode, set.words, set.names, set));
    }
    this.whole = Promise.all(this.sets.map(({ whole }) => whole));
    let read = 0;
    this.images = await Promise.all(facts.images.map(async (image) => {
      const texture = await load.image(image);
      load.step(`Reading original images, ${read += 1} of ${facts.images.length}`);
      texture.wraps = true;
      return { texture, width: texture.width, height: texture.height, finest: 0 };
    }));
    const own = (slot) => {
      if (slot.set === null) return this.images[slot.image];
      const { made } = this.sets[slot.set];
      return { texture: made.named.get(slot.standard), width: made.width, height: made.height, finest: made.finest };
    };
    const layers = [this.#layer({ title: facts.title }, own)];
    if (facts.sets.length) layers.push(this.#layer(facts.original, (slot) => this.images[slot.image]));
    return layers;
  }

  #layer(about, read) {
    const view = this;
    return {
      ...about, gain: 1, linear: true, program: view.lit,
      get samples() {
        if (view.sets.some(({ made }) => made.finest)) return 1;
        return view.blended ? BLENDED_SAMPLES : SAMPLES;
      },
      draws: (width, height, sample) => view.#draws(read, width, height, sample),
    };
  }

  /** What is drawn: nothing first, then all meshes. */
  #draws(read, width, height, sample) {
    const all = this.#inputs(width, height, sample);
    const draws = this.meshes.map(({ mesh, material }, i) => {
      const inputs = Float32Array.from(all), { slots } = material;
      inputs.set(material.inputs.slice(0, 4), 40);
      inputs.set(material.inputs.slice(4), 44);
      const textures = NAMES.map((name, at) => {
        const slot = slots[name], found = slot ? read(slot)
          : name === "normal" ? this.missing.flat : this.missing.white;
        const [[a, b, c], [d, e, f]] = slot?.rows ?? [[1, 0, 0], [0, 1, 0]];
        inputs.set([a, b, c, found.width, d, e, f, found.height, slot?.coordinates ?? 0,
          ...slot?.wraps ?? [0, 0], found.finest], 4 * (SLOTS_AT + 3 * at));
        return found.texture;
      });
      return { program: this.lit, textures, inputs, mesh, clears: i === 0 };
    });
    return [{ program: this.back, inputs: all }, ...draws];
  }

  /** What the shaders read of the camera and the light; see model_shading.py. */
  #inputs(width, height, sample) {
    const inputs = new Float32Array(4 * INPUTS), set = (row, ...values) => inputs.set(values, 4 * row);
    const { right, up, back } = this.#axes, { center, radius, facts } = this;
    const field = Math.min(1, width / height) * Math.tan(FIELD / 2); // of the narrower side
    const far = (ROOM * radius) / Math.sin(Math.atan(field)) / this.scale;
    const eye = center.map((one, i) => one + far * back[i]);
    const near = Math.max(far - radius, radius * 1e-3), last = far + radius;
    const row = (axis, factor) => [...axis.map((one) => one * factor), -dot(axis, eye) * factor];
    const tall = 1 / Math.tan(FIELD / 2), ahead = row(back, -1), depth = last / (last - near);
    const jitter = STEPS.map((step) => part(0.5 + step * sample) - 0.5);
    set(0, width, height, ...jitter);
    set(1, 1 / (sample + 1), sample, 1);
    set(2, ...row(right, (tall * height) / width));
    set(3, ...row(up, tall));
    set(4, ...ahead.map((one, i) => one * depth - (i === 3 ? near * depth : 0)));
    set(5, ...ahead);
    const [x, y, z] = this.dragged.towards;
    set(6, ...right.map((one, i) => one * x + up[i] * y + back[i] * z), facts.light);
    set(7, 0, 1, 0, 0);
    set(8, ...eye);
    set(9, 0, SKY);
    return inputs;
  }

  /** Axes of the eye: right, up and backwards. */
  get #axes() {
    const [yaw, pitch] = this.dragged.turn.map((one) => (one * Math.PI) / 180);
    const back = [-Math.sin(yaw) * Math.cos(pitch), Math.sin(pitch), Math.cos(yaw) * Math.cos(pitch)];
    const right = [Math.cos(yaw), 0, Math.sin(yaw)];
    return { right, up: cross(back, right), back };
  }

  drag(dx, dy, other) {
    this.dragged.drag(dx, dy, other);
  }

  zoom(factor) {
    this.scale = clamped(this.scale * factor, 0.25, 32);
  }

  reset() {
    this.dragged.reset();
    this.dragged.turn = [YAW_DEG, PITCH_DEG];
    this.scale = 1;
  }

  controls() {
    return [this.dragged.control];
  }

  /** Return what the statistics say of the view. */
  get state() {
    const levels = this.sets.map(({ made }) => made.finest);
    return `levels from ${Math.max(0, ...levels)} on, ${this.meshes.length} materials`;
  }
}
