/** The data of a page: a header as JSON, then segments of bytes; see container.py. */

const NUMBER = /page_number/g;

/** @param {BufferSource} bytes @returns {Promise<Uint8Array>} */
export async function inflated(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

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
    if (view.getUint32(0, true) !== 0x31424e53) throw new Error("the data is not of this page");
    const length = view.getUint32(4, true);
    const header = await inflated(bytes.subarray(8, 8 + length));
    return new Data(JSON.parse(new TextDecoder().decode(header)), bytes.subarray(8 + length));
  }

  constructor(header, rest) {
    this.header = header;
    this.rest = rest;
  }

  /** @param {{at: number, bytes: number, deflated: boolean}} segment */
  async segment({ at, bytes, deflated }) {
    const part = this.rest.slice(at, at + bytes);
    return deflated ? inflated(part) : part;
  }
}

/** Return a shader's text with the numbers of its networks. */
export function filled(/** @type {string} */ text, /** @type {Float32Array} */ numbers) {
  let next = 0;
  return text.replace(NUMBER, () => {
    const digits = numbers[next++].toPrecision(9);
    return /[.e]/.test(digits) ? digits : `${digits}.0`;
  });
}
