/** Elements of a page. */

/** @returns {any} an element with properties, whose children are given */
export function element(name, properties = {}, children = []) {
  const made = document.createElement(name);
  const { role, ...rest } = properties;
  if (role) made.setAttribute("role", role);
  Object.assign(made, rest);
  made.append(...children);
  return made;
}

/** A choice among names; ``set`` gets the index. */
export function choice(label, names, value, set) {
  const select = element("select", { onchange: () => set(select.selectedIndex) },
    names.map((name, i) => element("option", { value: i, textContent: name })));
  select.selectedIndex = value;
  return element("label", {}, [`${label} `, select]);
}

/** A slider of a number; ``set`` gets it, and whether it still moves. */
export function range({ label, low, high, value, digits = 2 }, set) {
  const shown = element("output", { textContent: value.toFixed(digits) });
  const input = element("input", { type: "range", min: low, max: high, step: "any" });
  input.value = value;
  const told = (moving) => () => {
    shown.textContent = input.valueAsNumber.toFixed(digits);
    set(input.valueAsNumber, moving);
  };
  input.oninput = told(true);
  input.onchange = told(false);
  return element("label", {}, [`${label} `, input, shown]);
}
