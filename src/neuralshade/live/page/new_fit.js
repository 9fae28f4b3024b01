/** Starting another fit: a kind, a picture or maps, a time; or the command of a kind of neither. */

import { upload } from "./connection.js";
import { byId, setOptions, setText } from "./dom.js";
import { copyCommand, showCommand } from "./in_terminal.js";
import { named, sendMaps, showMaps } from "./map_set.js";
import { notice } from "./notices.js";
import { isSample } from "./sample.js";
import { isDocument, sendSource, showSource, sourceName } from "./source_set.js";

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
    /** @type {import("./types.js").SourceSet | null} */ this.source = null;
    this.sending = ""; // name of the file that is on its way
    this.starting = false; // the requested fit has not been announced yet
    this.chosen = ""; // kind that somebody chose, or that was fitted last
    this.timed = false; // whether somebody chose the seconds
    /** @type {number | undefined} whose preset was proposed last */ this.fit_id = undefined;
    session.on("hello", () => {
      // the server restarted and knows none
      if (session.renewed) this.uploaded = this.maps = this.source = null;
      setOptions(
        byId("kind"),
        session.kinds.map(({ name }) => [name, name]),
      );
      this.#show();
      byId("new-fit").hidden = !session.presets.length;
    });
    session.on("preparing", () => this.#propose());
    session.on("fit", () => this.#show());
    for (const type of ["preparing", "fit", "refused", "connection"]) {
      session.on(type, () => this.#setStarting(false));
    }
    byId("kind").addEventListener("change", () => {
      this.chosen = byId("kind").value;
      this.#show();
    });
    byId("fit-seconds").addEventListener("input", () => {
      this.timed = true;
    });
    byId("start-form").addEventListener("input", () => this.#showCommand());
    byId("copy-command").addEventListener("click", copyCommand);
    byId("upload-picture").addEventListener("change", (/** @type {any} */ event) => {
      const files = [...event.target.files];
      event.target.value = ""; // or the same file could not be chosen again
      const isSet = files.length > 1 || Boolean(this.#kind?.maps);
      if (files.some(({ name }) => isDocument(name, session.kinds))) this.takeSource(files);
      else this.take(files, isSet);
    });
    byId("present-picture").addEventListener("click", () => {
      if (this.#kind?.picture) this.uploaded = null;
      else this.maps = this.source = null;
      this.#show();
      byId("upload-picture").focus();
    });
    byId("start-form").addEventListener("submit", (/** @type {Event} */ event) => {
      event.preventDefault();
      this.start();
    });
  }

  /** Open the form where there is nothing else to begin with, until something is prepared. */
  #propose() {
    const { fit, preparing } = this.session;
    if (fit) return;
    if (!preparing) byId("new-fit").open = true;
    else if (!this.uploaded && !this.maps && !this.source) byId("new-fit").open = false;
  }

  /** Send a picture, or the maps of a set. @param {File[]} files */
  async take(files, isSet = files.length > 1) {
    const [first] = files;
    if (!first || this.sending) return;
    const name = await (isSet ? this.#sendMaps(files) : this.#sendPicture(first));
    const takes = (/** @type {FitKind} */ kind) => (isSet ? kind.maps : kind.picture);
    this.#taken(name, this.session.kinds.filter(takes));
  }

  /** Send a task or a material, with pictures. @param {File[]} files */
  async takeSource(files) {
    if (this.sending) return;
    const { kinds } = this.session;
    const documents = files.filter(({ name }) => isDocument(name, kinds));
    const left = documents.slice(1).map(({ name }) => name);
    if (left.length) notice(`Left out: ${left.join(", ")}.`, "note");
    const sent = files.filter((file) => !documents.includes(file));
    const set = await sendSource([documents[0], ...sent], (name) => this.#showSending(name));
    if (set) [this.source, this.maps] = [set, null];
    this.#taken(set ? sourceName(set) : "", kinds.filter(({ name }) => set?.kinds.includes(name)));
  }

  /** Offer to fit what was sent. @param {string} name "" where it was refused @param {FitKind[]} able */
  #taken(name, able) {
    this.sending = "";
    if (name) {
      byId("new-fit").open = true;
      this.#chooseKind(able);
    }
    this.#show();
    if (name) this.#offerStart(name);
  }

  /** Return what to call a picture that was sent, "" where it was refused. @param {File} file */
  async #sendPicture(file) {
    this.#showSending(file.name);
    const answer = await upload(isSample(file) ? "picture?own=1" : "picture", file);
    if (!answer) return "";
    this.uploaded = await answer.json();
    return file.name;
  }

  async #sendMaps(/** @type {File[]} */ files) {
    const set = await sendMaps(files, (name) => this.#showSending(name));
    if (!set) return "";
    [this.maps, this.source] = [set, null];
    return named(set);
  }

  #showSending(/** @type {string} */ name) {
    this.sending = name;
    this.#show();
  }

  /** Choose a kind that takes what was sent, unless the one that somebody chose does. */
  #chooseKind(/** @type {FitKind[]} */ able) {
    if (able.some(({ name }) => name === this.chosen)) {
      byId("kind").value = this.chosen;
      return;
    }
    const whole = able.filter(({ name, maps }) => !maps || !this.maps?.refused[name]);
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
    const { preset, bpp, seconds, seed, set } = this.#settings;
    const sent = this.connection.send({
      type: "control",
      action: "start",
      picture: kind?.picture ? (this.uploaded?.picture ?? null) : null,
      maps: kind?.maps ? (this.maps?.maps ?? null) : null,
      source: this.#sourceOf(kind)?.source ?? null,
      kind: kind?.name ?? null,
      preset,
      bpp,
      seed: seed ?? 0,
      seconds,
      set,
    });
    if (!sent) notice("There is no connection to the server: the fit was not started.");
    else this.#setStarting(true);
  }

  /** The one that runs may have to be kept first: until the server says more, the button does. */
  #setStarting(/** @type {boolean} */ starting) {
    if (starting === this.starting) return;
    this.starting = starting;
    this.#show();
  }

  /** Return the document that was sent, where that kind fits it. */
  #sourceOf(/** @type {FitKind | undefined} */ kind) {
    return kind && this.source?.kinds.includes(kind.name) ? this.source : null;
  }

  get #kind() {
    const { kinds } = this.session;
    return kinds.find(({ name }) => name === byId("kind").value) ?? kinds[0];
  }

  /** Return the settings of the form that the kind supports; null for empty fields. */
  get #settings() {
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
      set: kind?.set ? (byId("fit-set").value.match(/\S+/g) ?? []) : [],
    };
  }

  /** Whether that kind fits what there is: what was uploaded, or what was fitted last. */
  #takes(/** @type {FitKind | undefined} */ kind) {
    if (!kind) return false;
    if (this.uploaded && kind.picture) return true;
    if (this.maps && kind.maps) return !this.maps.refused[kind.name];
    if (this.#sourceOf(kind)) return true;
    return this.#takesPresent(kind);
  }

  /** Whether that kind fits what was fitted last. @param {FitKind | undefined} kind */
  #takesPresent(kind) {
    const { fit, kinds } = this.session;
    if (!kind || !fit?.picture) return false;
    return kind.name === fit.verb || (kind.picture && kinds.some((k) => k.name === fit.verb && k.picture));
  }

  #show() {
    const { fit } = this.session;
    if (fit && fit.id !== this.fit_id) byId("kind").value = this.chosen = fit.verb;
    const kind = this.#kind;
    const known = (kind?.presets ?? []).map((name) => /** @type {[string, string]} */ ([name, name]));
    setOptions(byId("preset"), known);
    byId("presets").hidden = !known.length;
    byId("bits").hidden = !kind?.bpp;
    byId("values-field").hidden = !kind?.set;
    setText(byId("bpp-unit"), `Bits per ${kind?.picture ? "pixel" : "texel"}`);
    setText(byId("kind-about"), (kind?.about ?? "").replace(/\bPICTURE\b/, "a picture"));
    this.#showPicture(kind);
    const typed = kind && !kind.picture && !this.#takes(kind);
    const sends = kind?.maps || (kind?.documents.length && this.session.runs_shaders);
    byId("source").hidden = byId("start").hidden = byId("or-drop").hidden = typed && !sends;
    byId("in-terminal").hidden = !typed;
    if (!this.timed) byId("fit-seconds").value = typed ? "" : byId("fit-seconds").defaultValue;
    this.#showCommand();
    const lacks = !this.sending && !this.#takes(kind);
    byId("start").disabled = Boolean(this.sending) || this.starting || lacks;
    setText(byId("start"), this.starting ? "Starting ..." : "Start");
    const explained = !lacks || byId("start").hidden || (kind?.maps && this.maps); // why a set is refused
    setText(byId("start-why"), explained ? "" : `It needs ${needed(kind)}.`);
    if (fit?.preset && kind?.name === fit.verb && fit.id !== this.fit_id) byId("preset").value = fit.preset;
    this.fit_id = fit?.id;
  }

  /** Say what is fitted: in the form, and in the middle of a page that shows nothing yet. */
  #showPicture(/** @type {FitKind | undefined} */ kind) {
    const { fit } = this.session;
    const present = fit && this.#takesPresent(kind) ? `${fit.picture} (the present one)` : "none yet";
    const own = kind?.picture ? this.uploaded : null;
    const maps = kind?.maps ? this.maps : null;
    const source = this.#sourceOf(kind);
    const size = own && `${own.name}, ${own.width} x ${own.height}`;
    const chosen = size ?? (source ? sourceName(source) : maps && named(maps));
    const text = chosen ?? present;
    const ready = `${chosen}: ${(kind && maps?.refused[kind.name]) ?? "ready to be fitted."}`;
    setText(byId("source-name"), kind?.picture ? "Picture" : kind?.maps ? "Maps" : "Source");
    setText(byId("choose-word"), kind?.maps ? "Choose maps" : kind?.picture ? "Choose a picture" : "Choose files");
    if (source) showSource(source);
    else showMaps(maps, kind?.name);
    setText(byId("fit-picture"), this.sending ? "uploading" : text);
    byId("pictures").hidden = !kind?.picture && !kind?.maps && !kind?.documents.length;
    byId("present-picture").hidden = !chosen || !fit?.picture || !(kind?.picture || kind?.name === fit.verb);
    byId("taken").hidden = !chosen && !this.sending;
    setText(byId("taken"), this.sending ? `Sending ${this.sending}` : ready);
    byId("start-here").hidden = !chosen || Boolean(this.sending) || !this.#takes(kind);
    byId("start-here").disabled = this.starting;
    setText(byId("start-here"), this.starting ? "Starting ..." : "Start the fit");
    byId("drop-hint").hidden = !byId("taken").hidden;
    const sources = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".of-sources"));
    for (const also of sources) also.hidden = !this.session.runs_shaders;
    byId("drop-choice").classList.toggle("primary", byId("start-here").hidden);
  }

  #showCommand() {
    const kind = this.#kind;
    if (!kind || byId("in-terminal").hidden) return;
    showCommand(kind, this.#settings, this.session.runs_shaders);
  }
}

/** Return what a kind is fitted to, as a page has it. @param {FitKind | undefined} kind */
function needed(kind) {
  if (kind?.picture) return "a picture";
  return kind?.maps ? "the maps of a material, chosen together" : (kind?.what ?? "something else");
}
