/** A page of one asset, or of several: a gallery first. */

import { element } from "./controls.js";
import { Data, decoded } from "./data.js";
import { Viewer } from "./viewer.js";

async function main() {
  const options = Object.fromEntries(new URLSearchParams(location.search));
  if (options.theme) document.documentElement.dataset.theme = options.theme;
  const data = await Data.of(decoded(document.getElementById("data").textContent));
  const root = document.getElementById("view"), { assets } = data.header;
  const viewer = new Viewer(root, data, options);
  globalThis.neuralshade_viewer = viewer;
  const gallery = document.getElementById("gallery");
  document.getElementById("loading")?.remove();
  const go = () => {
    const found = assets.findIndex((one) => location.hash === `#${one.name}`);
    const index = assets.length === 1 ? 0 : found;
    gallery.hidden = index >= 0;
    root.hidden = index < 0;
    document.title = index < 0 ? data.header.title : assets[index].title;
    if (index < 0) viewer.close();
    else viewer.open(assets[index]);
  };
  if (assets.length > 1) {
    gallery.append(...assets.map((one) => element("a", { href: `#${one.name}` }, [
      element("img", { src: one.poster, alt: "" }), element("strong", { textContent: one.title }),
      element("span", { textContent: one.summary }),
    ])));
    addEventListener("hashchange", go);
  }
  addEventListener("keydown", (event) => {
    if (event.target === document.body) { // nothing has the focus: the view gets the keys
      const sent = !viewer.canvas?.dispatchEvent(new KeyboardEvent("keydown", { ...named(event), cancelable: true }));
      if (sent) event.preventDefault();
    }
    if (event.key === "Escape" && assets.length > 1) location.hash = "";
  });
  go();
}

/** Return the parts of a key's event that the view reads. */
const named = ({ key, shiftKey, ctrlKey, metaKey, altKey }) => ({ key, shiftKey, ctrlKey, metaKey, altKey });

main().catch((error) => {
  document.getElementById("loading")?.remove();
  document.getElementById("problem").textContent = `This page cannot be shown: ${error.message}`;
  throw error;
});
