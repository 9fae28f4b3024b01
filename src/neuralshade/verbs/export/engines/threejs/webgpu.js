// For WebGPURenderer and its WebGL 2 fallback: nodes of TSL.
import {
    ClampToEdgeWrapping, DataTexture, LightingModel, LinearMipmapLinearFilter, NodeMaterial,
    QuadMesh, RenderTarget, RepeatWrapping, RGBAIntegerFormat, SRGBColorSpace, UnsignedIntType,
} from 'three/webgpu';
import {
    dFdx, dFdy, Fn, glsl as glslCode, glslFn, normalView, outputStruct, positionView,
    positionViewDirection, texture, transpose, uniform, uv as meshUv, vec2, vec4,
    wgsl as wgslCode, wgslFn,
} from 'three/tsl';
import { across, asset, glsl, wgsl, words } from './@NAME@.data.js';

const WGSL = { float: 'f32', float2: 'vec2f', float3: 'vec3f', float4: 'vec4f', int: 'i32',
    mat3: 'mat3x3f', mat4: 'mat4x4f' };
const GLSL = { float2: 'vec2', float3: 'vec3', float4: 'vec4' };
const { entries } = asset;

// Never name internalFormat: WebGPURenderer would draw black.
const texels = new DataTexture(words, across, words.length / (4 * across), RGBAIntegerFormat,
    UnsignedIntType);
texels.needsUpdate = true;
const sampler = texture(texels).setName(`${asset.name}_words`); // by this name functions read it
const includes = { wgsl: [wgslCode(wgsl)], glsl: [glslCode(glsl)] };
const made = new Map();

function functionOf(name, gpu) {
    const key = `${name} ${gpu}`;
    if (!made.has(key)) {
        const { result, parameters } = asset.functions[name];
        const type = (one) => gpu ? WGSL[one] : GLSL[one] ?? one;
        const listed = parameters.map(([kind, argument]) =>
            gpu ? `${argument}: ${type(kind)}` : `${type(kind)} ${argument}`);
        // The texture is an argument that nothing reads: it makes three declare the binding.
        listed.push(gpu ? 'texels: texture_2d<u32>' : 'uint texels');
        const call = `return ${name}(${parameters.map((one) => one[1]).join(', ')});`;
        const head = `${name}_node(${listed.join(', ')})`;
        made.set(key, gpu ? wgslFn(`fn ${head} -> ${type(result)} { ${call} }`, includes.wgsl)
            : glslFn(`${type(result)} ${head} { ${call} }`, includes.glsl));
    }
    return made.get(key);
}

/** Any function of the asset as a node; `values`: its arguments by name, v down. */
export const node = (name, values) => Fn((builder) => {
    const gpu = builder.renderer.backend.isWebGPUBackend === true;
    return functionOf(name, gpu)({ ...values, texels: gpu ? sampler : sampler.x });
})();

const down = (uv) => vec2(uv.x, uv.y.oneMinus());
const footprint = (at) => ({ dx: dFdx(at), dy: dFdy(at) });
const levelAt = (at, level) => level ?? node(entries.level, footprint(at));

function need(entry, what) {
    if (!entries[entry]) throw new Error(`${asset.name}: this asset has no ${what}.`);
}

/**
 * A picture's color: a vec4 node. `uv`: v up, as three has it. `linear`: false keeps the encoding
 * that was fitted. `area`: the mean of four samples of a pixel, at four times the cost.
 */
export function colorNode(uv = meshUv(), { linear = true, area = false } = {}) {
    need('rgba', 'color: call pbr() or material()');
    const at = down(uv), name = entries[`${linear ? 'light' : 'rgba'}${area ? '_area' : ''}`];
    return node(name, { uv: at, ...(area ? footprint(at) : {}) });
}

/** A single map by its name, such as 'albedo', as it was fitted. */
export function mapNode(map, { uv = meshUv(), level = null } = {}) {
    const name = asset.by_map[map];
    if (!name) throw new Error(`${asset.name}: got map ${map}, need one of ${
        Object.keys(asset.by_map).join(', ')}.`);
    const at = down(uv);
    return node(name, { uv: at, level: levelAt(at, level) });
}

/** The tangent frame in view space as a mat3 node: along u, along v, normal. */
function frameNode(uv) {
    return node(entries.frame, { normal: normalView, px: dFdx(positionView), py: dFdy(positionView),
        ux: dFdx(uv), uy: dFdy(uv) });
}

