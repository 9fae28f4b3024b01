/** One asset on a page or in an element: its canvas, its controls, and what it says of itself. */

import { filled } from "./data.js";
import { EVALUATORS, REBUILDS } from "./generated.js";
import { listen } from "./gestures.js";
import { choice, element, range } from "./controls.js";
import { drawn, joined, rowsOf } from "./plain.js";
import { Stage } from "./stage.js";
import { VIEWS } from "./views.js";
import { WebGl } from "./webgl.js";
import { WebGpu } from "./webgpu.js";

const SAID_MS = 4000, NARROW_PX = 600, MOST_LOSSES = 3; // of a GPU, before a still picture stays
const SENTENCE = "This browser has neither WebGPU nor WebGL 2, which the live view needs.";

export class Viewer {
  /** @param {HTMLElement} root @param {import("./data.js").Data} data @param {any} options */
  constructor(root, data, options) {
    Object.assign(this, { root, data, options, losses: 0 });
  }

  /** Show an asset of the data. */
  async open(facts) {
    this.facts = facts;
    this.close();
    this.#build();
    const run = (this.run = {});
    try {
      const canvas = this.canvas, gpu = await opened(canvas, this.options.api);
      if (run !== this.run) return;
      if (!gpu) return await this.#still(SENTENCE);
      this.#step("Compiling shaders");
      gpu.lost.then((why) => { if (run === this.run) this.#lose(why); });
      const load = this.#loader(gpu);
      const stage = (this.stage = new Stage(gpu, canvas, await load.program(this.data.header.present, "canvas")));
      this.view = new VIEWS[facts.view](facts, stage, this.options);
      this.layers = await this.view.open(load);
      if (run !== this.run) return;
      this.#theme();
      this.#controls();
      this.#beside(Number(this.options.beside ?? (facts.opens || 0)));
      await stage.drawn;
      this.#step("");
      this.root.dataset.ready = gpu.api;
      this.poster.hidden = true;
    } catch (error) {
      if (run !== this.run) return;
      console.error(error);
      await this.#still(`The live view stopped: ${error.message.split("\n")[0]}`);
    }
  }

  close() {
    if (this.stage) this.stage.stop();
    this.resized?.disconnect();
    this.run = this.stage = null;
    clearInterval(this.timer);
    this.root.replaceChildren();
    delete this.root.dataset.ready;
  }

  #build() {
    const { facts } = this, bare = this.options.ui === "0";
    this.canvas = element("canvas", { tabIndex: 0, role: "img", ariaLabel:
      `${facts.title}, drawn by its shader. Arrow keys move, plus and minus zoom, 0 starts over.` });
    this.poster = element("img", { alt: facts.title, className: "poster" });
    if (facts.poster) this.poster.src = facts.poster;
    this.status = element("p", { role: "status", className: "status" });
    this.bar = element("div", { className: "bar" });
    const panel = element("details", { className: "panel", hidden: bare,
      open: this.root.clientWidth > NARROW_PX && this.root.clientHeight > NARROW_PX },
    [element("summary", { textContent: "Controls" }), this.bar]);
    this.stats = element("output", { className: "stats", hidden: true });
    this.handle = element("div", { className: "wipe", role: "slider", tabIndex: 0, hidden: true,
      ariaLabel: "Border between the two pictures", ariaValueMin: "0", ariaValueMax: "100" });
    this.labels = [element("span", { className: "left" }), element("span", { className: "right" })];
    this.handle.append(...this.labels);
    const head = element("header", { hidden: bare }, [
      element("h1", { textContent: facts.title }),
      element("p", { textContent: facts.summary }),
    ]);
    this.root.append(this.canvas, this.poster, this.handle, head, this.stats, this.status, panel);
  }

  /** Say what a view does before its first picture, where no poster stands in for that. */
  #step(text) {
    if (!this.facts.poster) this.status.textContent = text;
  }

