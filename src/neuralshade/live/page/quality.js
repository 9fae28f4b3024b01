/**
 * How good the asset is that is shown: PSNR, SSIM and FLIP by pane, both of its sizes, and what
 * files of as many bytes and textures have.
 */

import { byId, element, setText } from "./dom.js";
import { bytes, count, decibels, engineering, share } from "./format.js";

/** @param {import("./session.js").Session} session */
export function showQuality(session) {
  const show = () => {
    const { quality, scene, measuring } = session;
    const measured = Object.values(quality ?? {});
    const panes = new Set([...Object.keys(quality ?? {}), ...measuring]);
    const found = [...panes].map((pane) => /** @type {const} */ ([pane, quality?.[pane]]));
    const rows = found.map(([pane, part]) => {
      const title = found.length > 1 ? (scene?.titles[pane] ?? pane) : "";
      const numbers = part && [ratio(part.psnr_db), share(part.ssim), share(part.flip)];
      const cells = numbers?.map((text) => element("td", {}, text)) ?? [
        element("td", { colspan: "3", class: "waiting" }, "measuring ..."),
      ];
      return element("tr", {}, element("th", { scope: "row" }, title), ...cells);
    });
    byId("quality-rows").replaceChildren(...rows);
    const lines = scene ? bytes(scene) : "";
    setText(byId("sizes"), lines);
    const cropped = measured.some(({ cropped }) => cropped) ? "SSIM and FLIP saw only the middle." : "";
    const known = scene?.measured && !found.length ? `As its fit measured it: ${scene.measured}` : "";
    setText(byId("quality-note"), cropped || known);
    showTable(known ? (scene?.measured_table ?? null) : null);
    byId("quality").hidden = !found.length && !lines && !known;
    byId("quality").querySelector("table").hidden = !found.length;
    const rivals = measured.flatMap(({ beside }) => beside ?? []);
    const others = rivals.map(({ name, psnr_db, bytes: disk, memory_bytes, random_access }) => {
      const sizes = [disk, memory_bytes].map((size) => {
        return element("td", { title: `${count(size)} bytes` }, `${engineering(size).replace(/(\d)$/, "$1 ")}B`);
      });
      const texts = [ratio(psnr_db), random_access ? "yes" : "no"];
      const [decibel, sampled] = texts.map((text) => element("td", {}, text));
      const cells = [decibel, ...sizes, sampled];
      return element("tr", {}, element("th", { scope: "row" }, name), ...cells);
    });
    byId("beside-rows").replaceChildren(...others);
    byId("beside").hidden = !others.length;
    byId("beside-waiting").hidden = !others.length || !measuring.length;
  };
  session.on("quality", show);
  session.on("measuring", show);
  session.on("scene", show);
}

/** Show numbers of a fit; the first line of a cell is its own. */
function showTable(/** @type {import("./types.js").Scene["measured_table"]} */ table) {
  byId("measured").hidden = !table;
  const heads = (table?.columns ?? []).map((text) => element("th", { scope: "col" }, text));
  const rows = (table?.rows ?? []).map((cells) => {
    const made = cells.map(([first, ...more], i) => {
      const lines = more.map((line) => element("small", {}, line));
      return element(i ? "td" : "th", i ? {} : { scope: "row" }, first, ...lines);
    });
    return element("tr", {}, ...made);
  });
  byId("measured").replaceChildren(
    element("thead", {}, element("tr", {}, ...heads)),
    element("tbody", {}, ...rows),
  );
}

/** @param {number | null} psnr_db of equal pictures: null */
function ratio(psnr_db) {
  return psnr_db === null ? "\u221e" : decibels(psnr_db);
}
