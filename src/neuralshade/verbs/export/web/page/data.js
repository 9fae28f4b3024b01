/** The data of a page: a header as JSON, then segments of bytes; see container.py. */

import { inflated, unpacked } from "./unpack.js";

const FOUR = /\bN_\b/g, SHORT = "the data is cut short";

/** @param {string} text base64 @returns {Uint8Array} */
export function decoded(text) {
  const letters = atob(text.trim());
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

/** The header and the segments of a container. */
export class Data {
  /** @param {Uint8Array} bytes */
  static async of(bytes) {
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    if (bytes.length < 8 || view.getUint32(0, true) !== 0x31424e53) throw new Error("the data is not of this page");
    const length = view.getUint32(4, true);
    if (8 + length > bytes.length) throw new Error(SHORT);
    const header = await inflated(bytes.subarray(8, 8 + length));
    const data = new Data(JSON.parse(new TextDecoder().decode(header)), bytes.subarray(8 + length));
    const end = Math.max(...data.header.segments.map(([at, count]) => at + count));
    if (end > data.rest.length) throw new Error(SHORT);
    return data;
  }

  constructor(header, rest) {
    this.header = header;
    this.rest = rest;
  }

  /** Return the bytes of a segment. @param {number} number */
  bytes(number) {
    const [at, length] = this.header.segments[number];
    return this.rest.subarray(at, at + length);
  }

  /** Return the arrays of a segment. @param {number} number */
  arrays(number) {
    return unpacked(this.bytes(number));
  }
}

/** Return a shader's text with the numbers of its networks, four for each ``N_``. */
export function filled(/** @type {string} */ text, /** @type {Float32Array} */ numbers, type) {
  let next = 0;
  const digits = () => {
    const found = numbers[next++].toPrecision(9);
    return /[.e]/.test(found) ? found : `${found}.0`;
  };
  return text.replace(FOUR, () => `${type}(${digits()},${digits()},${digits()},${digits()})`);
}
