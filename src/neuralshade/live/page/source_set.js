/** A task or a material on its way to the server with its pictures, into one set; and their list. */

import { upload } from "./connection.js";
import { byId, element, setText } from "./dom.js";

/** @typedef {import("./types.js").SourceSet} SourceSet */
/** @typedef {import("./types.js").FitKind} FitKind */

/** Whether kinds fit a text file of that name. @param {string} name @param {FitKind[]} kinds */
export function isDocument(name, kinds) {
  const ends = kinds.flatMap(({ documents }) => documents);
  return ends.some((end) => name.toLowerCase().endsWith(end));
}

/**
 * Send a document and its pictures; return what the server says of them, null where a file was
 * refused, which a notice tells.
 * @param {File[]} files the document first
 * @param {(name: string) => void} onsending called with each file before it is sent
 * @returns {Promise<SourceSet | null>}
 */
export async function sendSource(files, onsending) {
  /** @type {SourceSet | null} */ let set = null;
  for (const [i, file] of files.entries()) {
    onsending(files.length > 1 ? `${file.name} (${i + 1} of ${files.length})` : file.name);
    const answer = await upload(set ? `source?of=${encodeURIComponent(set.source)}` : "source", file);
    if (!answer) return null;
    set = await answer.json();
  }
  return set;
}

/** Return what people call a set. @param {SourceSet} set */
export function sourceName({ name, files }) {
  if (!files.length) return name;
  return `${name}, ${files.length} ${files.length === 1 ? "picture" : "pictures"}`;
}

/** List the pictures of a task with the members that they are, of a material as they are. */
export function showSource(/** @type {SourceSet} */ set) {
  byId("map-list").hidden = !set.files.length;
  const rows = set.files.map(({ name, width, height }) => {
    return element("tr", {}, element("td", {}, name), element("td", {}, `${width} x ${height}`));
  });
  byId("map-list").replaceChildren(...rows);
  setText(byId("maps-refused"), "");
}
