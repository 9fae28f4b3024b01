/** Drawing by WebGL 2, like webgpu.js. Row 0 of textures is the upper one, of the canvas the lower. */

const ACROSS = 256; // texels in a row of the texture of words
const WHOLE = `#version 300 es
void main() {
    gl_Position = vec4(float(gl_VertexID & 1) * 4.0 - 1.0, float(gl_VertexID >> 1) * 4.0 - 1.0, 0, 1);
}`;

export class WebGl {
  api = "WebGL 2";
  flipped = true;

  /** Return one, or null where there is none. @param {HTMLCanvasElement} canvas */
  static on(canvas) {
    const gl = canvas.getContext("webgl2", { alpha: false, antialias: false,
      powerPreference: "high-performance" });
    return gl && new WebGl(gl, canvas);
  }

  constructor(gl, canvas) {
    this.gl = gl;
    this.largest = gl.getParameter(gl.MAX_TEXTURE_SIZE);
    const float = gl.getExtension("EXT_color_buffer_float")
      ?? gl.getExtension("EXT_color_buffer_half_float");
    this.formats = { bytes: gl.RGBA8, srgb: gl.SRGB8_ALPHA8, light: float ? gl.RGBA16F : gl.RGBA8 };
    this.parallel = gl.getExtension("KHR_parallel_shader_compile");
    this.lost = new Promise((lose) => canvas.addEventListener("webglcontextlost", (event) => {
      event.preventDefault(); // or it cannot come back
      lose("the WebGL context is lost");
    }));
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
    gl.disable(gl.DITHER);
  }

  async program({ glsl, textures, words, vertex = WHOLE }) {
    const { gl } = this, program = gl.createProgram();
    const shaders = [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, glsl]].map(([kind, text]) => {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
      return shader;
    });
    gl.linkProgram(program);
    while (this.parallel && !gl.isContextLost()
        && !gl.getProgramParameter(program, this.parallel.COMPLETION_STATUS_KHR)) {
      await new Promise((go) => setTimeout(go, 10));
    }
    if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) {
      throw new Error(shaders.map((one) => gl.getShaderInfoLog(one)).join("")
        + gl.getProgramInfoLog(program));
    }
    gl.useProgram(program);
    const found = textures.map((name) => gl.getUniformLocation(program, name));
    found.forEach((place, i) => gl.uniform1i(place, i + 1));
    if (words) gl.uniform1i(gl.getUniformLocation(program, words), 0);
    return { program, inputs: gl.getUniformLocation(program, "page_inputs") };
  }

  words(/** @type {Uint32Array} */ values) {
    const { gl } = this, rows = Math.max(1, Math.ceil(values.length / (4 * ACROSS)));
    const filled = new Uint32Array(rows * ACROSS * 4);
    filled.set(values);
    const texture = this.#made(gl.NEAREST, gl.NEAREST, gl.CLAMP_TO_EDGE);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA32UI, ACROSS, rows, 0, gl.RGBA_INTEGER, gl.UNSIGNED_INT,
      filled);
    return texture;
  }

  texture(width, height, levels, format) {
    const { gl } = this;
    const texture = this.#made(gl.LINEAR, levels > 1 ? gl.LINEAR_MIPMAP_LINEAR : gl.LINEAR,
      gl.CLAMP_TO_EDGE);
    gl.texStorage2D(gl.TEXTURE_2D, levels, this.formats[format], width, height);
    return { texture, width, height, wraps: false, free: () => gl.deleteTexture(texture) };
  }

  fill({ texture }, level, width, height, source) {
    const { gl } = this, { RGBA, UNSIGNED_BYTE, TEXTURE_2D } = gl;
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(TEXTURE_2D, texture);
    gl.pixelStorei(gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL, false);
    gl.pixelStorei(gl.UNPACK_COLORSPACE_CONVERSION_WEBGL, gl.NONE);
    if (source instanceof Uint8Array) {
      gl.texSubImage2D(TEXTURE_2D, level, 0, 0, width, height, RGBA, UNSIGNED_BYTE, source);
    } else gl.texSubImage2D(TEXTURE_2D, level, 0, 0, RGBA, UNSIGNED_BYTE, source);
  }

  draw({ program, inputs: place }, { targets, inputs, words, textures = [], rows, mesh, clears }) {
    const { gl } = this;
    gl.useProgram(program);
    gl.uniform4fv(place, inputs);
    if (words) this.#bind(0, words);
    textures.forEach(({ texture, wraps }, i) => {
      this.#bind(i + 1, texture);
      for (const side of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) {
        gl.texParameteri(gl.TEXTURE_2D, side, wraps ? gl.REPEAT : gl.CLAMP_TO_EDGE);
      }
    });
    const { texture: { width, height } = gl.canvas, level = 0 } = targets?.[0] ?? {};
    const across = Math.max(1, width >> level), down = Math.max(1, height >> level);
    let frame = null;
    if (targets) {
      frame = gl.createFramebuffer();
      gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
      targets.forEach((one, i) => gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0 + i,
        gl.TEXTURE_2D, one.texture.texture, one.level ?? 0));
      gl.drawBuffers(targets.map((_, i) => gl.COLOR_ATTACHMENT0 + i));
    }
    gl.viewport(0, 0, across, down);
    if (rows) {
      gl.enable(gl.SCISSOR_TEST);
      gl.scissor(0, rows[0], across, rows[1] - rows[0]);
    }
    if (mesh) mesh.draw(width, height, clears);
    else gl.drawArrays(gl.TRIANGLES, 0, 3);
    gl.disable(gl.SCISSOR_TEST);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.deleteFramebuffer(frame);
  }

  async done() {
    const { gl } = this, sync = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    gl.flush();
    while (sync && !gl.isContextLost() && gl.getSyncParameter(sync, gl.SYNC_STATUS) !== gl.SIGNALED) {
      await new Promise((go) => setTimeout(go, 2));
    }
    gl.deleteSync(sync);
  }

  /** Give the GPU back: browsers have few contexts, and collect them late. */
  free() {
    this.gl.getExtension("WEBGL_lose_context")?.loseContext();
  }

  #made(large, small, wrap) {
    const { gl } = this, texture = gl.createTexture();
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, texture);
    for (const [name, value] of [[gl.TEXTURE_MAG_FILTER, large], [gl.TEXTURE_MIN_FILTER, small],
      [gl.TEXTURE_WRAP_S, wrap], [gl.TEXTURE_WRAP_T, wrap]]) {
      gl.texParameteri(gl.TEXTURE_2D, name, value);
    }
    return texture;
  }

  #bind(unit, texture) {
    const { gl } = this;
    gl.activeTexture(gl.TEXTURE0 + unit);
    gl.bindTexture(gl.TEXTURE_2D, texture);
  }
}
