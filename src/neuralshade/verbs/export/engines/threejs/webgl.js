// For WebGLRenderer: GLSL for a ShaderMaterial, and a patch of MeshStandardMaterial.
import {
    ClampToEdgeWrapping, DataTexture, GLSL3, LinearMipmapLinearFilter, Mesh, OrthographicCamera,
    PlaneGeometry, RepeatWrapping, RGBAIntegerFormat, ShaderMaterial, SRGBColorSpace, UniformsLib,
    UniformsUtils, UnsignedIntType, WebGLRenderTarget,
} from 'three';
import { across, asset, glsl, words } from './@NAME@.data.js';

const { entries } = asset;
const texels = new DataTexture(words, across, words.length / (4 * across), RGBAIntegerFormat,
    UnsignedIntType);
texels.needsUpdate = true;

/** Spread these into the uniforms of your ShaderMaterial. */
export const uniforms = { [`${asset.name}_words`]: { value: texels } };

/** Put this before main() of your fragment shader; its functions take uv with v down. */
export const functions = `uniform highp usampler2D ${asset.name}_words;\n${glsl}\n`;

function need(entry, what) {
    if (!entries[entry]) throw new Error(`${asset.name}: this asset has no ${what}.`);
}

const VERTEX = `
out vec2 neural_uv;
out vec3 neural_position;
out vec3 neural_normal;
void main() {
    neural_uv = uv;
    vec4 view = modelViewMatrix * vec4(position, 1.0);
    neural_position = view.xyz;
    neural_normal = normalMatrix * normal;
    gl_Position = projectionMatrix * view;
}`;

const INPUTS = `
in vec2 neural_uv;
in vec3 neural_position;
in vec3 neural_normal;
`;

/** A ShaderMaterial without lights that shows a picture. `area`: the mean of four samples. */
export function colorMaterial({ linear = true, area = false, ...rest } = {}) {
    need('rgba', 'color: call patch() or material()');
    const name = entries[`${linear ? 'light' : 'rgba'}${area ? '_area' : ''}`];
    const more = area ? ', dFdx(at), dFdy(at)' : '';
    return new ShaderMaterial({
        uniforms, vertexShader: VERTEX, ...rest,
        fragmentShader: `${INPUTS}${functions}
void main() {
    vec2 at = vec2(neural_uv.x, 1.0 - neural_uv.y);
    gl_FragColor = ${name}(at${more});
    #ifdef OPAQUE
    gl_FragColor.a = 1.0;
    #endif
    ${linear ? '#include <tonemapping_fragment>\n    #include <colorspace_fragment>' : ''}
}`,
    });
}

const LIGHTS = `
vec3 neural_lit(vec2 at, float level, mat3 frame, vec3 wo VARIED) {
    vec3 sum = vec3(0.0);
    vec3 own = normalize(wo * frame);
#if NUM_DIR_LIGHTS > 0
    for (int i = 0; i < NUM_DIR_LIGHTS; i++) {
        sum += directionalLights[i].color
            * BRDF(at, level, normalize(directionalLights[i].direction * frame), own PASSED);
    }
#endif
#if NUM_POINT_LIGHTS > 0
    for (int i = 0; i < NUM_POINT_LIGHTS; i++) {
        vec3 to = pointLights[i].position - neural_position;
        sum += pointLights[i].color
            * getDistanceAttenuation(length(to), pointLights[i].distance, pointLights[i].decay)
            * BRDF(at, level, normalize(normalize(to) * frame), own PASSED);
    }
#endif
#if NUM_SPOT_LIGHTS > 0
    for (int i = 0; i < NUM_SPOT_LIGHTS; i++) {
        vec3 to = spotLights[i].position - neural_position;
        float cosine = dot(normalize(to), spotLights[i].direction);
        sum += spotLights[i].color
            * getSpotAttenuation(spotLights[i].coneCos, spotLights[i].penumbraCos, cosine)
            * getDistanceAttenuation(length(to), spotLights[i].distance, spotLights[i].decay)
            * BRDF(at, level, normalize(normalize(to) * frame), own PASSED);
    }
#endif
    return sum;
}
`;

/** A ShaderMaterial of a material, which sums the scene's directional, point and spot lights. */
export function material({ ...varied } = {}) {
    need('brdf', 'material: call colorMaterial() or patch()');
    const inputs = asset.functions[entries.brdf].parameters.slice(4);
    const type = { float2: 'vec2', float3: 'vec3', float4: 'vec4' };
    const declared = inputs.map(([kind, name]) => `uniform ${type[kind] ?? kind} input_${name};`);
    const passed = inputs.map(([, name]) => `, input_${name}`).join('');
    const own = Object.fromEntries(inputs.map(([, name]) =>
        [`input_${name}`, { value: varied[name] ?? 0 }]));
    const lit = LIGHTS.replace(' VARIED', '').replaceAll(' PASSED', passed)
        .replaceAll('BRDF', entries.brdf);
    return new ShaderMaterial({
        uniforms: { ...UniformsUtils.clone(UniformsLib.lights), ...own, ...uniforms },
        lights: true,
        vertexShader: VERTEX,
        fragmentShader: `#include <common>\n#include <lights_pars_begin>
${INPUTS}${declared.join('\n')}\n${functions}${lit}
void main() {
    vec2 at = vec2(neural_uv.x, 1.0 - neural_uv.y);
    vec3 normal = normalize(neural_normal) * (gl_FrontFacing ? 1.0 : -1.0);
    mat3 frame = ${entries.frame}(normal, dFdx(neural_position), dFdy(neural_position),
        dFdx(neural_uv), dFdy(neural_uv));
    float level = ${entries.level}(dFdx(at), dFdy(at));
    vec3 wo = isOrthographic ? vec3(0.0, 0.0, 1.0) : normalize(-neural_position);
    gl_FragColor = vec4(neural_lit(at, level, frame, wo), 1.0);
    #include <tonemapping_fragment>
    #include <colorspace_fragment>
}`,
    });
}

