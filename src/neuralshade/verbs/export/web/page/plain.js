/** Drawing without a GPU: a picture's function as JavaScript, in the middle of other work. */

const MOST_SIDE = 512, AT_ONCE_MS = 40;

/** Return words, filled up to rows of four, and rows behind them. */
export function joined(words, rows) {
  const all = new Uint32Array(Math.ceil(words.length / 4) * 4 + rows.length);
  all.set(words);
  all.set(new Uint32Array(rows.buffer, rows.byteOffset, rows.length), all.length - rows.length);
  return all;
}

/** Return the rows of networks with these layers, from the numbers of the shader's text. */
export function rowsOf(numbers, layers) {
  const rows = [];
  let at = 0;
  for (const [inputs, outputs] of layers) {
    for (let four = 0; four < outputs; four += 4) {
      rows.push(...numbers.subarray(at, at + 4 * (1 + inputs)));
      rows.push(...new Float32Array((-inputs & 3) * 4)); // inputs are filled up to fours
      at += 4 * (1 + inputs);
    }
  }
  return Float32Array.from(rows);
}

/** Draw a picture on a canvas of at most MOST_SIDE pixels a side. */
export async function drawn(at, { width, height, linear, exposure }) {
  const scale = Math.min(1, MOST_SIDE / Math.max(width, height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(height * scale));
  const context = canvas.getContext("2d"), gain = 255 * 2 ** exposure;
  const image = context.createImageData(canvas.width, canvas.height);
  const coded = (x) => (linear ? 255 * encoded((x * gain) / 255) : 255 * x);
  let begin = performance.now();
  for (let y = 0, i = 0; y < canvas.height; ++y) {
    for (let x = 0; x < canvas.width; ++x, i += 4) {
      const found = at((x + 0.5) / canvas.width, (y + 0.5) / canvas.height);
      const grey = found.length === undefined || found.length < 3;
      for (let c = 0; c < 3; ++c) image.data[i + c] = coded(found[grey ? 0 : c] ?? found);
      image.data[i + 3] = 255 * (found.length === 2 || found.length === 4 ? found.at(-1) : 1);
    }
    if (performance.now() - begin < AT_ONCE_MS) continue;
    await new Promise((go) => setTimeout(go));
    begin = performance.now();
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

/** Return linear light as sRGB has it. */
function encoded(x) {
  return x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055;
}
