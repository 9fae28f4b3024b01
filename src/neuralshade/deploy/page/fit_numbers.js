/** How far the fit is: state, progress, numbers. */

import { byId, setText } from "./dom.js";
import * as format from "./format.js";

const STATES = {
  running: "Running",
  paused: "Paused",
  ended: "Ended",
  stopped: "Stopped",
  failed: "Failed",
  shown: "Shown",
};

/** @param {import("./session.js").Session} session */
export function showNumbers(session) {
  session.on("fit", () => {
    const { fit } = session;
    const state = fit ? (STATES[fit.state] ?? fit.state) : "No fit";
    setText(byId("state"), state);
    byId("state").dataset.state = fit?.state ?? "none";
    setText(byId("fit-text"), fit?.text ?? "");
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
  });
  const show = () => {
    const { progress, fit } = session;
    const share = fit && progress ? progress.share : 0;
    byId("progress").value = share;
    setText(byId("share"), fit && progress ? `${Math.floor(share * 100)} %` : "");
    setText(byId("psnr"), format.decibels(progress?.psnr_db));
    setText(byId("loss"), format.loss(progress?.loss));
    setText(byId("step"), format.count(progress?.step));
    setText(byId("rate"), format.engineering(progress?.samples_per_second));
    setText(byId("time"), format.duration(progress?.seconds));
    setText(byId("left"), format.duration(progress?.left_seconds));
    const quality = progress?.psnr_db == null ? "" : ` \u00b7 ${progress.psnr_db.toFixed(1)} dB`;
    setText(byId("brief"), fit ? `${STATES[fit.state]} ${Math.floor(share * 100)} %${quality}` : "");
    const percent = `${Math.floor(share * 100)} % `;
    document.title = (fit?.state === "running" ? percent : "") + pageTitle(session);
  };
  session.on("progress", show);
  session.on("fit", show);
  session.on("scene", show);
}

/** @param {import("./session.js").Session} session */
function pageTitle(session) {
  const name = session.scene?.name;
  return name ? `${name} - neuralshade` : "neuralshade";
}