// Where maps enter the fragment shader of MeshStandardMaterial, behind three's chunks.
const PLACES = {
    albedo: ['map_fragment', 'diffuseColor.rgb *= neural_maps[0].xyz;'],
    opacity: ['alphamap_fragment', 'diffuseColor.a *= neural_maps[0].w;'],
    normal: ['normal_fragment_maps', `normal = normalize(${entries.frame}(nonPerturbedNormal,
        dFdx(-vViewPosition), dFdy(-vViewPosition), dFdx(vUv), dFdy(vUv)) * neural_maps[1].xyz);`],
    roughness: ['roughnessmap_fragment', 'roughnessFactor *= neural_maps[2].y;'],
    metallic: ['metalnessmap_fragment', 'metalnessFactor = neural_maps[2].z;'],
    emissive: ['emissivemap_fragment', 'totalEmissiveRadiance += neural_maps[3].xyz;'],
    ao: ['aomap_fragment', `reflectedLight.indirectDiffuse *= neural_maps[2].x;
    #if defined( USE_ENVMAP ) && defined( STANDARD )
    reflectedLight.indirectSpecular *= computeSpecularOcclusion(
        saturate(dot(geometryNormal, geometryViewDir)), neural_maps[2].x, material.roughness);
    #endif`],
};

function behind(shader, chunk, text) {
    const place = `#include <${chunk}>`;
    if (!shader.includes(place)) {
        throw new Error(`${asset.name}: this material has no ${chunk}, need a MeshStandardMaterial `
            + 'or a MeshPhysicalMaterial.');
    }
    return shader.replace(place, () => `${place}\n    ${text}`);
}

/**
 * Make a MeshStandardMaterial or MeshPhysicalMaterial take all maps from the asset, by one
 * evaluation of the network. Returns the material. Its own numbers and maps multiply.
 */
export function patch(material) {
    need('maps', 'maps: call colorMaterial() or material()');
    material.defines = { ...material.defines, USE_UV: '' };
    const before = material.onBeforeCompile;
    material.onBeforeCompile = (shader, renderer) => {
        before.call(material, shader, renderer);
        Object.assign(shader.uniforms, uniforms);
        let text = behind(shader.fragmentShader, 'common', functions);
        const level = `${entries.level}(dFdx(neural_at), dFdy(neural_at))`;
        text = behind(text, 'clipping_planes_fragment',
            `vec2 neural_at = vec2(vUv.x, 1.0 - vUv.y);
    mat4 neural_maps = ${entries.maps}(neural_at, ${level});`);
        for (const map of asset.maps) {
            if (PLACES[map]) text = behind(text, ...PLACES[map]);
        }
        shader.fragmentShader = text;
    };
    const key = material.customProgramCacheKey;
    material.customProgramCacheKey = () => `${key.call(material)} ${asset.name}`;
    return material;
}

/** Values for a texture of each column, and the properties of a material that read it. */
const COLUMNS = [
    { maps: ['albedo', 'opacity'], srgb: true, value: 'maps[0]' },
    { maps: ['normal'], value: 'vec4(maps[1].xyz * 0.5 + 0.5, 1.0)' },
    { maps: ['ao', 'roughness', 'metallic'], value: 'maps[2]' },
    { maps: ['emissive'], srgb: true, value: 'maps[3]' },
];

/**
 * Decode the finest level into ordinary textures with mip levels, once. Returns properties for
 * MeshStandardMaterial or MeshBasicMaterial; `map.renderTarget.dispose()` frees all textures.
 */
export function bake(renderer, { width = asset.size[0], height = asset.size[1] } = {}) {
    if (!entries.maps) need('rgba', 'maps and no color: nothing to bake');
    const columns = entries.maps ? COLUMNS.filter((one) =>
        one.maps.some((map) => asset.maps.includes(map))) : [{ srgb: true, value: 'color' }];
    const wrap = asset.repeats ? RepeatWrapping : ClampToEdgeWrapping;
    const target = new WebGLRenderTarget(width, height, { count: columns.length, wrapS: wrap,
        wrapT: wrap, minFilter: LinearMipmapLinearFilter, generateMipmaps: true,
        anisotropy: renderer.capabilities.getMaxAnisotropy(), depthBuffer: false });
    columns.forEach((one, index) => {
        if (one.srgb) target.textures[index].colorSpace = SRGBColorSpace;
    });
    const step = `vec2(${(1 / width).toFixed(9)}, 0.0), vec2(0.0, ${(1 / height).toFixed(9)})`;
    const material = new ShaderMaterial({
        glslVersion: GLSL3, uniforms, depthTest: false, vertexShader: VERTEX,
        fragmentShader: `${INPUTS}${functions}
${columns.map((_, i) => `layout(location = ${i}) out highp vec4 out${i};`).join('\n')}
void main() {
    vec2 at = vec2(neural_uv.x, 1.0 - neural_uv.y);
    ${entries.maps ? `mat4 maps = ${entries.maps}(at, ${entries.level}(${step}));`
        : `vec4 color = ${entries.light}(at);`}
    ${columns.map((one, i) => `out${i} = ${one.value};`).join('\n    ')}
}`,
    });
    const quad = new Mesh(new PlaneGeometry(2, 2), material), before = renderer.getRenderTarget();
    renderer.setRenderTarget(target);
    renderer.render(quad, new OrthographicCamera(-1, 1, 1, -1, -1, 1));
    renderer.setRenderTarget(before);
    quad.geometry.dispose();
    material.dispose();
    return properties(columns, target.textures);
}

@PROPERTIES@
