/** The WebSocket: comes back by itself, waits longer each time, says so. */

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8000;

/** Return the header and the bytes after it. @param {ArrayBuffer} buffer */
export function splitBinary(buffer) {
  const size = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, size)));
  return { header, payload: new Uint8Array(buffer, 4 + size) };
}

export class Connection {
  /** @param {import("./session.js").Session} session */
  constructor(session) {
    this.session = session;
    /** @type {WebSocket | null} */ this.socket = null;
    this.greeted = false;
    this.wait_ms = FIRST_WAIT_MS;
    this.timer = 0;
    document.addEventListener("visibilitychange", () => {
      this.#tellVisible();
      if (!document.hidden) this.#hurry();
    });
    window.addEventListener("online", () => this.#hurry());
  }

  open() {
    this.session.tell("connection", { state: "connecting", wait_ms: 0 });
    const address = new URL("events", location.href);
    address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
    address.search = "";
    address.hash = "";
    const socket = new WebSocket(address);
    socket.binaryType = "arraybuffer";
    socket.addEventListener("message", (event) => this.#take(event.data));
    socket.addEventListener("close", () => this.#closed());
    this.socket = socket;
  }

  /** Send it, or return false where there is no connection. @param {object} message */
  send(message) {
    if (!this.greeted || this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  /** @param {string | ArrayBuffer} data */
  #take(data) {
    if (typeof data !== "string") {
      const { header, payload } = splitBinary(data);
      this.session.tell(header.type, header, payload);
      return;
    }
    const message = JSON.parse(data);
    if (message.type === "hello") {
      this.greeted = true;
      this.wait_ms = FIRST_WAIT_MS;
      this.session.tell("connection", { state: "open", wait_ms: 0 });
      if (document.hidden) this.#tellVisible();
    }
    this.session.receive(message);
  }

  #closed() {
    this.greeted = false;
    this.socket = null;
    this.session.tell("connection", { state: "lost", wait_ms: this.wait_ms });
    this.timer = window.setTimeout(() => this.#retry(), this.wait_ms);
    this.wait_ms = Math.min(LONGEST_WAIT_MS, this.wait_ms * 2);
  }

  #retry() {
    window.clearTimeout(this.timer);
    this.timer = 0;
    this.open();
  }

  /** Somebody looks again, or the network is back: do not wait any longer. */
  #hurry() {
    if (!this.timer || this.socket) return;
    this.wait_ms = FIRST_WAIT_MS;
    this.#retry();
  }

  #tellVisible() {
    this.send({ type: "visible", visible: !document.hidden });
  }
}
