// For Babylon.js, WebGPU and WebGL 2. Every call takes Babylon's namespace first: the global
// BABYLON, or `import * as BABYLON from '@babylonjs/core'`.
import { across, asset, glsl, wgsl, words } from './@NAME@.data.js';

const { entries } = asset;
const TEXELS = `${asset.name}_words`;
const LIGHTS = 8; // at most, of a material
const made = new WeakMap(); // the texture of each engine

function texelsOf(BABYLON, scene) {
    const engine = scene.getEngine();
    if (!made.has(engine)) {
        const { Constants, RawTexture, Texture } = BABYLON;
        const texture = new RawTexture(words, across, words.length / (4 * across),
            Constants.TEXTUREFORMAT_RGBA_INTEGER, scene, false, false, Texture.NEAREST_SAMPLINGMODE,
            Constants.TEXTURETYPE_UNSIGNED_INTEGER);
        made.set(engine, texture);
        texture.onDisposeObservable.add(() => made.delete(engine));
    }
    return made.get(engine);
}

/** Functions with the texture that they read, in WGSL or GLSL. They take uv with v down. */
export const functions = {
    wgsl: `var ${TEXELS}: texture_2d<u32>;\n${wgsl}\n`,
    glsl: `uniform highp usampler2D ${TEXELS};\n${glsl}\n`,
};

function need(entry, what) {
    if (!entries[entry]) throw new Error(`${asset.name}: this asset has no ${what}.`);
}

const ENCODED = { wgsl: `
fn neural_encoded(x: vec3f) -> vec3f {
    let c = clamp(x, vec3f(0.0), vec3f(1.0));
    return select(1.055 * pow(c, vec3f(1.0 / 2.4)) - 0.055, 12.92 * c, c <= vec3f(0.0031308));
}
`, glsl: `
vec3 neural_encoded(vec3 x) {
    vec3 c = clamp(x, 0.0, 1.0);
    return mix(1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, 12.92 * c,
        vec3(lessThanEqual(c, vec3(0.0031308))));
}
` };

const VERTEX = { wgsl: `
attribute position: vec3f;
attribute normal: vec3f;
attribute uv: vec2f;
uniform world: mat4x4f;
uniform viewProjection: mat4x4f;
varying at: vec2f;
varying place: vec3f;
varying direction: vec3f;
@vertex
fn main(input: VertexInputs) -> FragmentInputs {
    let place = uniforms.world * vec4f(vertexInputs.position, 1.0);
    vertexOutputs.at = vertexInputs.uv;
    vertexOutputs.place = place.xyz;
    vertexOutputs.direction = (uniforms.world * vec4f(vertexInputs.normal, 0.0)).xyz;
    vertexOutputs.position = uniforms.viewProjection * place;
}
`, glsl: `
precision highp float;
attribute vec3 position;
attribute vec3 normal;
attribute vec2 uv;
uniform mat4 world;
uniform mat4 viewProjection;
varying vec2 at;
varying vec3 place;
varying vec3 direction;
void main() {
    vec4 found = world * vec4(position, 1.0);
    at = uv;
    place = found.xyz;
    direction = (world * vec4(normal, 0.0)).xyz;
    gl_Position = viewProjection * found;
}
` };

const INPUTS = {
    wgsl: 'varying at: vec2f;\nvarying place: vec3f;\nvarying direction: vec3f;\n',
    glsl: 'precision highp float;\nprecision highp int;\nvarying vec2 at;\nvarying vec3 place;\n'
        + 'varying vec3 direction;\n',
};

/** A ShaderMaterial; `body` gives by language the declarations and main's text. */
function shader(BABYLON, scene, uniforms, body) {
    const gpu = scene.getEngine().isWebGPU, language = gpu ? 'wgsl' : 'glsl';
    const { declared, main } = body(language);
    const head = gpu ? '@fragment\nfn main(input: FragmentInputs) -> FragmentOutputs'
        : 'void main()';
    const material = new BABYLON.ShaderMaterial(asset.name, scene, {
        vertexSource: VERTEX[language],
        fragmentSource: `${INPUTS[language]}${declared}${functions[language]}${ENCODED[language]}
${head} {
${main}
}
`,
    }, {
        attributes: ['position', 'normal', 'uv'], samplers: [TEXELS],
        uniforms: ['world', 'viewProjection', ...uniforms],
        shaderLanguage: gpu ? BABYLON.ShaderLanguage.WGSL : BABYLON.ShaderLanguage.GLSL,
    });
    material.setTexture(TEXELS, texelsOf(BABYLON, scene));
    return material;
}

/**
 * A ShaderMaterial without lights that shows a picture, sRGB-encoded as a canvas takes it.
 * `linear`: light, for pipelines that encode at their end. `area`: the mean of four samples.
 */
