/** The panel of a fit: how far it is, and what changes it while it runs. */

import { byId, element, setOptions, setProse, setText, spaced } from "./dom.js";
import * as format from "./format.js";
import { ask, notice } from "./notices.js";

const RATE_GAP_MS = 120;
const LEAST_RATE = 0.01;
const MOST_RATE = 100;
const STATES = {
  running: "Running",
  paused: "Paused",
  finishing: "Finishing",
  ended: "Ended",
  stopped: "Stopped",
  failed: "Failed",
  shown: "Shown",
};

/** Only what the server says that it can do is enabled. */
export class FitControls {
  /**
   * @param {import("./session.js").Session} session
   * @param {import("./connection.js").Connection} connection
   */
  constructor(session, connection) {
    this.session = session;
    this.connection = connection;
    this.connected = false;
    this.run = ""; // the fit and seed that the next seed was proposed for
    this.slider = byId("learning-rate");
    this.field = byId("learning-rate-value");
    for (const [id, action] of [
      ["pause", "pause"],
      ["resume", "resume"],
      ["one-step", "step"],
      ["stop", "stop"],
    ]) {
      byId(id).addEventListener("click", () => this.send(action));
    }
    this.#listenToRate();
    byId("transform").addEventListener("change", (/** @type {any} */ event) => {
      this.send("transform", { transform: event.target.value });
    });
    byId("reset-form").addEventListener("submit", (/** @type {Event} */ event) => {
      event.preventDefault();
      this.askReset();
    });
    session.on("hello", () => {
      setOptions(
        byId("transform"),
        session.transforms.map((name) => [name, name]),
      );
    });
    for (const type of ["fit", "preparing"]) session.on(type, () => this.show());
    session.on("connection", ({ state }) => {
      this.connected = state === "open";
      this.show();
    });
  }

  /** @param {string} action @param {object} [more] */
  send(action, more = {}) {
    this.connection.send({ type: "control", action, ...more });
  }

  /** @param {string} action */
  can(action) {
    const { fit, preparing } = this.session; // which is another fit's
    return this.connected && !preparing && (fit?.can.includes(action) ?? false);
  }

  toggle() {
    const { fit } = this.session;
    if (!this.can("pause")) return;
    if (fit?.state === "running") this.send("pause");
    else if (fit?.state === "paused") this.send("resume");
  }

  step() {
    if (this.can("step")) this.send("step");
  }

  /** Ask first: the running fit is stopped for it, and a finished asset is replaced. */
  async askReset() {
    const seed = byId("seed").valueAsNumber;
    if (!this.can("reset") || !Number.isFinite(seed)) return;
    const { state, output } = this.session.fit ?? {};
    const lost = state === "ended" ? `${output} is replaced.` : "The running one is stopped.";
    const question = `Start this fit again with seed ${seed}? ${lost}`;
    const answer = await ask(question, [["again", "Start again"]]);
    if (answer && this.can("reset")) this.send("reset", { seed });
  }

  show() {
    const { fit } = this.session;
    const paused = fit?.state === "paused";
    byId("pause").disabled = !(this.can("pause") && fit?.state === "running");
    byId("resume").disabled = !this.can("pause");
    swap(byId(paused ? "resume" : "pause"), byId(paused ? "pause" : "resume"));
    byId("one-step").disabled = !this.can("step");
    byId("stop").disabled = !this.can("stop");
    this.slider.disabled = this.field.disabled = !this.can("rate");
    byId("reset").disabled = byId("seed").disabled = !this.can("reset");
    byId("transform").disabled = !this.can("transform");
    byId("transforms").hidden = fit?.transform == null;
    byId("training").hidden = !fit;
    if (!fit) return;
    if (fit.transform != null) byId("transform").value = fit.transform;
    if (document.activeElement !== this.slider) this.#showRate(fit.rate_scale ?? 1, this.slider);
    if (document.activeElement !== this.field) this.#showRate(fit.rate_scale ?? 1, this.field);
    const run = `${fit.id} ${fit.seed}`;
    if (run === this.run) return;
    this.run = run;
    byId("seed").value = String(fit.seed + 1);
  }

  #listenToRate() {
    const send = spaced(
      () => this.send("rate", { rate_scale: 10 ** this.slider.valueAsNumber }),
      RATE_GAP_MS,
    );
    this.slider.addEventListener("input", () => {
      this.#showRate(10 ** this.slider.valueAsNumber, this.field);
      send();
    });
    this.field.addEventListener("change", () => {
      const text = this.field.value.replace(/^\s*x/i, "").trim();
      const typed = Number(text);
      const known = typed >= LEAST_RATE && typed <= MOST_RATE; // false for NaN
      const rate = known ? typed : (this.session.fit?.rate_scale ?? 1);
      if (!known) notice(refusal(text));
      this.#showRate(rate, this.field);
      this.#showRate(rate, this.slider);
      if (known) this.send("rate", { rate_scale: rate });
    });
    const even = () => {
      if (!this.can("rate")) return;
      this.#showRate(1, this.field);
      this.#showRate(1, this.slider);
      this.send("rate", { rate_scale: 1 });
    };
    this.slider.addEventListener("dblclick", even);
  }

  /** @param {number} rate @param {HTMLInputElement} place */
  #showRate(rate, place) {
    const text = `x ${Number(rate.toPrecision(3))}`;
    if (place === this.slider) {
      place.value = String(Math.log10(rate));
      place.setAttribute("aria-valuetext", text);
    } else place.value = text;
  }
}