/** All maps of shading, by one evaluation of the network: nodes for MeshStandardNodeMaterial. */
export function pbr({ uv = meshUv(), level = null, frameUv = uv } = {}) {
    need('maps', 'maps: call colorNode() or material()');
    const at = down(uv);
    const all = node(entries.maps, { uv: at, level: levelAt(at, level) }).toVar();
    const column = (index) => all.element(index);
    const nodes = {
        albedo: { colorNode: vec4(column(0).xyz, 1) },
        opacity: { opacityNode: column(0).w },
        normal: { normalNode: frameNode(frameUv).mul(column(1).xyz).normalize() },
        ao: { aoNode: column(2).x },
        roughness: { roughnessNode: column(2).y },
        metallic: { metalnessNode: column(2).z },
        emissive: { emissiveNode: column(3).xyz },
    };
    return Object.assign({}, ...asset.maps.map((map) => nodes[map] ?? {}));
}

/** f * cos(wi) of a material, linear: a vec3 node. wi, wo: x along u, y along v up, z up. */
export function brdf({ uv = meshUv(), level = null, wi, wo, ...varied }) {
    need('brdf', 'material: call colorNode() or pbr()');
    const at = down(uv);
    return node(entries.brdf, { uv: at, level: levelAt(at, level), wi, wo, ...varied });
}

class Lit extends LightingModel {
    constructor({ uv, level, varied }) {
        super();
        const at = down(uv), frame = transpose(frameNode(uv)).toVar();
        const of = levelAt(at, level).toVar(), wo = frame.mul(positionViewDirection).toVar();
        this.light = (direction) => node(entries.brdf, { uv: at, level: of,
            wi: frame.mul(direction).normalize(), wo: wo.normalize(), ...varied });
    }

    direct({ lightDirection, lightColor, reflectedLight }) {
        reflectedLight.directDiffuse.addAssign(this.light(lightDirection).mul(lightColor));
    }
}

/**
 * A NodeMaterial that sums the scene's directional, point and spot lights.
 * Inputs that were varied are numbers or nodes; afterwards `userData.inputs.NAME.value`.
 */
export function material({ uv = meshUv(), level = null, ...varied } = {}) {
    need('brdf', 'material: call colorNode() or pbr()');
    const found = new NodeMaterial();
    const inputs = {};
    for (const [, name] of asset.functions[entries.brdf].parameters.slice(4)) {
        inputs[name] = varied[name]?.isNode ? varied[name] : uniform(varied[name] ?? 0);
    }
    found.lights = true;
    found.setupLightingModel = () => new Lit({ uv, level, varied: inputs });
    found.userData.inputs = inputs;
    return found;
}

/** Values for a texture of each column, and the maps that it holds. */
const COLUMNS = [
    { maps: ['albedo', 'opacity'], srgb: true, value: (all) => all.element(0) },
    { maps: ['normal'], value: (all) => vec4(all.element(1).xyz.mul(.5).add(.5), 1) },
    { maps: ['ao', 'roughness', 'metallic'], value: (all) => all.element(2) },
    { maps: ['emissive'], srgb: true, value: (all) => all.element(3) },
];

/**
 * Decode the finest level into ordinary textures with mip levels, once. Returns properties for
 * MeshStandardMaterial or MeshBasicMaterial; `map.renderTarget.dispose()` frees all textures.
 * Call it after `await renderer.init()`.
 */
export function bake(renderer, { width = asset.size[0], height = asset.size[1] } = {}) {
    if (!entries.maps) need('rgba', 'maps and no color: nothing to bake');
    const columns = entries.maps ? COLUMNS.filter((one) =>
        one.maps.some((map) => asset.maps.includes(map))) : [{ srgb: true, value: (all) => all }];
    const wrap = asset.repeats ? RepeatWrapping : ClampToEdgeWrapping;
    const target = new RenderTarget(width, height, { count: columns.length, wrapS: wrap,
        wrapT: wrap, minFilter: LinearMipmapLinearFilter, generateMipmaps: true,
        anisotropy: renderer.getMaxAnisotropy(), depthBuffer: false });
    columns.forEach((one, index) => {
        if (one.srgb) target.textures[index].colorSpace = SRGBColorSpace;
        target.textures[index].name = `${asset.name}_${index}`;
    });
    const uv = down(meshUv());
    const all = (entries.maps ? node(entries.maps, { uv, level: node(entries.level,
        { dx: vec2(1 / width, 0), dy: vec2(0, 1 / height) }) }) : node(entries.light, { uv })).toVar();
    const material = new NodeMaterial();
    material.fragmentNode = outputStruct(...columns.map((one) => one.value(all)));
    const before = renderer.getRenderTarget();
    renderer.setRenderTarget(target);
    new QuadMesh(material).render(renderer);
    renderer.setRenderTarget(before);
    material.dispose();
    return properties(columns, target.textures);
}

@PROPERTIES@