export function colorMaterial(BABYLON, scene, { linear = false, area = false } = {}) {
    need('rgba', 'color: call plugin() or material()');
    return shader(BABYLON, scene, [], (language) => {
        const end = area ? '_area' : '', gpu = language === 'wgsl';
        const more = area ? (gpu ? ', dpdx(uv), dpdy(uv)' : ', dFdx(uv), dFdy(uv)') : '';
        const call = (name) => `${entries[`${name}${end}`]}(uv${more})`;
        const raw = linear ? call('light') : asset.encoded ? call('rgba') : '';
        const color = raw || (gpu ? `vec4f(neural_encoded(${call('light')}.xyz), 1.0)`
            : `vec4(neural_encoded(${call('light')}.xyz), 1.0)`);
        return { declared: '', main: gpu
            ? `    let uv = vec2f(fragmentInputs.at.x, 1.0 - fragmentInputs.at.y);
    fragmentOutputs.color = ${color};`
            : `    vec2 uv = vec2(at.x, 1.0 - at.y);
    gl_FragColor = ${color};` };
    });
}

function litMain(gpu, inputs) {
    const given = inputs.map(([, name]) => `, ${gpu ? 'uniforms.' : ''}input_${name}`).join('');
    const call = `${entries.brdf}(uv, level, wi, wo${given})`;
    return gpu ? `
    let uv = vec2f(fragmentInputs.at.x, 1.0 - fragmentInputs.at.y);
    let level = ${entries.level}(dpdx(uv), dpdy(uv));
    let eye = normalize(uniforms.eye - fragmentInputs.place);
    var normal = normalize(fragmentInputs.direction);
    normal *= select(1.0, -1.0, dot(normal, eye) < 0.0);
    let frame = ${entries.frame}(normal, dpdx(fragmentInputs.place), dpdy(fragmentInputs.place),
        dpdx(fragmentInputs.at), dpdy(fragmentInputs.at));
    let wo = normalize(eye * frame);
    var sum = vec3f(0.0);
    for (var i = 0; i < i32(uniforms.light_count); i++) {
        let where_ = uniforms.light_places[i];
        let to = where_.xyz - fragmentInputs.place * where_.w;
        let wi = normalize(normalize(to) * frame);
        sum += uniforms.light_colors[i].xyz * ${call} / mix(1.0, dot(to, to), where_.w);
    }
    fragmentOutputs.color = vec4f(neural_encoded(sum), 1.0);` : `
    vec2 uv = vec2(at.x, 1.0 - at.y);
    float level = ${entries.level}(dFdx(uv), dFdy(uv));
    vec3 toEye = normalize(eye - place);
    vec3 facing = normalize(direction);
    facing *= dot(facing, toEye) < 0.0 ? -1.0 : 1.0;
    mat3 frame = ${entries.frame}(facing, dFdx(place), dFdy(place), dFdx(at), dFdy(at));
    vec3 wo = normalize(toEye * frame);
    vec3 sum = vec3(0.0);
    for (int i = 0; i < int(light_count); i++) {
        vec4 spot = light_places[i];
        vec3 to = spot.xyz - place * spot.w;
        vec3 wi = normalize(normalize(to) * frame);
        sum += light_colors[i].xyz * ${call} / mix(1.0, dot(to, to), spot.w);
    }
    gl_FragColor = vec4(neural_encoded(sum), 1.0);`;
}

/**
 * A ShaderMaterial of a material, sRGB-encoded, that sums the scene's directional and point
 * lights, at most eight. A light is its diffuse color times its intensity; point lights fall off
 * by the square of the distance.
 */
export function material(BABYLON, scene, varied = {}) {
    need('brdf', 'material: call colorMaterial() or plugin()');
    const inputs = asset.functions[entries.brdf].parameters.slice(4);
    const names = ['eye', 'light_count', 'light_places', 'light_colors',
        ...inputs.map(([, name]) => `input_${name}`)];
    const found = shader(BABYLON, scene, names, (language) => {
        const gpu = language === 'wgsl';
        const type = (kind) => gpu ? kind.replace('float', 'vec').replace(/^vec$/, 'f32')
            .replace(/(vec\d)/, '$1f') : kind.replace(/float(\d)/, 'vec$1');
        const own = inputs.map(([kind, name]) => gpu ? `uniform input_${name}: ${type(kind)};`
            : `uniform ${type(kind)} input_${name};`).join('\n');
        const declared = gpu ? `uniform eye: vec3f;\nuniform light_count: f32;
uniform light_places: array<vec4f, ${LIGHTS}>;\nuniform light_colors: array<vec4f, ${LIGHTS}>;\n`
            : `uniform vec3 eye;\nuniform float light_count;
uniform vec4 light_places[${LIGHTS}];\nuniform vec4 light_colors[${LIGHTS}];\n`;
        return { declared: `${declared}${own}\n`, main: litMain(gpu, inputs) };
    });
    for (const [, name] of inputs) found.setFloat(`input_${name}`, varied[name] ?? 0);
    const update = () => {
        const places = new Array(4 * LIGHTS).fill(0), colors = new Array(4 * LIGHTS).fill(0);
        const lights = scene.lights.filter((one) => one.isEnabled() && (one.getTypeID() === 0
            || one.getTypeID() === 1)).slice(0, LIGHTS); // 0: point lights, 1: directional ones
        lights.forEach((one, i) => {
            const point = one.getTypeID() === 0;
            const at = point ? one.getAbsolutePosition() : one.direction.scale(-1);
            const light = one.diffuse.toLinearSpace().scale(one.intensity);
            places.splice(4 * i, 4, at.x, at.y, at.z, point ? 1 : 0);
            colors.splice(4 * i, 4, light.r, light.g, light.b, 0);
        });
        found.setFloat('light_count', lights.length);
        found.setArray4('light_places', places);
        found.setArray4('light_colors', colors);
        found.setVector3('eye', scene.activeCamera.globalPosition);
    };
    const observer = scene.onBeforeRenderObservable.add(update);
    found.onDisposeObservable.add(() => scene.onBeforeRenderObservable.remove(observer));
    return found;
}

