/** Starting another fit: a preset, a picture, a time. */

import { upload } from "./connection.js";
import { byId, setOptions, setText } from "./dom.js";
import { notice } from "./notices.js";

export class NewFit {
  /**
   * @param {import("./session.js").Session} session
   * @param {import("./connection.js").Connection} connection
   */
  constructor(session, connection) {
    this.session = session;
    this.connection = connection;
    /** @type {{picture: string, name: string, width: number, height: number} | null} */
    this.uploaded = null;
    this.busy = false;
    /** @type {number | undefined} whose preset was proposed last */ this.fit_id = undefined;
    session.on("hello", () => {
      if (session.renewed) this.uploaded = null; // the server restarted and knows no picture of it
      setOptions(
        byId("kind"),
        session.kinds.map(({ name }) => [name, name]),
      );
      this.#show();
      byId("new-fit").hidden = !session.presets.length;
      byId("new-fit").open ||= !session.fit;
    });
    session.on("fit", () => this.#show());
    byId("kind").addEventListener("change", () => this.#show());
    byId("upload-picture").addEventListener("change", (/** @type {any} */ event) => {
      const file = event.target.files[0];
      event.target.value = ""; // or the same file could not be chosen again
      if (file) this.upload(file);
    });
    byId("present-picture").addEventListener("click", () => {
      this.uploaded = null;
      this.#show();
      byId("upload-picture").focus();
    });
    byId("start-form").addEventListener("submit", (/** @type {Event} */ event) => {
      event.preventDefault();
      this.start();
    });
  }

  /** @param {File} file */
  async upload(file) {
    this.busy = true;
    this.#show();
    const answer = await upload("picture", file);
    this.busy = false;
    if (answer) {
      this.uploaded = await answer.json();
      byId("new-fit").open = true;
      byId("start").scrollIntoView({ block: "nearest" });
    }
    this.#show();
    if (answer) byId("start").focus();
  }

  start() {
    const seconds = byId("fit-seconds").valueAsNumber;
    const seed = byId("fit-seed").valueAsNumber;
    const bpp = byId("bpp").valueAsNumber;
    const kind = this.#kind;
    const sent = this.connection.send({
      type: "control",
      action: "start",
      picture: this.uploaded?.picture ?? null,
      kind: kind?.name ?? null,
      preset: kind?.presets.length ? byId("preset").value : null,
      bpp: kind?.bpp && Number.isFinite(bpp) ? bpp : null,
      seed: Number.isFinite(seed) ? seed : 0,
      seconds: Number.isFinite(seconds) ? seconds : null,
    });
    if (!sent) notice("There is no connection to the server: the fit was not started.");
  }

  get #kind() {
    const { kinds } = this.session;
    return kinds.find(({ name }) => name === byId("kind").value) ?? kinds[0];
  }

  /** Whether that kind fits what there is: an uploaded picture, or what was fitted last. */
  #takes(/** @type {import("./types.js").FitKind | undefined} */ kind) {
    const { fit, kinds } = this.session;
    if (!kind) return false;
    if (this.uploaded) return kind.picture;
    if (!fit?.picture) return false;
    return kind.name === fit.verb || (kind.picture && kinds.some((k) => k.name === fit.verb && k.picture));
  }

  #show() {
    const { fit } = this.session;
    if (fit && fit.id !== this.fit_id) byId("kind").value = fit.verb;
    const kind = this.#kind;
    const known = (kind?.presets ?? []).map((name) => /** @type {[string, string]} */ ([name, name]));
    setOptions(byId("preset"), known);
    byId("presets").hidden = !known.length;
    byId("bits").hidden = !kind?.bpp;
    const terminal = kind && !kind.picture && !this.#takes(kind);
    const how = `In a terminal: neuralshade fit ${kind?.name} SOURCE --live`;
    const about = (kind?.about ?? "").replace(/\bPICTURE\b/, "a picture");
    setText(byId("kind-about"), `${about} ${terminal ? how : ""}`);
    const present = fit?.picture ? `${fit.picture} (the present one)` : "none yet";
    const own = this.uploaded;
    const text = own ? `${own.name}, ${own.width} x ${own.height}` : present;
    setText(byId("fit-picture"), this.busy ? "uploading" : text);
    byId("present-picture").hidden = !own || !fit?.picture;
    byId("start").disabled = this.busy || !this.#takes(kind);
    if (fit?.preset && kind?.name === fit.verb && fit.id !== this.fit_id) byId("preset").value = fit.preset;
    this.fit_id = fit?.id;
  }
}
