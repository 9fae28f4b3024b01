/** Triangles for both APIs, with depths: what draw() of webgl.js and webgpu.js takes as a mesh. */

const CORNER = [[3, 0], [3, 12], [4, 24], [4, 40]], CORNER_BYTES = 56; // numbers, and where they are
const DEPTH = "depth24plus";

/** What WebGPU compiles a mesh's shader with. */
export const PIPELINE = {
  depthStencil: { format: DEPTH, depthWriteEnabled: true, depthCompare: "less" },
  buffers: [{ arrayStride: CORNER_BYTES, attributes: CORNER.map(([count, offset], shaderLocation) =>
    ({ format: `float32x${count}`, offset, shaderLocation })) }],
};

/**
 * Upload triangles; a corner has place, normal, two coordinates and color.
 *
 * @param {any} gpu @param {Float32Array} corners @param {Uint32Array} triangles
 */
export function meshOn(gpu, corners, triangles) {
  return gpu.gl ? onWebGl(gpu, corners, triangles) : onWebGpu(gpu, corners, triangles);
}

function onWebGpu(gpu, corners, triangles) {
  const { device } = gpu, [vertices, indices] = [["VERTEX", corners], ["INDEX", triangles]].map(([use, values]) => {
    const usage = GPUBufferUsage[use] | GPUBufferUsage.COPY_DST;
    const buffer = device.createBuffer({ size: values.byteLength, usage });
    device.queue.writeBuffer(buffer, 0, values);
    return buffer;
  });
  return {
    depths({ width, height }, clears) {
      if (gpu.depth?.width !== width || gpu.depth.height !== height) {
        gpu.depth?.destroy();
        const usage = GPUTextureUsage.RENDER_ATTACHMENT;
        gpu.depth = device.createTexture({ size: [width, height], format: DEPTH, usage });
      }
      return { view: gpu.depth.createView(), depthClearValue: 1, depthLoadOp: clears ? "clear" : "load",
        depthStoreOp: "store" };
    },
    draw(pass) {
      pass.setVertexBuffer(0, vertices);
      pass.setIndexBuffer(indices, "uint32");
      pass.drawIndexed(triangles.length);
    },
  };
}

function onWebGl(gpu, corners, triangles) {
  const { gl } = gpu, vertices = gl.createVertexArray();
  gl.bindVertexArray(vertices);
  for (const [target, values] of [[gl.ARRAY_BUFFER, corners], [gl.ELEMENT_ARRAY_BUFFER, triangles]]) {
    gl.bindBuffer(target, gl.createBuffer());
    gl.bufferData(target, values, gl.STATIC_DRAW);
  }
  CORNER.forEach(([count, offset], i) => {
    gl.enableVertexAttribArray(i);
    gl.vertexAttribPointer(i, count, gl.FLOAT, false, CORNER_BYTES, offset);
  });
  gl.bindVertexArray(null);
  return {
    draw(width, height, clears) {
      if (gpu.depth?.width !== width || gpu.depth.height !== height) {
        gl.deleteRenderbuffer(gpu.depth?.buffer ?? null);
        gpu.depth = { buffer: gl.createRenderbuffer(), width, height };
        gl.bindRenderbuffer(gl.RENDERBUFFER, gpu.depth.buffer);
        gl.renderbufferStorage(gl.RENDERBUFFER, gl.DEPTH_COMPONENT24, width, height);
      }
      gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.RENDERBUFFER, gpu.depth.buffer);
      if (clears) gl.clear(gl.DEPTH_BUFFER_BIT);
      gl.enable(gl.DEPTH_TEST);
      gl.bindVertexArray(vertices);
      gl.drawElements(gl.TRIANGLES, triangles.length, gl.UNSIGNED_INT, 0);
      gl.bindVertexArray(null);
      gl.disable(gl.DEPTH_TEST);
    },
  };
}