/**
 * Show state, progress and numbers whenever they change.
 * @param {import("./session.js").Session} session
 */
export function showNumbers(session) {
  const showFit = () => {
    const { preparing } = session;
    const fit = preparing ? null : session.fit;
    setText(byId("state"), preparing ? "Preparing" : fit ? stateOf(fit) : "No fit");
    byId("state").dataset.state = preparing ? "preparing" : (fit?.state ?? "none");
    const warnings = fit && fit.state !== "shown" ? (fit.warnings ?? []) : [];
    byId("state").toggleAttribute("data-doubtful", warnings.length > 0 || fit?.cut_short === true);
    const lines = warnings.map((line) => {
      const item = element("li");
      setProse(item, line);
      return item;
    });
    byId("fit-warnings").replaceChildren(...lines);
    byId("fit-warnings").hidden = !warnings.length;
    setProse(byId("fit-text"), preparing ? format.preparation(preparing) : (fit?.text ?? ""));
    byId("psnr-number").hidden = fit?.rated === false;
    const shown = fit?.state === "shown"; // an asset that this fit has not made
    byId("fit-numbers").hidden = byId("progress").hidden = !fit || shown;
    const about = shown ? null : fit;
    const made = about && [
      about.verb && `fit ${about.verb}`,
      about.picture,
      about.preset,
      about.output,
    ];
    setText(byId("fit-about"), made ? made.filter(Boolean).join(" \u00b7 ") : "");
  };
  session.on("fit", showFit);
  session.on("preparing", showFit);
  const show = () => {
    const { progress, preparing } = session;
    const fit = preparing ? null : session.fit;
    const share = fit && progress ? progress.share : 0;
    byId("progress").value = share;
    setText(byId("share"), fit && progress ? `${Math.floor(share * 100)} %` : "");
    const about = progress?.psnr_db != null && progress.psnr_about ? "about " : "";
    const since = progress?.psnr_stale ? `, step ${format.count(progress.psnr_step)}` : "";
    const number = format.decibels(progress?.psnr_db);
    byId("psnr").replaceChildren(element("small", {}, about), number);
    setText(byId("psnr-since"), since);
    setText(byId("loss"), format.loss(progress?.loss));
    setText(byId("step"), format.count(progress?.step));
    setText(byId("rate"), format.engineering(progress?.samples_per_second));
    setText(byId("time"), format.duration(progress?.seconds));
    // of what is finished or written nobody knows how long it takes, and what has ended goes on no more
    const trains = fit?.state === "running" || fit?.state === "paused";
    byId("left-number").hidden = !trains;
    setText(byId("left"), format.duration(progress?.left_seconds));
    const quality = progress?.psnr_db == null ? "" : ` \u00b7 ${progress.psnr_db.toFixed(1)} dB`;
    const stands = fit ? `${stateOf(fit)} ${Math.floor(share * 100)} %${quality}` : "";
    setText(byId("brief"), preparing ? `Preparing ${preparing.seconds} s` : stands);
    const percent = `${Math.floor(share * 100)} % `;
    document.title = (fit?.state === "running" ? percent : "") + pageTitle(session);
  };
  for (const type of ["progress", "fit", "scene", "preparing"]) session.on(type, show);
}

/** Return how a fit stands in a word or three. @param {import("./types.js").Fit} fit */
function stateOf({ state, cut_short }) {
  return state === "ended" && cut_short ? "Stopped and saved" : (STATES[state] ?? state);
}

/** @param {import("./session.js").Session} session */
function pageTitle(session) {
  const name = session.scene?.name;
  return name ? `${name} - neuralshade` : "neuralshade";
}

/** @param {string} text what was typed @returns {string} */
function refusal(text) {
  const shown = text.length > 20 ? `${text.slice(0, 20)}...` : text;
  return `learning rate: got '${shown}', need a number from ${LEAST_RATE} to ${MOST_RATE}, times the recipe's.`;
}

/** Show one button in the other's place; the keyboard's focus goes along. */
function swap(/** @type {HTMLElement} */ shown, /** @type {HTMLElement} */ other) {
  const focused = document.activeElement === other;
  shown.hidden = false;
  other.hidden = true;
  if (focused) shown.focus();
}
