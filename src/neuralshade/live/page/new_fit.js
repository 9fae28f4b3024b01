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
        byId("preset"),
        session.presets.map((name) => [name, name]),
      );
      byId("new-fit").hidden = !session.presets.length;
      byId("new-fit").open ||= !session.fit;
    });
    session.on("fit", () => this.#show());
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
    const sent = this.connection.send({
      type: "control",
      action: "start",
      picture: this.uploaded?.picture ?? null,
      preset: byId("preset").value,
      seed: Number.isFinite(seed) ? seed : 0,
      seconds: Number.isFinite(seconds) ? seconds : null,
    });
    if (!sent) notice("There is no connection to the server: the fit was not started.");
  }

  #show() {
    const { fit } = this.session;
    const present = fit?.picture ? `${fit.picture} (the present one)` : "none yet";
    const own = this.uploaded;
    const text = own ? `${own.name}, ${own.width} x ${own.height}` : present;
    setText(byId("fit-picture"), this.busy ? "uploading" : text);
    byId("present-picture").hidden = !own || !fit?.picture;
    byId("start").disabled = this.busy || !(own || fit?.picture);
    if (fit?.preset && fit.id !== this.fit_id) byId("preset").value = fit.preset;
    this.fit_id = fit?.id;
  }
}
