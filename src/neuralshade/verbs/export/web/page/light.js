/** A light and a turn that are dragged, in degrees; the light's azimuth goes around the eye. */

const DEGREES_PER_PX = 0.4, LEAST_DEG = 2, RIM_PX = 220;

export class Dragged {
  constructor(light, options) {
    this.first = [...light];
    this.light = numbers(options.light, 2) ?? [...light];
    this.turn = numbers(options.turn, 2) ?? [0, 0];
    this.turns = true; // what a plain drag does
  }

  /** Drag by device pixels: turn, or move the light where ``other`` is. */
  drag(dx, dy, other) {
    const px = 1 / devicePixelRatio;
    if (this.turns !== Boolean(other)) {
      this.turn[0] += dx * DEGREES_PER_PX * px;
      this.turn[1] = Math.min(Math.max(this.turn[1] + dy * DEGREES_PER_PX * px, -90), 90);
      return;
    }
    const [azimuth, elevation] = this.light.map((one) => (one * Math.PI) / 180);
    const off = RIM_PX * (1 - elevation / (Math.PI / 2));
    const x = off * Math.sin(azimuth) + dx * px, y = off * Math.cos(azimuth) - dy * px;
    this.light = [(Math.atan2(x, y) * 180) / Math.PI,
      Math.max(LEAST_DEG, 90 * (1 - Math.min(1, Math.hypot(x, y) / RIM_PX)))];
  }

  reset() {
    this.light = [...this.first];
    this.turn = [0, 0];
  }

  /** Cosine and sine of the turn around and over. */
  get turning() {
    return this.turn.flatMap((one) => [Math.cos((one * Math.PI) / 180), Math.sin((one * Math.PI) / 180)]);
  }

  /** Direction to the light: x right, y up, z to the eye. */
  get towards() {
    const [azimuth, elevation] = this.light.map((one) => (one * Math.PI) / 180);
    const off = Math.cos(elevation);
    return [off * Math.sin(azimuth), off * Math.cos(azimuth), Math.sin(elevation)];
  }

  get control() {
    return { label: "Drag", names: ["turns it", "moves the light"], value: this.turns ? 0 : 1,
      set: (index) => { this.turns = index === 0; } };
  }
}

/** Return so many numbers of a text with commas, or null. */
export function numbers(text, count) {
  const found = text?.split(",").map(Number) ?? [];
  return found.length === count && found.every(Number.isFinite) ? found : null;
}
