/** The element <neural-shade src poster>: the view of a page's asset, in any page. */

import { element } from "./controls.js";
import { Data } from "./data.js";
import { STYLE } from "./style.js";
import { Viewer } from "./viewer.js";
import { VIEWS } from "./views.js";

const NEAR = "300px"; // around the window: elements beyond it use no GPU
const OPTIONS = ["api", "beside", "env", "light", "shape", "turn", "ui", "view", "wipe"];

const style = new CSSStyleSheet();
style.replaceSync(STYLE);

class NeuralShade extends HTMLElement {
  static observedAttributes = ["src", "poster", "theme", ...OPTIONS];

  /** What draws; null while the element is far from the window. @type {Viewer | null} */
  viewer = null;
  #root = element("section", { id: "view" });
  #run = null; // aborts what is being loaded; null while stopped
  #near = false;
  #seen = new IntersectionObserver((entries) => {
    const { isIntersecting: near } = entries[entries.length - 1];
    if (near === this.#near) return;
    this.#near = near;
    if (near) this.#start();
    else this.#stop();
  }, { rootMargin: NEAR });

  constructor() {
    super();
    const shadow = this.attachShadow({ mode: "open" });
    shadow.adoptedStyleSheets = [style];
    shadow.append(this.#root);
    this.#root.addEventListener("still", (event) => this.#fire("error", event.detail));
    // A page scrolls past an element: a plain wheel zooms only what has the focus.
    this.#root.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && shadow.activeElement !== this.viewer?.canvas) event.stopPropagation();
    }, { capture: true });
  }

  connectedCallback() {
    this.#show();
    this.#seen.observe(this);
  }

  disconnectedCallback() {
    this.#seen.disconnect();
    this.#near = false;
    this.#stop();
  }

  attributeChangedCallback(name, before, now) {
    if (!this.isConnected || before === now) return;
    this.#stop();
    if (this.#near) this.#start();
  }

  async #start() {
    const run = (this.#run = new AbortController());
    await null; // attributes that change together start it once
    if (run !== this.#run) return;
    try {
      const data = await this.#loaded(run.signal);
      if (run !== this.#run) return;
      const [facts] = data.header.assets;
      const options = OPTIONS.filter((name) => this.hasAttribute(name))
        .map((name) => [name, this.getAttribute(name)]);
      this.viewer = new Viewer(this.#root, data, Object.fromEntries(options));
      await this.viewer.open({ ...facts, poster: this.getAttribute("poster") ?? "" });
      if (run !== this.#run) return;
      const { ready } = this.#root.dataset;
      if (ready !== "still") this.#fire("ready", ready);
    } catch (error) {
      if (run !== this.#run) return;
      this.#show(error.message);
      this.#fire("error", error.message);
    }
  }

  /** Return the data of ``src``. @returns {Promise<Data>} */
  async #loaded(signal) {
    const src = this.getAttribute("src");
    if (!src) throw new Error("No src: it names the .nsb file of an asset.");
    const name = src.replace(/[?#].*/, "").split("/").pop();
    const bytes = await fetch(new URL(src, document.baseURI), { signal }).then((found) => {
      if (!found.ok) throw new Error(`the server says ${found.status}`);
      return found.arrayBuffer();
    }).catch((error) => { throw new Error(`${name} cannot be loaded: ${error.message}.`); });
    const data = await Data.of(new Uint8Array(bytes)).catch((error) => {
      throw new Error(`${name} is no whole .nsb file: ${error.message}.`);
    });
    const view = data.header.assets?.[0]?.view;
    if (!Object.hasOwn(VIEWS, view)) {
      throw new Error(`${name} needs a view that this script does not have.`);
    }
    return data;
  }

  #stop() {
    const gpu = this.viewer?.stage?.gpu;
    this.#run?.abort();
    this.#run = null;
    this.viewer?.close();
    this.viewer = null;
    gpu?.free();
    this.#show();
  }

  /** Show the poster, and a sentence if there is one. */
  #show(sentence = "") {
    const poster = element("img", { className: "poster", alt: this.getAttribute("aria-label") ?? "" });
    if (this.hasAttribute("poster")) poster.src = this.getAttribute("poster");
    this.#root.replaceChildren(poster,
      element("p", { role: "status", className: "status", textContent: sentence }));
  }

  #fire(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}

if (!customElements.get("neural-shade")) customElements.define("neural-shade", NeuralShade);
