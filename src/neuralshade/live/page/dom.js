/** Elements by id, elements made, calls spaced out. */

/**
 * Return the element with that id.
 * @param {string} id
 * @returns {any}
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`index.html has no element with id ${id}`);
  return found;
}

/**
 * Return a new element; strings among `children` become text, never markup.
 * @param {string} tag
 * @param {Record<string, string>} [attributes]
 * @param {...(Node | string)} children
 * @returns {any}
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/**
 * Make the options of `select` those of `entries`, and keep what is chosen where it is still there.
 * @param {HTMLSelectElement} select
 * @param {[string, string][]} entries value and text
 */
export function setOptions(select, entries) {
  const same =
    entries.length === select.options.length &&
    entries.every(([value, text], i) => {
      const present = select.options[i];
      return present?.value === value && present.textContent === text;
    });
  if (same) return; // replaced options would close a list that is open
  const chosen = select.value;
  select.replaceChildren(...entries.map(([value, text]) => element("option", { value }, text)));
  if (entries.some(([value]) => value === chosen)) select.value = chosen;
}

/**
 * Return a function that calls `work` at most once in `gap_ms`, the first time at once.
 *
 * A call within the gap is made up for when it ends, once.
 * @param {() => void} work
 * @param {number} gap_ms
 */
export function spaced(work, gap_ms) {
  let next_ms = 0;
  let timer = 0;
  const now = () => {
    timer = 0;
    next_ms = performance.now() + gap_ms;
    work();
  };
  return () => {
    if (timer) return;
    const wait_ms = next_ms - performance.now();
    if (wait_ms <= 0) now();
    else timer = window.setTimeout(now, wait_ms);
  };
}

/**
 * Set text only where it differs: a live region would read it out again.
 * @param {Element} place
 * @param {string} text
 */
export function setText(place, text) {
  if (place.textContent !== text) place.textContent = text;
}

/**
 * Set text whose options, --like-this, or all words of it, are not broken at their hyphens, nor
 * before the sign behind them.
 * @param {Element} place
 * @param {string} text
 * @param {RegExp} whole what is not broken, in one group
 */
export function setProse(place, text, whole = /(--[a-z][\w-]*[.,;:]?)/) {
  if (place.textContent === text) return;
  const parts = text.split(whole).map((part, i) => {
    return i % 2 ? element("span", { class: "unbroken" }, part) : part;
  });
  place.replaceChildren(...parts);
}
