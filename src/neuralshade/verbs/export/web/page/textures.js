/** Textures of a set with all their levels, decoded by a shader, the coarsest level first. */

const FIRST_TEXELS = 2 ** 14; // of levels that are decoded before the first picture
const LEVEL_MS = 40; // of a band of a level
export const clamped = (x, low, high) => Math.min(Math.max(x, low), high);

/** Textures of a set, filled level by level, the coarsest first. */
export class MapTextures {
  constructor(gpu, names, { width, height, levels, wraps }, format = () => "bytes") {
    Object.assign(this, { gpu, width, height, levels, finest: levels });
    this.named = new Map(names.map((name) => {
      const made = gpu.texture(width, height, levels, format(name));
      made.wraps = wraps;
      return [name, made];
    }));
  }

  size(level) {
    return [Math.max(1, this.width >> level), Math.max(1, this.height >> level)];
  }

  /** Draw a level by a program whose targets are all textures, in bands, until told to stop. */
  async draw(program, numbers, level, stopped) {
    const [width, height] = this.size(level), inputs = new Float32Array(64);
    const targets = [...this.named.values()].map((texture) => ({ texture, level }));
    inputs.set([level, width, height]);
    for (let row = 0; row < height;) {
      if (await stopped()) return;
      this.rows ??= Math.ceil(2048 / width);
      const most = Math.max(1, Math.floor(this.rows * 2 ** level)), end = Math.min(height, row + most);
      const begin = performance.now();
      this.gpu.draw(program, { targets, inputs, ...numbers, rows: [row, end] });
      await this.gpu.done();
      const ms = performance.now() - begin;
      const factor = clamped(LEVEL_MS / Math.max(ms, 0.1), 0.5, 2);
      if (factor < 1 || end === row + most) this.rows = ((end - row) / 2 ** level) * factor;
      row = end;
    }
    this.finest = level;
  }
}

/**
 * Return textures of these names with their coarse levels, and the promise of the others, which are
 * decoded while the page is shown.
 */
export async function decodedTextures(load, stage, shader, words, names, facts) {
  const made = new MapTextures(load.gpu, names, facts);
  const program = await load.program(shader, ...names.map(() => "bytes"));
  const numbers = { words: await load.words(words) };
  const few = (level) => made.size(level)[0] * made.size(level)[1] <= FIRST_TEXELS;
  let level = facts.levels;
  while (level > 0 && (level === facts.levels || few(level - 1))) {
    await made.draw(program, numbers, level -= 1, () => false);
  }
  const whole = (async () => {
    await stage.drawn;
    while (level > 0 && !stage.stopped) {
      await made.draw(program, numbers, level -= 1, async () => {
        await stage.settled; // a band between two pictures
        return stage.stopped;
      });
      stage.change();
    }
  })();
  return { made, whole };
}