  /** Return what views compile and load by. */
  #loader(gpu) {
    const { data, run } = this;
    const words = new Map();
    return {
      gpu,
      step: (text) => { if (run === this.run) this.#step(text); },
      segment: (number) => data.bytes(number),
      arrays: (number) => data.arrays(number),
      program: async (shader, ...formats) => {
        const [numbers] = await data.arrays(shader.numbers);
        const [text, type] = gpu.api === "WebGPU" ? ["wgsl", "vec4f"] : ["glsl", "vec4"];
        return gpu.program({ ...shader, [text]: filled(shader[text], numbers, type) },
          formats.length ? formats : ["light"]);
      },
      words: (of = this.facts.words) => {
        if (!words.has(of)) words.set(of, this.#words(of).then((values) => gpu.words(values)));
        return words.get(of);
      },
      image: async (one) => {
        const blob = new Blob([data.bytes(one.segment)], { type: one.type });
        return uploaded(gpu, blob);
      },
    };
  }

  /** Return the words that the shaders of an asset read. @returns {Promise<Uint32Array>} */
  async #words({ segment, rebuild, settings, rows }) {
    if (!Object.hasOwn(REBUILDS, rebuild)) throw new Error("no script here makes its numbers");
    const words = REBUILDS[rebuild](settings)(await this.data.arrays(segment));
    return rows === undefined ? words : joined(words, (await this.data.arrays(rows))[0]);
  }

