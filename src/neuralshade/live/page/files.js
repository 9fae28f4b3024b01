/** Save and load the asset, snapshot, report; and files dropped on the page. */

import { download, upload } from "./connection.js";
import { byId, setProse, setText } from "./dom.js";
import { preparation } from "./format.js";
import { ask, notice } from "./notices.js";
import { samplePicture } from "./sample.js";
import { isDocument } from "./source_set.js";

const PICTURE = new RegExp("\\.(png|jpg|jpeg|jfif|jpe|webp|gif|tif|tiff|bmp|dib|ppm|pgm|pbm|pnm|pfm|exr|hdr|tga|"
  + "psd|psb|jp2|j2k|jxl|avif|dds|ktx2)$", "i");

export class Files {
  /**
   * @param {import("./session.js").Session} session
   * @param {import("./new_fit.js").NewFit} newFit
   * @param {import("./look.js").Tone} tone
   * @param {import("./inputs.js").Inputs} inputs
   */
  constructor(session, newFit, tone, inputs) {
    this.session = session;
    this.newFit = newFit;
    byId("save").addEventListener("click", () => download("asset", "asset.nsh"));
    byId("snapshot").addEventListener("click", () => {
      const query = new URLSearchParams({ ...tone.query, ...inputs.query });
      download(`snapshot.png?${query}`, "snapshot.png");
    });
    byId("load").addEventListener("change", (/** @type {any} */ event) => {
      const file = event.target.files[0];
      event.target.value = "";
      if (file) this.load(file);
    });
    for (const type of ["scene", "fit", "preparing"]) session.on(type, () => this.#show());
    byId("drop-file").addEventListener("change", (/** @type {any} */ event) => {
      const files = [...event.target.files];
      event.target.value = "";
      this.#take(files);
    });
    byId("sample").addEventListener("click", () => this.#take([samplePicture()]));
    this.#acceptDrops();
  }

  /** @param {File} file an asset */
  async load(file) {
    let place = "show";
    if (this.#isFitting) {
      place = await ask(`Load ${file.name}: a fit is on its way.`, [
        ["fit", "Go on from its numbers"],
        ["show", "Stop the fit and show it"],
      ]);
    }
    if (!place) return;
    const answer = await upload(place === "fit" ? "asset?into=fit" : "asset", file);
    if (answer) notice(`${file.name} is loaded.`, "note");
  }

  get #isFitting() {
    return ["running", "paused"].includes(this.session.fit?.state ?? "");
  }

  #show() {
    const { preparing } = this.session;
    byId("zone").hidden = this.#isFitting || Boolean(preparing);
    byId("curves-alone").hidden = !this.#isFitting || Boolean(preparing);
    byId("preparing").hidden = !preparing;
    setText(byId("preparing"), preparing ? preparation(preparing) : "");
    const none = !this.session.scene && !this.session.fit;
    const withheld = this.session.scene?.withheld ?? {};
    byId("snapshot").disabled = none;
    byId("save").disabled = none || "asset" in withheld;
    const report = byId("report");
    const unreported = none || "report" in withheld;
    if (unreported) report.removeAttribute("href");
    else report.setAttribute("href", "report");
    report.setAttribute("aria-disabled", String(unreported));
    setProse(byId("withheld"), [...new Set(Object.values(withheld))].join(" "));
  }

  #acceptDrops() {
    const veil = byId("drop");
    const carriesFiles = (/** @type {DragEvent} */ event) => {
      return event.dataTransfer?.types.includes("Files") ?? false;
    };
    document.addEventListener("dragenter", (event) => {
      if (carriesFiles(event)) veil.hidden = false;
    });
    document.addEventListener("dragover", (event) => {
      if (carriesFiles(event)) event.preventDefault();
    });
    document.addEventListener("dragleave", (event) => {
      if (!event.relatedTarget) veil.hidden = true;
    });
    document.addEventListener("drop", (event) => {
      veil.hidden = true;
      if (!carriesFiles(event)) return;
      event.preventDefault();
      this.#take([...(event.dataTransfer?.files ?? [])]);
    });
  }

  /** Fit the pictures among them; without any, load the first as an asset. @param {File[]} files */
  #take(files) {
    const pictures = files.filter(({ name, type }) => PICTURE.test(name) || type.startsWith("image/"));
    const others = files.filter((file) => !pictures.includes(file));
    const { kinds, runs_shaders } = this.session;
    const documents = others.filter(({ name }) => isDocument(name, kinds));
    if (documents.length && (runs_shaders || !pictures.length)) {
      this.newFit.takeSource([...documents, ...pictures]);
      return;
    }
    if (!pictures.length) {
      if (others[0]) this.load(others[0]);
      return;
    }
    if (others.length) notice(`Left out: ${others.map(({ name }) => name).join(", ")}.`, "note");
    if (this.session.presets.length) this.newFit.take(pictures);
    else notice("This server starts no fits: a picture cannot be used here.");
  }
}
