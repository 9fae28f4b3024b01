/** Starting another fit: a kind, a picture, a time; or the command of a kind that takes no picture. */

import { upload } from "./connection.js";
import { byId, setOptions, setText } from "./dom.js";
import { notice } from "./notices.js";

/** @typedef {import("./types.js").FitKind} FitKind */

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
    this.sending = ""; // name of the file that is on its way
    this.timed = false; // whether somebody chose the seconds
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
    byId("fit-seconds").addEventListener("input", () => {
      this.timed = true;
    });
    byId("start-form").addEventListener("input", () => this.#showCommand());
    byId("copy-command").addEventListener("click", () => copy(byId("command")));
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
    this.sending = file.name;
    this.#show();
    const answer = await upload("picture", file);
    this.sending = "";
    if (answer) {
      this.uploaded = await answer.json();
      byId("new-fit").open = true;
      if (!this.#kind?.picture) byId("kind").value = this.session.kinds.find(({ picture }) => picture)?.name;
    }
    this.#show();
    if (!answer) return;
    if (this.session.scene) notice(`${file.name} is here: Start, under New fit, fits it.`, "note");
    const start = byId(this.session.scene ? "start" : "start-here");
    start.scrollIntoView({ block: "nearest" });
    start.focus();
  }

  start() {
    const kind = this.#kind;
    if (!this.#takes(kind)) return; // Enter in a field of a command
    const { preset, bpp, seconds, seed } = this.#given;
    const sent = this.connection.send({
      type: "control",
      action: "start",
      picture: kind?.picture ? (this.uploaded?.picture ?? null) : null,
      kind: kind?.name ?? null,
      preset,
      bpp,
      seed: seed ?? 0,
      seconds,
    });
    if (!sent) notice("There is no connection to the server: the fit was not started.");
  }

  get #kind() {
    const { kinds } = this.session;
    return kinds.find(({ name }) => name === byId("kind").value) ?? kinds[0];
  }

  /** Return what the fields say, as far as the kind heeds them; null for those left empty. */
  get #given() {
    const kind = this.#kind;
    const number = (/** @type {string} */ id) => {
      const value = byId(id).valueAsNumber;
      return Number.isFinite(value) ? value : null;
    };
    return {
      preset: kind?.presets.length ? byId("preset").value : null,
      bpp: kind?.bpp ? number("bpp") : null,
      seconds: number("fit-seconds"),
      seed: number("fit-seed"),
    };
  }

  /** Whether that kind fits what there is: an uploaded picture, or what was fitted last. */
  #takes(/** @type {FitKind | undefined} */ kind) {
    const { fit, kinds } = this.session;
    if (!kind) return false;
    if (this.uploaded && kind.picture) return true;
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
    setText(byId("bpp-unit"), `Bits per ${kind?.picture ? "pixel" : "texel"}`);
    setText(byId("kind-about"), (kind?.about ?? "").replace(/\bPICTURE\b/, "a picture"));
    this.#showPicture(kind);
    const typed = kind && !kind.picture && !this.#takes(kind);
    byId("source").hidden = byId("start").hidden = byId("or-drop").hidden = typed;
    byId("in-terminal").hidden = !typed;
    if (!this.timed) byId("fit-seconds").value = typed ? "" : byId("fit-seconds").defaultValue;
    this.#showCommand();
    byId("start").disabled = Boolean(this.sending) || !this.#takes(kind);
    if (fit?.preset && kind?.name === fit.verb && fit.id !== this.fit_id) byId("preset").value = fit.preset;
    this.fit_id = fit?.id;
  }

  /** Say what is fitted: in the form, and in the middle of a page that shows nothing yet. */
  #showPicture(/** @type {FitKind | undefined} */ kind) {
    const { fit } = this.session;
    const present = fit?.picture ? `${fit.picture} (the present one)` : "none yet";
    const own = kind?.picture ? this.uploaded : null;
    const text = own ? `${own.name}, ${own.width} x ${own.height}` : present;
    setText(byId("source-name"), kind?.picture ? "Picture" : "Source");
    setText(byId("fit-picture"), this.sending ? "uploading" : text);
    byId("pictures").hidden = !kind?.picture;
    byId("present-picture").hidden = !own || !fit?.picture;
    byId("taken").hidden = !own && !this.sending;
    setText(byId("taken"), this.sending ? `Sending ${this.sending}` : `${text}: ready to be fitted.`);
    byId("start-here").hidden = !own || Boolean(this.sending);
    byId("drop-hint").hidden = !byId("taken").hidden;
    byId("drop-choice").classList.toggle("primary", byId("start-here").hidden);
  }

  #showCommand() {
    const kind = this.#kind;
    if (!kind || byId("in-terminal").hidden) return;
    const flags = Object.entries(this.#given).flatMap(([name, value]) => {
      return value === null || (name === "seed" && value === 0) ? [] : [`--${name} ${value}`];
    });
    const parts = ["neuralshade fit", kind.name, kind.example, ...flags, "--live"];
    setText(byId("command"), parts.join(" "));
    const takes = kind.what ? `It takes ${kind.what}, which this page does not send. ` : "";
    const own = `In a terminal, with yours in place of ${kind.example}:`;
    setText(byId("terminal-why"), takes + own);
  }
}

/** Copy an element's text; where the browser does not allow it, select it for Ctrl-C. */
async function copy(/** @type {HTMLElement} */ place) {
  try {
    await navigator.clipboard.writeText(place.textContent ?? "");
    notice("The command is copied.", "note");
  } catch {
    getSelection()?.selectAllChildren(place);
  }
}