// Where maps enter Babylon's fragment shader of PBR, and what is written there.
function pluginCode(gpu) {
    const from = gpu ? 'fragmentInputs.' : '', [dx, dy] = gpu ? ['dpdx', 'dpdy'] : ['dFdx', 'dFdy'];
    const has = (...maps) => maps.some((map) => asset.maps.includes(map));
    const vec = (count) => gpu ? `vec${count}f` : `vec${count}`;
    const declared = gpu ? 'var<private> neural_maps: mat4x4f;\n' : 'mat4 neural_maps;\n';
    const uv = `${vec(2)}(${from}vMainUV1.x, 1.0 - ${from}vMainUV1.y)`;
    const lines = [];
    if (has('albedo')) lines.push('surfaceAlbedo *= neural_maps[0].xyz;');
    if (has('opacity')) lines.push('alpha *= neural_maps[0].w;');
    if (has('normal')) {
        lines.push(`normalW = normalize(${entries.frame}(normalW, ${dx}(${from}vPositionW), ${
            dy}(${from}vPositionW), ${dx}(${from}vMainUV1), ${dy}(${from}vMainUV1))
            * neural_maps[1].xyz);`);
    }
    const orm = [];
    if (has('metallic')) orm.push('metallicRoughness.r = neural_maps[2].z;');
    if (has('roughness')) orm.push('metallicRoughness.g = neural_maps[2].y;');
    const code = {
        CUSTOM_FRAGMENT_DEFINITIONS: `${functions[gpu ? 'wgsl' : 'glsl']}${declared}`,
        CUSTOM_FRAGMENT_MAIN_BEGIN: `neural_maps = ${entries.maps}(${uv}, ${
            entries.level}(${dx}(${from}vMainUV1), ${dy}(${from}vMainUV1)));`,
        CUSTOM_FRAGMENT_BEFORE_LIGHTS: lines.join('\n'),
        CUSTOM_FRAGMENT_UPDATE_METALLICROUGHNESS: orm.join('\n'),
    };
    if (has('emissive')) {
        code.CUSTOM_FRAGMENT_BEFORE_FINALCOLORCOMPOSITION = 'finalEmissive += neural_maps[3].xyz;';
    }
    if (has('ao')) {
        code['!aoOut\\s*=\\s*ambientOcclusionBlock\\([\\s\\S]*?\\);'] =
            '$0\naoOut.ambientOcclusionColor *= neural_maps[2].x;';
        // Direct light is occluded by lights' shadows, and by maps of the material's own alone.
        code['!finalDiffuse\\s*\\*=\\s*ambientOcclusionForDirectDiffuse;'] =
            '\n#ifdef AMBIENT\n$0\n#endif\n';
    }
    return code;
}

const plugins = new WeakMap(); // a class for each namespace

function pluginClass(BABYLON) {
    if (!plugins.has(BABYLON)) {
        plugins.set(BABYLON, class extends BABYLON.MaterialPluginBase {
            constructor(material) {
                super(material, `Neural_${asset.name}`, 200, {}, true, true);
            }

            getClassName() { return `Neural_${asset.name}`; }

            isCompatible() { return true; }

            prepareDefinesBeforeAttributes(defines) { defines._needUVs = true; }

            prepareDefines(defines) { defines.MAINUV1 = defines.UV1 = true; }

            getSamplers(samplers) { samplers.push(TEXELS); }

            bindForSubMesh(buffer, scene) {
                buffer.setTexture(TEXELS, texelsOf(BABYLON, scene));
            }

            getCustomCode(shaderType, language) {
                return shaderType === 'fragment'
                    ? pluginCode(language === BABYLON.ShaderLanguage.WGSL) : null;
            }
        });
    }
    return plugins.get(BABYLON);
}

/**
 * Make a PBRMaterial take its maps from the asset, by one evaluation of the network a pixel.
 * Returns the material. Metallic and roughness replace its own numbers, colors multiply.
 */
export function plugin(BABYLON, pbr) {
    need('maps', 'maps: call colorMaterial() or material()');
    if (!(pbr instanceof BABYLON.PBRMaterial)) {
        throw new Error(`${asset.name}: got no PBRMaterial, need one.`);
    }
    pbr.metallic ??= 0; // numbers choose the workflow that has maps of both
    pbr.roughness ??= 1;
    texelsOf(BABYLON, pbr.getScene()); // made while a mesh is bound, it would unbind a texture
    new (pluginClass(BABYLON))(pbr);
    return pbr;
}
