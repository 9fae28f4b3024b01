/** Drawing by WebGPU; webgl.js has the same for WebGL 2. */

const FORMATS = { light: "rgba16float", bytes: "rgba8unorm", srgb: "rgba8unorm-srgb" };

export class WebGpu {
  api = "WebGPU";
  flipped = false; // row 0 of the canvas is the upper one

  /** Return one, or null where there is no adapter. @param {HTMLCanvasElement} canvas */
  static async on(canvas) {
    const adapter = await navigator.gpu?.requestAdapter();
    if (!adapter) return null;
    const { maxTextureDimension2D, maxStorageBufferBindingSize, maxBufferSize } = adapter.limits;
    const device = await adapter.requestDevice({
      requiredLimits: { maxTextureDimension2D, maxStorageBufferBindingSize, maxBufferSize },
    });
    const context = canvas.getContext("webgpu");
    return context && new WebGpu(device, context);
  }

  constructor(device, context) {
    this.device = device;
    this.context = context;
    this.largest = device.limits.maxTextureDimension2D;
    this.canvas_format = navigator.gpu.getPreferredCanvasFormat();
    context.configure({ device, format: this.canvas_format, alphaMode: "opaque",
      usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC });
    this.lost = device.lost.then((info) => info.message || "the GPU is gone");
    this.samplers = ["clamp-to-edge", "repeat"].map((mode) => device.createSampler({
      addressModeU: mode, addressModeV: mode, magFilter: "linear", minFilter: "linear",
      mipmapFilter: "linear",
    }));
  }

  /** Compile a shader for targets of these formats: "light", "bytes" or "canvas". */
  async program({ wgsl, textures, words, pipeline: { buffers, depthStencil } = {} }, formats) {
    const { device } = this, visibility = GPUShaderStage.FRAGMENT;
    const module = device.createShaderModule({ code: wgsl });
    const entries = textures.map((_, i) => ({ binding: i + 1, visibility, texture: {} }));
    if (words) entries.push({ binding: 0, visibility, buffer: { type: "read-only-storage" } });
    if (textures.length) entries.push({ binding: textures.length + 1, visibility, sampler: {} });
    const both = visibility | GPUShaderStage.VERTEX;
    const layouts = [entries, [{ binding: 0, visibility: both, buffer: {} }]].map((each) =>
      device.createBindGroupLayout({ entries: each }));
    const pipeline = await device.createRenderPipelineAsync({
      layout: device.createPipelineLayout({ bindGroupLayouts: layouts }),
      depthStencil, vertex: { module, entryPoint: "page_vertex", buffers },
      fragment: { module, entryPoint: "page_fragment", targets: formats.map((one) =>
        ({ format: FORMATS[one] ?? this.canvas_format })) },
    });
    return { pipeline, layouts, textures };
  }

  words(/** @type {Uint32Array} */ values) {
    const { device } = this, usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST;
    const buffer = device.createBuffer({ size: Math.max(4, values.byteLength), usage });
    device.queue.writeBuffer(buffer, 0, values);
    return buffer;
  }

  /** Make an empty texture. */
  texture(width, height, levels, format) {
    const { TEXTURE_BINDING, RENDER_ATTACHMENT, COPY_DST, COPY_SRC } = GPUTextureUsage;
    const texture = this.device.createTexture({ size: [width, height], mipLevelCount: levels,
      format: FORMATS[format], usage: TEXTURE_BINDING | RENDER_ATTACHMENT | COPY_DST | COPY_SRC });
    return { texture, view: texture.createView(), width, height, wraps: false,
      free: () => texture.destroy() };
  }

  /** Fill a level with RGBA bytes or an ImageBitmap. */
  fill({ texture }, level, width, height, source) {
    const { queue } = this.device, to = { texture, mipLevel: level };
    if (source instanceof Uint8Array) {
      queue.writeTexture(to, source, { bytesPerRow: 4 * width }, [width, height]);
    } else queue.copyExternalImageToTexture({ source }, to, [width, height]);
  }

  /**
   * Draw a program over its targets, or over the canvas where there are none.
   *
   * @param {{targets?: {texture: any, level?: number}[], inputs: Float32Array, words?: any,
   *   textures?: any[], rows?: [number, number], mesh?: any, clears?: boolean}} what
   *   ``mesh``: triangles in place of the whole target; ``clears``: they are the first ones.
   */
  draw(program, { targets, inputs, words, textures = [], rows, mesh, clears }) {
    const { device } = this;
    const uniforms = device.createBuffer({ size: inputs.byteLength,
      usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST });
    device.queue.writeBuffer(uniforms, 0, inputs);
    const entries = textures.map(({ view }, i) => ({ binding: i + 1, resource: view }));
    if (words) entries.push({ binding: 0, resource: { buffer: words } });
    const sampler = this.samplers[+textures.some((one) => one.wraps)];
    if (textures.length) entries.push({ binding: textures.length + 1, resource: sampler });
    const commands = device.createCommandEncoder();
    const views = targets?.map(({ texture: { texture }, level = 0 }) =>
      texture.createView({ baseMipLevel: level, mipLevelCount: 1 }));
    const pass = commands.beginRenderPass({
      colorAttachments: (views ?? [this.context.getCurrentTexture().createView()]).map((view) =>
        ({ view, loadOp: rows ? "load" : "clear", storeOp: "store" })),
      depthStencilAttachment: mesh?.depths(targets[0].texture, clears),
    });
    pass.setPipeline(program.pipeline);
    pass.setBindGroup(0, device.createBindGroup({ layout: program.layouts[0], entries }));
    pass.setBindGroup(1, device.createBindGroup({ layout: program.layouts[1],
      entries: [{ binding: 0, resource: { buffer: uniforms } }] }));
    if (rows) {
      const { texture, level = 0 } = targets[0];
      pass.setScissorRect(0, rows[0], Math.max(1, texture.width >> level), rows[1] - rows[0]);
    }
    if (mesh) mesh.draw(pass);
    else pass.draw(3);
    pass.end();
    device.queue.submit([commands.finish()]);
    uniforms.destroy();
  }

  /** Give the GPU back. */
  free() {
    this.device.destroy();
  }

  /** Resolve when what was drawn so far is done. */
  done() {
    return this.device.queue.onSubmittedWorkDone();
  }
}
