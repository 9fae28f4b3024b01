/** Starting another fit: a kind, a picture or maps, a time; or the command of a kind of neither. */

import { upload } from "./connection.js";
import { byId, setOptions, setText } from "./dom.js";
import { named, sendMaps, showMaps } from "./map_set.js";
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
    /** @type {import("./types.js").MapSet | null} */ this.maps = null;
    this.sending = ""; // name of the file that is on its way
    this.timed = false; // whether somebody chose the seconds
    /** @type {number | undefined} whose preset was proposed last */ this.fit_id = undefined;
    session.on("hello", () => {
      if (session.renewed) this.uploaded = this.maps = null; // the server restarted and knows neither
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
      const files = [...event.target.files];
      event.target.value = ""; // or the same file could not be chosen again
      this.take(files, files.length > 1 || Boolean(this.#kind?.maps));
    });
    byId("present-picture").addEventListener("click", () => {
      if (this.#kind?.maps) this.maps = null;
      else this.uploaded = null;
      this.#show();
      byId("upload-picture").focus();
    });
    byId("start-form").addEventListener("submit", (/** @type {Event} */ event) => {
      event.preventDefault();
      this.start();
    });
  }

  /** Send a picture, or the maps of a set. @param {File[]} files */
  async take(files, isSet = files.length > 1) {
    const [first] = files;
    if (!first || this.sending) return;
    const name = await (isSet ? this.#sendMaps(files) : this.#sendPicture(first));
    this.sending = "";
    if (name) {
      byId("new-fit").open = true;
      this.#chooseKind(isSet);
    }
    this.#show();
    if (name) this.#offerStart(name);
  }

  /** Return what to call a picture that was sent, "" where it was refused. @param {File} file */
  async #sendPicture(file) {
    this.#showSending(file.name);
    const answer = await upload("picture", file);
    if (!answer) return "";
    this.uploaded = await answer.json();
    return file.name;
  }

  async #sendMaps(/** @type {File[]} */ files) {
    const set = await sendMaps(files, (name) => this.#showSending(name));
    if (!set) return "";
    this.maps = set;
    return named(set);
  }

  #showSending(/** @type {string} */ name) {
    this.sending = name;
    this.#show();
  }

  /** Choose a kind that takes what was sent, unless the chosen one does. */
  #chooseKind(/** @type {boolean} */ isSet) {
    const takes = (/** @type {FitKind | undefined} */ kind) => kind && (isSet ? kind.maps : kind.picture);
    if (takes(this.#kind)) return;
    const able = this.session.kinds.filter(takes);
    const whole = able.filter(({ name }) => !isSet || !this.maps?.refused[name]);
    // sized ones first: they have the fewest demands on maps and machine
    byId("kind").value = (whole.find(({ bpp }) => bpp) ?? whole[0] ?? able[0])?.name;
  }

  #offerStart(/** @type {string} */ name) {
    if (byId("start").disabled) {
      byId("start-form").scrollIntoView({ block: "nearest" });
      return;
    }
    if (this.session.scene) notice(`${name}: here. Start, under New fit, fits it.`, "note");
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
      maps: kind?.maps ? (this.maps?.maps ?? null) : null,
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

  /** Whether that kind fits what there is: what was uploaded, or what was fitted last. */
  #takes(/** @type {FitKind | undefined} */ kind) {
    const { fit, kinds } = this.session;
    if (!kind) return false;
    if (this.uploaded && kind.picture) return true;
    if (this.maps && kind.maps) return !this.maps.refused[kind.name];
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
    byId("source").hidden = byId("start").hidden = byId("or-drop").hidden = typed && !kind.maps;
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
    const maps = kind?.maps ? this.maps : null;
    const given = own ? `${own.name}, ${own.width} x ${own.height}` : maps && named(maps);
    const text = given ?? present;
    const ready = `${given}: ${(kind && maps?.refused[kind.name]) ?? "ready to be fitted."}`;
    setText(byId("source-name"), kind?.picture ? "Picture" : kind?.maps ? "Maps" : "Source");
    setText(byId("choose-word"), kind?.maps ? "Choose maps" : "Choose a picture");
    showMaps(maps, kind?.name);
    setText(byId("fit-picture"), this.sending ? "uploading" : text);
    byId("pictures").hidden = !kind?.picture && !kind?.maps;
    byId("present-picture").hidden = !given || !fit?.picture || !(kind?.picture || kind?.name === fit.verb);
    byId("taken").hidden = !given && !this.sending;
    setText(byId("taken"), this.sending ? `Sending ${this.sending}` : ready);
    byId("start-here").hidden = !given || Boolean(this.sending) || !this.#takes(kind);
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
    const why = kind.maps ? `It takes ${kind.what}. Choose maps here, or in` : `${takes}In`;
    setText(byId("terminal-why"), `${why} a terminal, with yours in place of ${kind.example}:`);
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