  #controls() {
    const { view, stage, canvas } = this;
    const changed = (moving = false) => { stage.change(moving); this.#say(); };
    listen(canvas, {
      drag: (dx, dy, other) => { view.drag(dx, dy, other); changed(true); },
      zoom: (factor, x, y) => { view.zoom(factor, x, y); changed(true); },
      reset: () => { view.reset(); changed(); },
    });
    canvas.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "i") this.#toggle();
      else if (event.key === "b" && this.layers.length > 1) {
        this.#beside((this.shown + 1) % this.layers.length);
      } else if (event.key === "[" || event.key === "]") {
        this.#wipe(stage.wipe + (event.key === "[" ? -0.05 : 0.05));
      } else if (view.key?.(event.key)) changed();
      else return;
      event.preventDefault();
    });
    this.resized = new ResizeObserver(() => changed());
    this.resized.observe(canvas);
    const parts = [];
    if (this.layers.length > 1) {
      const names = ["nothing", ...this.layers.slice(1).map((one) => one.title)];
      this.chooser = choice("Beside", names, 0, (index) => this.#beside(index));
      parts.push(this.chooser);
    }
    for (const one of view.controls?.() ?? []) {
      const set = (value, moving) => { one.set(value); changed(moving); };
      parts.push(one.names ? choice(one.label, one.names, one.value, set) : range(one, set));
    }
    parts.push(element("button", { textContent: "Reset", title: "0", onclick: () => { view.reset(); changed(); } }),
      element("button", { textContent: "Statistics", title: "i", onclick: () => this.#toggle() }),
      element("span", { className: "hint", textContent: view.drags }));
    this.bar.replaceChildren(...parts);
    this.#drag_wipe();
  }

  /** Show layer ``index`` beside the first one; 0: nothing. */
  #beside(index) {
    const { stage, layers } = this;
    this.shown = index in layers ? index : 0;
    const other = this.shown ? layers[this.shown] : null;
    this.handle.hidden = !other;
    this.labels[0].textContent = this.layers[0].about ?? this.facts.about;
    this.labels[1].textContent = other ? other.about ?? other.title : "";
    if (this.chooser) this.chooser.querySelector("select").value = this.shown;
    stage.wipe = other ? this.border ?? Number(this.options.wipe ?? 0.5) : 1;
    this.#wipe(stage.wipe);
    stage.show(other ? [layers[0], other] : [layers[0]]);
    this.#say();
  }

  #wipe(share) {
    this.stage.wipe = Math.min(Math.max(share, 0), 1);
    if (this.handle.hidden) this.stage.wipe = 1;
    else this.border = this.stage.wipe;
    this.handle.style.left = `${100 * this.stage.wipe}%`;
    this.handle.ariaValueNow = String(Math.round(100 * this.stage.wipe));
    this.stage.again();
  }

  #drag_wipe() {
    const { handle } = this;
    handle.addEventListener("pointerdown", (event) => handle.setPointerCapture(event.pointerId));
    handle.addEventListener("pointermove", (event) => {
      if (!handle.hasPointerCapture(event.pointerId)) return;
      const box = this.canvas.getBoundingClientRect();
      this.#wipe((event.clientX - box.left) / box.width);
    });
    handle.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -0.02, ArrowRight: 0.02, Home: -1, End: 1 }[event.key];
      if (!step) return;
      this.#wipe(this.stage.wipe + step);
      event.preventDefault();
    });
  }

  #toggle() {
    this.stats.hidden = !this.stats.hidden;
    clearInterval(this.timer);
    if (!this.stats.hidden) this.timer = setInterval(() => this.#say(), 250);
    this.#say();
  }

  /** Write the statistics. */
  #say() {
    if (this.stats.hidden || !this.stage) return;
    const { gpu, canvas, ns, layers } = this.stage, found = ns.get(layers[0]?.program) ?? 0;
    const pixels = canvas.width * canvas.height;
    this.stats.textContent = [gpu.api, `${canvas.width} x ${canvas.height} pixels`,
      `${((found * pixels) / 1e6).toFixed(1)} ms a whole picture`,
      `${(1e3 / found).toPrecision(3)} million pixels a second`, this.view.state].join("\n");
  }

  #theme() {
    const color = getComputedStyle(this.root).backgroundColor.match(/[\d.]+/g).map(Number);
    this.stage.background = color.slice(0, 3).map((one) => one / 255);
    matchMedia("(prefers-color-scheme: dark)").onchange = () => {
      const { stage } = this;
      if (!stage) return;
      this.#theme();
      stage.again();
    };
  }

  /** Start over on a new canvas, or give up where that has happened too often. */
  #lose(why) {
    this.losses += 1;
    if (this.losses > MOST_LOSSES) {
      this.stage?.stop();
      this.#still(`The GPU went away ${this.losses} times (${why}); this picture is still.`);
    } else this.restarted = this.open(this.facts).then(() => {
      if (this.status.textContent) return; // it says what else has happened
      this.status.textContent = "The GPU went away, and the view started over.";
      setTimeout(() => { this.status.textContent = ""; }, SAID_MS);
    });
  }

  /** Show a still picture and a sentence. */
  async #still(sentence) {
    this.stage?.stop();
    this.poster.hidden = false;
    this.bar.parentElement.hidden = true;
    if (this.facts.poster || EVALUATORS[this.facts.name]) this.status.className = "status below";
    this.status.textContent = sentence;
    const { facts } = this, found = EVALUATORS[facts.name];
    if (found && facts.layers) {
      const [numbers] = await this.data.arrays(facts.shaders.picture.numbers);
      const words = await this.#words(facts.words), stored = facts.words.rows !== undefined;
      found.set?.(stored ? words : joined(words, rowsOf(numbers, facts.layers)));
      const canvas = await drawn(found.at, facts);
      this.poster.src = canvas.toDataURL();
    }
    this.root.dataset.ready = "still";
    this.root.dispatchEvent(new CustomEvent("still", { detail: sentence }));
  }
}

/** Return the API of this browser, or the one that was asked for; null for none. */
async function opened(canvas, wanted) {
  if (wanted !== "webgl2" && wanted !== "none") {
    const gpu = await WebGpu.on(canvas).catch(() => null);
    if (gpu || wanted === "webgpu") return gpu;
  }
  return wanted === "none" ? null : WebGl.on(canvas);
}

/** Return a picture as a texture with all its levels. */
async function uploaded(gpu, blob) {
  const how = { premultiplyAlpha: "none", colorSpaceConversion: "none" };
  const whole = await createImageBitmap(blob, how), { width, height } = whole;
  const levels = 1 + Math.floor(Math.log2(Math.max(width, height)));
  const texture = gpu.texture(width, height, levels, "bytes");
  for (let level = 0; level < levels; ++level) {
    const resizeWidth = Math.max(1, width >> level), resizeHeight = Math.max(1, height >> level);
    const part = level ? await createImageBitmap(whole,
      { ...how, resizeWidth, resizeHeight, resizeQuality: "medium" }) : whole;
    gpu.fill(texture, level, resizeWidth, resizeHeight, part);
  }
  return texture;
}
