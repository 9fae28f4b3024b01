/** The page of `neuralshade view` and `fit --live`: puts the parts together. */

import { Connection } from "./connection.js";
import { Curves } from "./curves.js";
import { byId, setText } from "./dom.js";
import { Files } from "./files.js";
import { FitControls, showNumbers } from "./fit_panel.js";
import { sizeOf } from "./format.js";
import { Inputs } from "./inputs.js";
import { connectKeys } from "./keys.js";
import { Level } from "./level.js";
import { Light, Tone } from "./look.js";
import { NewFit } from "./new_fit.js";
import { forgetProblems, notice, retract } from "./notices.js";
import { Overlays } from "./overlays.js";
import { showQuality } from "./quality.js";
import { Session } from "./session.js";
import { PaneArea } from "./pane_area.js";
import { connectToolbar } from "./toolbar.js";
import { Turn } from "./turn.js";
import { Values, Views } from "./views.js";

const session = new Session();
const connection = new Connection(session);
const paneArea = new PaneArea();
const tone = new Tone(session, () => views.ask());
const light = new Light(session, () => views.ask());
const level = new Level(session, () => {
  views.ask();
  values.askAgain();
});
const turn = new Turn(session, () => light.move());
const inputs = new Inputs(session, () => light.move());
paneArea.ondrag = (dx, dy, pane) => turn.drag(dx, dy, pane) || light.drag(dx, dy, pane);
const views = new Views(session, connection, paneArea, { tone, light, level, turn, inputs });
views.onproblem = notice;
connectToolbar(paneArea);
session.on("scene", () => {
  paneArea.show(session.scene);
  setText(byId("scene-name"), session.scene?.name ?? "");
  setText(byId("scene-size"), session.scene ? sizeOf(session.scene) : "");
  views.askAgain();
});
const values = new Values(session, connection, paneArea, level);
views.onframe = () => values.askAgain();
const overlays = new Overlays(session, connection, paneArea);
const controls = new FitControls(session, connection);
showNumbers(session);
showQuality(session);
new Curves(session);
new Files(session, new NewFit(session, connection), tone, inputs);
connectKeys(paneArea, controls, overlays, level, turn);

let shown = ""; // which scene of which session
session.on("scene", () => {
  const now = `${session.name} ${session.scene?.id}`;
  if (now !== shown) forgetProblems();
  shown = now;
});
const warned = () => session.fit?.warnings ?? []; // these have a place of their own
session.on("fit", () => retract(warned()));
session.on("note", ({ text }) => {
  if (!warned().includes(text)) notice(text, "note");
});
session.on("refused", ({ text }) => notice(text));
session.on("connection", ({ state, wait_ms }) => {
  const wait = wait_ms < 1000 ? "" : ` in ${Math.round(wait_ms / 1000)} s`;
  const texts = {
    connecting: session.name ? "Connecting again" : "Connecting",
    open: "Connected",
    lost: `Connection lost, trying again${wait}`,
  };
  setText(byId("connection"), texts[/** @type {keyof typeof texts} */ (state)]);
  byId("connection").dataset.state = state;
});

Object.defineProperty(window, "neuralshade", {
  value: {
    /** Return a pane's picture as it was received: uint8 RGBA, not drawn, not resampled. */
    pixels(/** @type {string} */ pane) {
      const picture = paneArea.isEarlier(pane) ? null : paneArea.picture(pane);
      if (!picture) return null;
      const { width, height, data } = paneArea.pictures.bytes(picture);
      return { width, height, data };
    },
    get frame() {
      return views.frame;
    },
  },
});

connection.open();
