/** Which panes a scene offers, errors among them, and which of them errors are made of. */

const ERROR = "error"; // of "result"; that of another pane is error:PANE
const FLIP = "flip:"; // flip:PANE is FLIP's error of PANE, drawn by the server
const REFERENCE_OF = "given:"; // given:PANE is what PANE is compared with
const REFERENCES = ["target", "reference"]; // what all others are

/**
 * @typedef {object} Offer
 * @property {[string, string][]} entries name and title, errors last
 * @property {Map<string, string>} titles by name
 * @property {Map<string, string>} beside of each pane that has errors, what they are beside
 * @property {[string, string, string]} first what three panes show at first
 */

/**
 * @param {import("./types.js").Scene} scene
 * @returns {Offer}
 */
export function offerPanes(scene) {
  const offered = scene.panes.filter((pane) => !pane.startsWith(FLIP));
  const plane = offered.every((pane) => scene.light?.panes.includes(pane));
  const panes = [...new Set([...(plane ? litPanes(scene) : []), ...offered])];
  const title = (/** @type {string} */ pane) => scene.titles?.[pane] ?? capital(pane);
  const known = REFERENCES.find((pane) => panes.includes(pane));
  // Without one, planes are beside the first: that is then called what it is, a difference.
  const own = panes.find((pane) => panes.includes(REFERENCE_OF + pane));
  const reference = known ?? (plane && !own ? panes[0] : null);
  /** @type {Map<string, string>} */
  const beside = new Map();
  for (const pane of panes) {
    const compared = panes.includes(REFERENCE_OF + pane) ? REFERENCE_OF + pane : reference;
    if (compared !== null && compared !== pane) beside.set(pane, compared);
  }
  /** @type {[string, string][]} */
  const entries = panes.map((pane) => [pane, title(pane)]);
  for (const pane of beside.keys()) {
    const error = beside.size === 1 ? "Error" : `Error of ${title(pane)}`;
    const text = known || own ? error : `${title(pane)} minus ${title(reference ?? "")}`;
    entries.push([pane === "result" ? ERROR : `${ERROR}:${pane}`, text]);
  }
  const one = reference ?? (own ? REFERENCE_OF + own : panes[0]) ?? "";
  const other = own ?? panes.find((pane) => pane !== one) ?? one;
  const two = panes.includes("result") ? "result" : other;
  const errors = entries.map(([name]) => name).filter((name) => errorOf(name) === two);
  const third = panes.find((pane) => pane !== one && pane !== two);
  const three = (plane && !own ? third : errors[0]) ?? third ?? two; // of a plane, what it replaces
  const [a = one, b = two, c = three] = plane && !own && !known ? panes : [];
  return { entries, titles: new Map(entries), beside, first: [a, b, c] };
}

/** Whether a pane takes long to draw: a lit reference, of which every texel is shaded. */
export function isSlow(/** @type {string} */ name, /** @type {import("./types.js").Scene} */ scene) {
  return REFERENCES.includes(name) && Boolean(scene.light?.panes.includes(name));
}

/** Return the pane whose error that is, or null where it is none. @param {string} name */
export function errorOf(name) {
  if (name === ERROR) return "result";
  return name.startsWith(`${ERROR}:`) ? name.slice(ERROR.length + 1) : null;
}

/** Whether overlays lie over that pane: over results, or what stands for them. */
export function isResult(/** @type {string} */ name, /** @type {import("./types.js").Scene} */ scene) {
  if (scene.panes.includes("result")) return name === "result";
  if (scene.light?.panes.includes(name)) return false; // of another shape than what was learned
  return !REFERENCES.includes(name) && !name.startsWith(REFERENCE_OF) && errorOf(name) === null;
}

/**
 * Return the panes to request in order to show `names`.
 * @param {string[]} names
 * @param {Map<string, string>} beside
 * @param {string} form of errors
 */
export function needed(names, beside, form) {
  const panes = names.flatMap((name) => {
    const compared = errorOf(name);
    if (compared !== null && form === "flip") return [FLIP + compared];
    return compared === null ? [name] : [beside.get(compared) ?? "", compared];
  });
  return [...new Set(panes)].filter(Boolean);
}

/** Return the name of FLIP's error of a pane. @param {string} pane */
export function flipOf(pane) {
  return FLIP + pane;
}

/**
 * Whether a scene is of the same picture as another: a fit's asset, or the same fit again.
 * @param {import("./types.js").Scene | null} scene
 * @param {import("./types.js").Scene | null} other
 */
export function isLike(scene, other) {
  if (!scene || !other || scene.name !== other.name) return false;
  return scene.width === other.width && scene.height === other.height;
}

/** @param {import("./types.js").Scene} scene */
function litPanes({ light }) {
  return (light?.panes ?? []).filter((pane) => !pane.startsWith(FLIP));
}

/** @param {string} text */
function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
