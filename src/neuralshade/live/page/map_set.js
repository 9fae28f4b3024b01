/** The maps of one surface on their way to the server: one by one into one set, and their list. */

import { upload } from "./connection.js";
import { byId, element, setText } from "./dom.js";

/** @typedef {import("./types.js").MapSet} MapSet */

/**
 * Send files into a set of their own; return what the server says of it, null where a file was
 * refused, which a notice tells.
 * @param {File[]} files
 * @param {(name: string) => void} onsending called with each file before it is sent
 * @returns {Promise<MapSet | null>}
 */
export async function sendMaps(files, onsending) {
  /** @type {MapSet | null} */ let set = null;
  for (const [i, file] of files.entries()) {
    onsending(files.length > 1 ? `${file.name} (${i + 1} of ${files.length})` : file.name);
    const answer = await upload(set ? `maps?of=${encodeURIComponent(set.maps)}` : "maps", file);
    if (!answer) return null; // half a set is none: what it lacks would be fitted without
    set = await answer.json();
  }
  return set;
}

/** Return what people call a set. @param {MapSet} set */
export function named({ name, files }) {
  return `${name}, ${files.length} ${files.length === 1 ? "map" : "maps"}`;
}

/**
 * List the files with what each was taken for, and why that kind cannot fit them.
 * @param {MapSet | null} set
 * @param {string | undefined} kind
 */
export function showMaps(set, kind) {
  byId("map-list").hidden = !set;
  const rows = (set?.files ?? []).map(({ name, width, height, taken }) => {
    const what = element("td", {}, taken.join(", ") || "no map by its name");
    return element("tr", { title: `${width} x ${height}` }, element("td", {}, name), what);
  });
  byId("map-list").replaceChildren(...rows);
  setText(byId("maps-refused"), (kind && set?.refused[kind]) ?? "");
}
