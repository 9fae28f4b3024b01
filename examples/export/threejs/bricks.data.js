// bricks: Maps of a surface, all of them together.
// asset: bricks.nsh, 15,176 bytes, kind textures
// PSNR: 27.80 dB
// size: 256 x 256 texels, 9 levels
// beyond 0 to 1: repeated
// maps: albedo a color, sRGB-encoded, 0 to 1; normal a unit normal: x to the right, y up, z out of the surface; roughness as its file has it, 0 to 1; ao as its file has it, 0 to 1; displacement as its file has it, 0 to 1
// samples: bricks_texel and bricks_stochastic run the network once, bricks_bilinear 4 times, 8 between levels
// cost: 2,528 multiply-adds in networks
// license: yours: this text and its numbers are output of your fit
// Written by neuralshade export.

export const asset = {"name":"bricks","entries":{"channel":"bricks_light_of","linear":"bricks_linear","maps":"bricks_maps","frame":"bricks_frame","level":"bricks_level"},"maps":["albedo","normal","displacement","ao","roughness"],"by_map":{"albedo":"bricks_albedo_at","normal":"bricks_normal_at","roughness":"bricks_roughness_at","ao":"bricks_ao_at","displacement":"bricks_displacement_at"},"encoded":false,"size":[256,256],"repeats":true,"functions":{"bricks_level":{"result":"float","parameters":[["float2","dx"],["float2","dy"]]},"bricks_albedo_at":{"result":"float3","parameters":[["float2","uv"],["float","level"]]},"bricks_normal_at":{"result":"float3","parameters":[["float2","uv"],["float","level"]]},"bricks_roughness_at":{"result":"float","parameters":[["float2","uv"],["float","level"]]},"bricks_ao_at":{"result":"float","parameters":[["float2","uv"],["float","level"]]},"bricks_displacement_at":{"result":"float","parameters":[["float2","uv"],["float","level"]]},"bricks_light_of":{"result":"float","parameters":[["float","x"]]},"bricks_linear":{"result":"float3","parameters":[["float3","c"]]},"bricks_maps":{"result":"mat4","parameters":[["float2","uv"],["float","level"]]},"bricks_frame":{"result":"mat3","parameters":[["float3","normal"],["float3","px"],["float3","py"],["float2","ux"],["float2","uy"]]}}};

// Numbers: arrays as verbs/export/web/packing.py packs them, in base64.
const bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

/** Raw DEFLATE (RFC 1951), synchronous: DecompressionStream would make the module wait. */
function inflate(packed, length) {
    const out = new Uint8Array(length);
    let at = 0, bit = 0, end = 0;
    const bits = (count) => {
        let value = 0;
        for (let i = 0; i < count; i++, bit++) value |= (packed[bit >> 3] >> (bit & 7) & 1) << i;
        return value;
    };
    const codes = (lengths) => {
        const counts = new Uint16Array(16), first = new Uint16Array(16), sorted = [];
        for (const one of lengths) counts[one]++;
        counts[0] = 0;
        for (let i = 1; i < 16; i++) first[i] = first[i - 1] + counts[i - 1];
        const next = first.slice();
        lengths.forEach((one, symbol) => { if (one) sorted[next[one]++] = symbol; });
        return { counts, sorted };
    };
    const symbol = ({ counts, sorted }) => {
        let code = 0, first = 0, index = 0;
        for (let i = 1; i < 16; i++) {
            code |= packed[bit >> 3] >> (bit++ & 7) & 1;
            if (code - counts[i] < first) return sorted[index + code - first];
            index += counts[i];
            first = (first + counts[i]) << 1;
            code <<= 1;
        }
        throw new Error('numbers: broken code');
    };
    const steps = (from, extra) => extra.map((count) => {
        const here = from;
        from += 1 << count;
        return [here, count];
    });
    const lengths = steps(3, [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4,
        4, 5, 5, 5, 5]).concat([[258, 0]]);
    const distances = steps(1, [0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9,
        10, 10, 11, 11, 12, 12, 13, 13]);
    const order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
    const dynamic = () => {
        const literal = bits(5) + 257, distance = bits(5) + 1, own = new Array(19).fill(0);
        for (let i = 0, count = bits(4) + 4; i < count; i++) own[order[i]] = bits(3);
        const table = codes(own), all = [];
        while (all.length < literal + distance) {
            const one = symbol(table);
            if (one < 16) all.push(one);
            else {
                const value = one === 16 ? all[all.length - 1] : 0;
                const count = one === 16 ? bits(2) + 3 : one === 17 ? bits(3) + 3 : bits(7) + 11;
                for (let i = 0; i < count; i++) all.push(value);
            }
        }
        return [codes(all.slice(0, literal)), codes(all.slice(literal))];
    };
    const fixed = () => [codes(Array.from({ length: 288 }, (_, i) =>
        i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8)), codes(new Array(30).fill(5))];
    while (!end) {
        end = bits(1);
        const kind = bits(2);
        if (kind === 0) {
            bit = bit + 7 & ~7;
            const count = bits(16);
            bit += 16;
            out.set(packed.subarray(bit >> 3, (bit >> 3) + count), at);
            at += count;
            bit += 8 * count;
            continue;
        }
        const [literals, far] = kind === 1 ? fixed() : dynamic();
        for (let one = symbol(literals); one !== 256; one = symbol(literals)) {
            if (one < 256) { out[at++] = one; continue; }
            const [length, more] = lengths[one - 257], size = length + bits(more);
            const [distance, extra] = distances[symbol(far)], from = at - distance - bits(extra);
            for (let i = 0; i < size; i++) out[at++] = out[from + i];
        }
    }
    return out;
}

function unpacked(base64) {
    const bytes = bytesOf(base64);
    let at = 0;
    const number = () => {
        let value = 0, scale = 1, digit;
        do {
            digit = bytes[at++];
            value += (digit & 127) * scale;
            scale *= 128;
        } while (digit > 127);
        return value;
    };
    const heads = Array.from({ length: number() }, () => {
        const kind = [Uint8Array, Uint32Array, Float32Array][number()], layout = number();
        const size = number() * kind.BYTES_PER_ELEMENT;
        const step = layout & 1 ? kind.BYTES_PER_ELEMENT : 1;
        return { kind, layout, size, step, lengths: Array.from({ length: step }, number) };
    });
    return heads.map(({ kind, layout, size, step, lengths }) => {
        const content = new Uint8Array(size);
        lengths.forEach((length, place) => {
            const stored = bytes.subarray(at, at += length), whole = size / step;
            const stream = length < whole ? inflate(stored, whole) : stored;
            for (let i = 0; i < whole; i++) content[i * step + place] = stream[i];
        });
        const array = new kind(content.buffer);
        if (layout & 2) for (let i = 1; i < array.length; i++) array[i] += array[i - 1];
        return array;
    });
}

/** Texels: words from a row's begin on, then rows of networks that are read from there. */
function texelsOf(words, rows, across) {
    const first = 4 * Math.ceil(words.length / 4), row = 4 * across;
    const found = new Uint32Array(row * Math.max(1, Math.ceil((first + rows.length) / row)));
    found.set(words);
    found.set(rows, first);
    return found;
}

// Networks: a line for each four outputs, the numbers as literals, which GPUs read fastest.
const SPELLED = { wgsl: { four: 'vec4f', kept: 'let' }, glsl: { four: 'vec4', kept: 'vec4' } };

const literal = (value) => {
    const text = String(Number(value.toPrecision(9))); // nine digits are a float32
    return /[.e]/.test(text) ? text : `${text}.0`;
};

function networkLines({ result, inputs, layers }, numbers, language) {
    const { four, kept } = SPELLED[language];
    let names = inputs[language], lines = [], at = 0;
    const vector = (first, step, count) => `${four}(${[0, 1, 2, 3].map((lane) =>
        literal(lane < count ? numbers[first + lane * step] : 0)).join(', ')})`;
    layers.forEach(({ outputs, activation }, index) => {
        const prefix = index === layers.length - 1 ? result : `${result}_h${index + 1}_`;
        const count = names.length, bias = at, weights = at + outputs;
        for (let row = 0; row < outputs; row += 4) {
            const rows = Math.min(4, outputs - row);
            const terms = names.map((name, column) =>
                `${name} * ${vector(weights + row * count + column, count, rows)}`);
            const sum = [vector(bias + row, 1, rows), ...terms].join(' + ');
            lines.push(`${kept} ${prefix}${row / 4} = ${
                activation[language].split('SUM').join(sum)};`);
        }
        names = Array.from({ length: outputs }, (_, i) => `${prefix}${i >> 2}.${'xyzw'[i & 3]}`);
        at += outputs * (count + 1);
    });
    return { lines, used: at };
}

function withNetworks(text, networks, numbers, language) {
    let at = 0;
    const printed = networks.map((network) => {
        const { lines, used } = networkLines(network, numbers.subarray(at), language);
        at += used;
        return lines.join('\n    ');
    });
    return text.replace(/\/\/ network (\d+)$/gm, (_, index) => printed[index]);
}

const NETWORKS = [{"result":"decoded","inputs":{"wgsl":["latents0.x","latents0.y","latents0.z","latents1.x","latents1.y","latents1.z","latents1.w","latents2.x","latents2.y","latents2.z","latents2.w","latents3.x","latents3.y","latents3.z","latents3.w","latents4.x","latents4.y","latents4.z","latents4.w","latents5.x","latents5.y","latents5.z","latents5.w","latents6.x","latents6.y","latents6.z","waves0.x","waves0.y","waves0.z","waves0.w","waves1.x","waves1.y","waves1.z","waves1.w","waves2.x","waves2.y","waves2.z","waves2.w","f32(depth)"],"glsl":["latents0.x","latents0.y","latents0.z","latents1.x","latents1.y","latents1.z","latents1.w","latents2.x","latents2.y","latents2.z","latents2.w","latents3.x","latents3.y","latents3.z","latents3.w","latents4.x","latents4.y","latents4.z","latents4.w","latents5.x","latents5.y","latents5.z","latents5.w","latents6.x","latents6.y","latents6.z","waves0.x","waves0.y","waves0.z","waves0.w","waves1.x","waves1.y","waves1.z","waves1.w","waves2.x","waves2.y","waves2.z","waves2.w","float(depth)"]},"layers":[{"outputs":32,"activation":{"wgsl":"bricks_hard_gelu(SUM)","glsl":"bricks_hard_gelu(SUM)"}},{"outputs":32,"activation":{"wgsl":"bricks_hard_gelu(SUM)","glsl":"bricks_hard_gelu(SUM)"}},{"outputs":8,"activation":{"wgsl":"SUM","glsl":"SUM"}}]}];
const PACKED = 'AgEA5xCcQwIAqBS3QTjre2nP+Z1f2zQYJxTbJyhK0S7u431eomySon6euKSLYB2SUxTao2zCMV3uYryJYOxyXae8m7FwwXJQNL4V7rV5G+UQ7Zp1dpQkybYkiNcoHqJsNKQhSPam3VFkn/Y4UcxpkopIpOk21qBQdNUOgDmJjccivfo/tZR4QrsJRUWuH8cWcmh1izrZbFYUXVIe4Nhqdoa6DZ0tJ5+V4O5pWcda3HSJWfF1cuzgnBUlu45IflVhdUxV+xV0136SqFb44Oxq15jjOlHW5IZYYfy0FSTMGDPAqjZsdcxxDZWVrO8oMr489NwYqcolEbkG5IsuU+1zC4aog3utyku4Nb0FuYVU12V+VKJxtYhUh/HbSWqgpXYwEOixBtFtG0YsHYp4kYxYCGIQr8E5ad81Eaw0KaYg2eb2SJcw9qggyZIeq0EkmKE0McQkxUepCrOmF5o5QjnT9m1Wky6DJ2SboEyO9qjn0S5Z9vjXtEWdfUni9w7dpnnHN6nTeDSUsATyOXjCoGitl51qEi6YJmiZ9I6bUSSPEj3CrDjCVqi7ETjpaUyGYr1OoSjTIXXz5F3PNijienY8bmI4IOQtnZF9mNO4nsY099gpXPKhzfe2nOc+1IxxHuNdqoUJifd4N+iwCJ9tRoZxge97YdgoJGu/iaBZLdR2Zsgpf5chnmUch9g4kux1JU7bSaaG72Jks/gEyYCKDZw/ofhhoQ1BX6F8JgaZ66dpMSi4J5gpN9noaUoiNchKSte1WOChjXqmcch1YCZBn6UrwuwhcZzNLCSAupfzjpRRsd2aIXKm+JMEWsO28pweQdE5YWm3OW9kYVz0v0ehjuexBNY94YRkFb/UWFXgG8FXIty56lk45jt4hbFicdxhkKZ0UicoHqd64P02Ar7sGwqRde4z5qlwrVZQiZJhWZI0tehyZHlYjv9dVtd4dtw5lttjFsOtKNs41eh1bCuZJyiFM2xKMl3d8WRS9pna92hCuU2FM73D4Z6HcSwKZgyCFSQS6aTH12lFMZ3G93RDcpkd5VjeUXyPtzubklyOqRHqozjlk8inVxWGOwnmdogHNLlHIg6ZOijyc5yX8zsGJ9kBFbVRRrIlnaB0Mp0p2mJoR6JkR6s4lsoQ7aJon+ctWeN2YOgoruZ4hnW9F7c5c+0pu9ULuuMJwLcgNZioQSV9RkVVvcogYfw1yltd5oq9j5V6Y1iUXhHrBecrga97sdhWaNdpRX+Iq5y9oaxkPgYOApXhRaptY43mEqxiiKj/Z2w5M6i2yOltOZpYOUZhY0yNZu5Y/6NYPDJntN1UdznOWPc2VeccItw7ZWRzttAe+eF04Yxxl/h2lLNGH5typmig3PmmPUVdzZt5tIkgVo90hPoVFlq5YZxZLodtZQ403pox9Gh0G1Nl2WfUG7Ats5wgmtZ1T8EkatUoubRwLUD2HVJwu4N0ovwmRGKfrtpidJs1moRgmoZ5fEOlDtItYX2K0b2eZGXXYQVf8V2XdCxTcNhHIQxGIr3Zp6gHYmVD+QjCg27HsVxKv03a9nyiMw7J2VXfZSTeo13Ip2Xf6llWY13ftOXL4DWWtRjm4r1foj2Htm6e53UsO12NWljDIlKgl6M4kY25VVZ4n5cqCaU55m0Q1fcWn988Ces5KYA0VnY5JaC5Vsc5tNT4DoJoGnpFndc/Yc0n7uE+rhaYbpA1ldyynrY+We5UmWM8ds10ubNpaL+kaMg9oO1MPadwuXRdZSZqMtgLqrqWSWvdUGk8osiyK3JYriXpxzIzoo1RgiFSrmMVHgu9UShg62Y+F8ZT3NhssnxkYGobv8kWXlRuo9x3uUdWSkHzA6W/caxmOSJ9186iaKd1YoRYhJjOGKXtm+54dkgpEt59bIWdblYwY8x2b0q7KcsQL4cAo8V6TEO2lChon4Y8dkngrke0y6EkWdc5tswcj7IBjOEZR6sguu06X6nkSWZcfZMq090mEp+onZJWFJk2eeQY/qdoTRmL5UimIkndoySSaizqoQhTMkjcM3mSVzSJZVSSlmjhdYiaNl3S6Z3XYFXr9CSK416OEznHGZ7G5DqTERzK/kCbfxDbMiXWcLnnsZpD9HXjWBhLISiUoj2BGp6LmEm3Ydh4WnYo3+MsBeoxgrwyCfEbyKZVaoAhlp4ghqJ+2PtlGtJ5Yqix1CN4VHGwjtB55P054bdcuIQ/ZiJy0u0qVobtPf8uyPY6Uvx7X4Ithqc4altZptR61Qkll6Y6VqcksYxlRpG23kFCiHZ6oM1azakDPsth7a6lU61nnwT9Yirne4iwNY0+3YFVFBUv/V5lsqymqpdSwWqCN+kEoaw9SSGrzFlwed0nU6lrexPaihqYZJmgkqy6TsQlY5n8mUi0ouQn4Xo5tJCcVBlyouywbFPWzcaS4PiyhNlv0bvmLIYMHookq/x6FskiVFX1ge9l4Jx4fNJjaOsiS5Mm0fhkOp9hTZY45Hokwew7+UEUnmLpD1Iwg4TwFFpymeF+KKYgexXWIiQOOyXBNxTD+ljHNk9WcFiJo6nzkFxdEW2LemlHYG0OuEyNo27LZimasUgPYF9a9nRvYyhWIVCF2lhPJNyeuVjreVjf6A/Ho23+YVyrYnTaaGii/1ROEVjt9F3PYdYB7B8g+cA4zvsqAdJxCvJ19sQwHdIk2eYhyWEwwY45XeO9XlNlXfE1Utwtit4kGVE7S/c1c410kiuEfZt0oMw2YJhI7tJoicR1/eY5ot1yhZFuLVA014w+Iu12i/YXpxTHrxkpYayJ5ahl4K+lCIspMKglpG9VQuWfbEGlo6im7icZu6cblGtfYegvpKS0oTA5X4G58q2ADoFh9lSwNFpsoYxl7iaVrjKxjxdsoug6yEcPTSL/9rcZYdwv07aCRUdtpr0cssn4NpQ2mUdZVcZ0cNxpKXE0KiFGJbk8IOxqJEH5rYYVKlIigOy/orDwDYnnRFohu7WxXcaz6pcAWqkxIcRgadoinEZQevU2Yvg0auq2GJYhVU4CRLliaKZWNLznuniTUj2Ku5ieZQWaIjmFpWjHsj1a+mijI2Rat72K8oTXU0Sqqj2D9LyDsjiGdmrMduqjZznqtqQH+95fsBzHqWlP9lmr4ixCsKXRaFjDt6gPUuzteIkak3lbamksI+l1hNq+VhX8A9dot9iwV6WlbkPwimUxtNlc2Xdw1bv0CIC4oaQozhN9G0Y4lqZ89EkIDCPkylOti0Ykd/mpwfkwSesYaKUlp94kRtYLzWVTJvY1YcQZXxr8mYLj35Q04VhxUBXeZxN8o+r9dczlSdeK1KYDEndmcNjoQpKqHpdFz6wgsi2EOsPvyPCWGK054KikQVTfmmJv1UUp4fiSUYmJrnOpRKtY4X00AP5krkJZD2VgpWCkp6WbdwaLRul5od41B465XwGCqdO1deRlpcM7SLOdX8q7oKi0Z751WHLW6g0UJ+4T0EtTJltVrtEyYaT1PKF9CNoTbZoo+YSkfIvxRYIKXMIxpdhw1LR2RoahRtIcIP502ZE1D4aonOEk2Ezd9SiXMBWHpx7S9J3K57jr2RxKM4RPOEXOcx6CdUmepb5tMa7ekXTZkY3K61jKuTnfo7hNYa5vMLS65mtHauWLU36NoSjJdkyasW2PIh3e6g3eNxxHdCTqYnxFaG3X9/Nqhpc1UsxkHss5DdEsi6Jxdtn8SAMU2ucaxbMwpukh3bdo2sYpX+Nwo9Rknp8cX7aJeJckUqg4LuW4SdOiF+Q1tshlTcU3xtkpvHJ0dNQllqIpnVNpqt89ICRoWiOgyuVi35C8o8yNGLl+79GuyrZ309T7C242qlIkqYu0oMR10Ey6lZYCNIVi9pg0+QTLLJ3/k7N+YuhGq6DN6ONcpK9+oJ0+Hqu1WNIZDK01d7y2WWB6lrhW7Ql49Q28590aO9YtGs82usggWRdwyC4dH59+EYw+WrVpnoGuWL4xoKzpTJqdnkFWG1J4YJQBWFaU/1L72YI4YOS0OYpxWccVHJJ1hNx2OYZgS4KWbYcg+tgoX+IgHYd1BNolMK4MTVNl3V3DZExepk7D9GzDa61D9TSK9xRG9ljetVzlYiWXM12aKdjrO2haoJxXIU6dtY7XYrK8bs/nPNJkmu43jzIUbM/zPJPRnN8wjONwvLa13vPhrIMA3PP8v+c53+OortOkn/97bJf1bvN9nue6bW8RbRYQbPdJnSsgbONAbJsRLFdBXQ4CbOd5bd+3LNs2Xs6zbdemPNcUCOf2buc+z1vmPBMDCBskbDclzlumXeOyrF4VrZ8DXNc1XeO4rt93rs9zXOe5bqM8jdv2bNcxDCcUbTIFiJvzbEexHA4DjKeRbNeSrDGAaM8zj9e1bNd1rmGoaOt1XZcQXBcELJq2LQWxUUys/oM4vNviPEnckAjE9SqseC977gg+PB64AMz9xL0ZXAhbZcwcKjrdjKon3Yi6fw0MaypMiGw6vDA9362YZWiMDT7T/LXtg2z83IiYjAyADMz34Rzof7eMOGCM3pH+FA2snfe42r6j3HW54wzc3tUYHJ2BmGDr0gywfZUdTECBnkdYP/dmvXlT1082T2Z1edPnfnoiK09ny2GAy46LcixPo18+2zuSNYK7lTRj189rp0tOJbN/vL6TMQKS78fwav/xj3fDlep6o/64ZbP+TTtCJ604snPfIyL1QOmNH2IkD457LDGTH3LhAw84B854PgcfPX/BD4w+CzOHuYWUUETv538+0itPIGuvOSZzAo988tLhNBfsbT8T/APhzkL0JU5teTdz/5U385uOOlLLvhViDxt2ZxruIWIxB6KPmqQZ/1e/O7M/OjkQHzg5AuD6PHcjD3jiRSg0YfTFzL6BYQjri081k3tQJXfTj7vGKYU1U0fcMJfHmT3+4sf/+x8wgAzXo8O87gLHJYfwwyh6UsI8/nLDBIfzwjWwUMykmjEMhi+HxqLK5o43SnvK8woGxcK7kpZgP0PBNbEkjGAbIMisrXHIIkrJ3ZFVQ8hS35bEsHJXw0hDEdMJORKDDBq0xAS/98pxGVLGQs/3SXcsF83jPuOMM3b3y3JhFc401G993Q1KNIyYfi2tMEPgrMDjJB3MPnrcEFqq3YXO4og82pMsiHzDnbjvwEU4qoRMkPhEPEjZ0ljc+uOIBC+TjPiOkow5fsLsiDzCjKFZgg3QtBVsjE9SyGTOL/zMPz7+bA46rFiPYuysjdKIeZDKjBC4VQyMz9LIDemgnI3p8Ii7vu3SOjE2gCv7MFO0AtnfQ/AhmgtreCc+2Scn++w9f7MrP/IXD3ZCn9s6V7gB2vtGECBOT8c6sWY8NeOnrHorrzo981q+N2MfTi/XNwL1GcIUgP4nr3eTJxEwgzraJiMeTRpjNxstcr8tO+OwAZ3PClAU7+e9NmIfDzwmKeo5MooNtKMyN2pHQ98QRvUF/P4V8BaPa401a9EaO5JntXzzD19g4s/dLxM3vz1zsg76TkGREQ7qTT/iHx154zP0NREcEDri9+RwV11edvNVBO4GBMARL5tkOwJvCCYnu7h9ghvbaXcLa3BCm5grE3AX6f9JYABPXi050mfrsoPDfXiRkNHPfBU2xj9D0MMo9krMdBdQxK3LsM8k+7PbKAsSwFh7Q8Eo0ZLDIZ4EyTA1oMSEG+FI3KJ/ynLPt4XxWqfJkirnj7KubZ/zCmuJEv0D3Mias0ye/lrO8stLxoCeEMR0r4HOBClHxIR7ocFxIGDNRFOxyNxjgcdko4TLBJ8owRhZ4ghcjJ94HEi5eahYPmfMVcyRjPzOlsyI/qMMNBnczdCwLOzsTFp8rFyivNysp2xBbsMIrGwE3PTng20YDMUYAKWAPFz3wU1NfIL8KclRXGS+1l1MmMNtmP3zbDKJ1dyEdEis/O7ijNW7o5yYHhOcIZ2mrAzb8RjMLAD8cGbp2QOhFZ5LvbayBgd8k2fGMpLFCzw372g3Mq9sP3O0AtzbRrFQSzq5ebc71X6zU/exBwJIJIM32i+KA7000jHE/SuGAUfe5502k9P+Pr8XDrniUxA006Y+P/ZvKjvT8ELa6suyaI8bJjXzn6wwJ6+cK/eYDj7H2vk3a5cvL5NxAumal+knjhofdEeX5C8T7yg79lD/v7MaSXBiN6w7cmkC9I0GoBuNT29wRnPnervXjR7D8pt50gbsMUHeXj5T8An+W8UUQK+SfzqRFj0wo3s1fBNi3D4Sc39gJ5tdP3Y4Cc/+CfJ0DgtDODPjnShb7+5u8st5P2fbjj7x99y2IyyByt+Tsg32V3fLEVGiyjJOcdtxmxXCEEQExgHrccUgIFLYUJtUzCjrAMJoy8H7LJEXwjjLcsW5r1Wf8Vm3yHf10dxxB7BEjE90mPEzj8TCB3nERQoj0TDLdMVEq5KCJCFBxZyDdtFM1+PDPMuTwyyLQIU9uxPDdJHjwnMtbEzjMAGsz3yshFzY3pFO6avSLKH50QzVY1RsRByyTECf0c3ZyUOM4O6rnUh/Ge1cLzz8MMfo2NF4GVxEjdIMPF6CrJmcVcwgzNbJjcrRDYj741g0VtSMgPRObYweYezl7iuMiF1VCI3/EgiI7y69HC4+/jhCyO4osBiNXJjmXNn+x3hdu8Ek264v619JNDf+qD6yMYXvmoUBCH5O73my/yU///U6PvbfG3a7q81jAw+eJ7IzyucO3ZBFf9YOPufjXz/hGwtwA/2pOWrfQzvzqmg1s7JK/x6ZsJL/u48oo/o8cvtfT3mCzmA85+fvP2H/6z2TdIDZ/4ezHs9bLT1HOqS4Yt9EMYVHriEjqh45X1WuN7H0C+WGFVQATgaZMAdO+TIHU/gjo41tJmOJXD0j8949pjEp/wtJwGKt/7I+s/Ktf3IrAjdDKm0wItMzOPNGOiuSc4n8AsmBgL5W3DcDnpg5k9GsPyN6XTYD0TAwcuIst9M4BcKqh7Bir1NuP1KZiXGDZa0/ry7LyZBTxsIlkqfBUTGQyHV2YAiNu4KLsMNEinBeYsFQS/PAEZfjxbLeV8lyNYbMEEEQRG8PP4yTDSuMU37CTqEOJ4TRKWGOowo8jMIDOu0JgHKMrVtuzfG28cohf3bFcMp2xQAzQsM4g2PSOPkDiFhbsswNj3XEcYr3jnMdhk6ypLQKTUxpK9yoe7vtyT2SzHyqw4jImuENTEySjKA+5M1gcBVMiX3RHPSchowM2MqsYt7CCHi9gG1MuoR8Zb7ADHgFiBw8+sA8qMjAPDT6wJ7EncAE3elCnExsUuxwL+SdkCQAjWieKkzcDB3tDKyi3Jh6Y5zo2+NcneyCbCAXglwBIAX7P78zs18SMAMtiStXu9A2A79ttaNKCj03M9vvG0UART5yzzJRE9w6ggsMPJPLgzOVvw8mj09uL8p2x78eBlGBHpscHMvmnzpWnkkh07ylP6exHD+jb60/gzNB/zrF0Eh8v80zY9PcN5dy2XoyMvR40jt4MXKy2z7mMAKmD464gB1H9jxCnkgmA/64LvNfH32igfw4B4u8PxMxB/qBzJBF3su4PqOnWH+yw/U9G/59PncwH77TgyM51/E6/zvIAoU9ouw9C+PcdqUp7zcXONU2QpObMZcTvi9/IJP2QYlQiK7i1T7zy20e86bP+OISzjCBwto1R29sM3txhP9OWVKEHKYYxlXKcMIlS2KBNNVDyVKvV8X1lzbGQHKRiERSsIi5K7+Pcl0XzPWGpsWlyqLKJQMOwMEC6Ij3M3Lc+oAWjJ5+l8yRj6dE4VoVyOMq+82jzpZNcysL1/F7hcisBCTALMJWw2yhAsI6XyHC2CPQgnj6o8dxmmfFcnLCzPTEbFecCKxqjMA8e5xoTMwcDHSEDLx8xXxsX4FJnPhkzE3o4gz4rtJtLPqDbLGY2owA8qjsTEjhTPx6wnlkvsMYacyADASJ0k5U+tJYPfrQLNR1STys/cH43LnCDuiZY82Emjv4LA483VyKPf21Hvy8ESCAXchMqNx0rrsMyX4WzBsWOPNPCixizrx6E/AH0PeGoAzbt/8u9+1NM3cjSnYRjsQ017e2fbPbDDaDMJDevknhFZ/Dyjg31z0/+yOfO+ICVDKD7pwvlsf+O+azS/+ByABRTbv6OXNOHj6hOYQxc3+5uvO6rqSiT7Y+QzPr/yvcE4Cewvs3Jn9qJdPH+T4zk+x2V7W8OQKzPx+DfIHM3wPgIkpa7CETVnw9InuNcr5l+z1XC5wxoZb6ODDwAeaah/EYy8v/O/LzPS7mjlleM+ePflPQ+jSjyz0+83ZC+RbI1UF+XDk5w5v4KhOKTjPHU35mEY89NYfXOTszM1v5C8VhlO33K7zjS/QgAp84XPM0csN0ZwCG/AsYwiTsE8hIIuGDPIsmwzwBEMIR15bEIf9X0XCLBcFpDxjAQXCxzWkDsIIIh6LXGFMS031ekMEezhXYcRsaxHEKq8WxIUfdVSZxSNg/U8JR49PGNWsz07QmUMZQ80PHOA0yyy51Mop4GSWUDKdVxghDEdasBeDPaWG1WP1cnbdITF4BXEBdt/wcynzJyF48vVTJ+/wkJdWEROJGDOCcu+yF3nacyJlrzMhsa/hwnW79jDw6TDBgn20A6VAM/T7DHKx8iIwp+EI8bI2RDNS8Uu3IqLdcsWrpaKB0RZ0NzvHclK4szcDbOnzon28unB8t3EgfPI0gQ8yuD9AQjt7Yt5MjBjTRwqE9k6cNe/tnkDMz1mw7A3QHmavOIAz+ry4+8z6BOSJ7+Xi3mul0c06rJ2OXHS8XcELDt4PxHs1JnjuTOscyR95OP0uHCibjBns5BpdeI2O4AMnqjTEti49LbzNppDbD//N/I38dPHF2sjrT27s3FvwFxvmJkITOZuo1MyvNvgLbqhy7+z6t82uoOwPa3Cv3sRPq+43k0E7nqHz3qnQ7UU9/N0IDtRzj3/QmA/LuKzN0AOjfj7Iw/vcsY9PL9D/n8/S7c+58u7PPRT+xPy0+0/CAwr2C8Tevk247MjWfMKbVqD0z+wk/pxfvYcEH+jRn9Av9egFwynzmU8K8T2HQCY40xFQHBtFoVqKCfOuTw3AyYNlUAqHQHGoiywzpAsY80+DLKA8EwNingMuYjhXDdXoR0IxpoZ3ZdufKsp2nyGMtmc3zGlbI507njpMZGUyL8QHJzQK4DAsvP06zHQfchoryyxLrkctwB6TGZA8DwljnIt0cPc8+OLz6PzzIfFfMYG/prFCwSb2cfLpMlDmXnNjv0RiU/JNs/KuW7Hz8opxwcd/MoHgEbvyPP3xdDSpMBd2yDcDZu11JfrfcyTjzzfBm3rxBuZAMjT3APDzwwzkV/oUMrLvAJPy/wv3o+sN9NRShXSi1lI0I9rPcjX9ujADPP4xt+r/zmwi14ws0JPNz3e8vzTGQ7wNPcOIDxDGh8/d5lzoZJOLvbXhjS12+YzwI778H1oCJQ/c48/bPO6HeCzPD5+U3Q0+PKuNL53yxPAf1iolgVb/tnj/3s+x3dp4IEcP/mDZ6WJ058+04PvNwBOv/DtEBT//sKLZwn37zgGE88zO7thJ7qjITsY47AzFK62qNkAhvV84/0tfeOsp6GCzTZY0/Bwr9MRYPGStzM8/7CphAQI0/fjoLn3Qic/mUM4P6sCvz1689xt8vO9Zwx+9/hbURS3L5P6NJnD4T6/0rM1G7fPHD7zJDz5h/IyCI179G8CR/O7x/829OJRMfCi2RabzIQ9T2TLPPdp/yMcDNmSczxg3KMMM86RHHPlqQxxindsJUe0DGNOqCwwTzVoAo1VSYHNOAxzRPUcZIw/LGNbUGwwDSMNNwxnOGIHOVzUpHoYyYR3fBIKZBxtVbYtOsj0XCCJahxyqqpc0yIAPM7ifzTB7OEMQi4tHPcEwxzKYDEQk7n0NPOZ+3KV8NIiqHzWMfLt8Di7sMYyhbPRMCqzaGAG5IkxFXHwKLfw1DAYs1GUFnTIMihy8zg3oPBQC/HMMlSz9AQ+sbZwZvRxIDuQ4QA1sLJVPZHkQOCx9HD/pbRg65D3MUf19zf2rOkx5eXxOvro1DHy/vQg86HsIOX02jFEcPIyVSHkANO07zgjZLVQRvHhMfrg9FBt8qUYBbKwCPegvFA/8rBE/4PgQDpxsRE+YNIhkPTRMmB06FTT8OABbnD1Zb/Z/DDbtDxw9pXaIpSz8zA3dPtzVfTydvLh8hF2YuEwg/b2cPHk0zJC8JEx86X4QOjwPHTi4PlRpPLlMDqy4TA7sfUgt7DpMfPsn+uoEUlgnX8sP/M84KskwTikzY0EZtOu/mGMAUQOIfBwiPBBTU+nXfbN6VACgrqhA01zpVvPUAPkOkT47Yn/4mn4ZRX6si/zEApRKikoICefU5kj3EwXUIFApNEIX5Dx9WBfYEBmAnsBANMzaTLeLXkR/g1a/2vXc/HIkMo5gcNzySrxc0fklD2Lz08Z03j2XaJUjdVG74I9XHD0CdK58glt5gh03Hsf8nD4BI1lTCWCU0b6HkaKYp+9dPYJWfSGgp4zDyHkPAsO8UAq9TEX9stFkJPe2FrbEISlr+rv1Ej9xc3Y2QlMddWqrkncaOU2qrLXWn8dRuQHHdXCOnGyB9g+Rl3Urq7dkzZ5rtDz6WzsfoqnVK6ew02Fok2MmXaIxXpLirkjalpvIfZHMhCIe0nGQoQ9xBk/V3BfQXT6WcotF5Z8+0LdDnspbr7rKuelKA/4Wf/U7LqWpnLNJE9iJi32aE+TPypHgGdQpyAIklfAnubrG3mwaq/kqx988Vrc2+QrwacLAPmin3vlpOzzqGeUAzQvgFFI6fkDSUPdrDd2DC/daAsPVoARlv4sCoNiO7yBH12SajWWrF7y4Yyk9c7wJL3ZDRUIwrTdmgwIbEs5aK2TkQA9sARvYds4YtEfHzDmMlVnNOitj7+Xdnfmv16FtrVkzuI6/HFkHHkODQGiW2vEWgHpe5BUdke1VK/J5r9GzIZ5aHaRbHQWvvTYJXB6snB/d+96X2639glf/7Z0rSvphP/WiHvXgZ5XmSiOrsW8pq9kkKEfGYVTHcWlWi6RKV+EMhiTaymnQJ/tGQwsfHxztPIuvuhobyS/8FnjBuYXfr7+dLxfFn/2l7nVpt6/L2gUxvyfoMdg3fFgh0QNH0kwb1j8Hhj5tn/h+xh3ytpw5bt+rdgTz0trlYXfP2Py+I/6YC9+81z40mgzcLUJgWcQAQqYJP8gzj3XwvH9r0MOCvUF/N/xZe9Hyz56tKvc9j/ce+J/3bF/I8+0Xv+oDevwJZMBNqAMOhJEXqgC9EDzFwNzs1WwSguL08d73IRq5+P6PnqoExIlexZBgBRo5WScWfojHUNXpmh7ahfS4mFyPlpgJQkT0AbPFTLr96nFh4O+ql/oyey0F7TilNBUreLyHhOOZQNjCAxKxyVCIYZtgoKbO8MffoTNfMbpuA79jA7X2gz47a2YNWHbBorw7B4fgA9J8P8fn8AGT/H7D27ADNjw7w9M8Ab/8e8PjtAR/vH5D6/wFf/w/g8fYQnx4P8P/1AO//H+AFAAAAAE14CVxN3fd+VCpDowoZCmUMKVNn730pIdMbGTNkSubXTMZUImQqzQiVqSSZz97rIErITMg8vInMkdlv7fu+3//n3+fzfNZaz3qeZ1/3nnNPaWzfGPZ0uaadqZeqG7LWVXvVK05L2pbKttv66bwu3IGwaru10cOq6n7ZctH0+zHN8msz9u5WLNyhproeB55pfo7O2rE9RTwkaQMYzHyp2VSc19qu+6B7mnoT5kwMgs1jQuHAlgBQbuWJnLBPEF3/pi5v3SRdfu9sOPGtWEt0GgktemfTCn83ttXYCWo+6MdeJFan7/+eJgbNOibO9npOu924SCOWGDGfY5bsxOyqim1mHh0xchLYZnrzTK1AWJ3eTBKd7ov9UfXVnLlFpP0yC2J5ejM3wJ8Vl1+pFW/zyayHCWLWwzpQP75CQNMzYJeZxwNGTqJYpZbYZXorBv/9bF9gyIxDPVlJ2V3h1HoPC/p7F4uOj+ekZ1tZSdH9aeyroQeMn+nHiu6X02FjzSA63p4PGv+MLF/Tkkqtq6cXpKQZ0aPaWli+Zh+1XTfb822r7UTmuxpuJLbrPqqWZUeUSzNM+asvPUTthuaQdnghi04Zqxs0fjxmjSeYpyCE9GCGnkMdxarkrjDUvt68Bc+WvhODe/YjXd//I+4HW8GqGl9prdZEdLm3miBPkWMp4x7qM0I/16UI1BfRAsv9VHIp40YLqy5p6ukv906WxWvK0pduXM4IxapLUzU/s4/W9f1E9CViXpFy9Wg19rnQBeSZ/wOeTeXOZ60NtPPIEqtjl8HxUU9o6Hcde7TOmNq/d6G+8duo06RF4tG6lar9+wy+mMXRfv69EOfF8VFj2ZMpSXqPjbU1Q54jyCCLj7Q/9n6e6/iqra6kBJYSOad5pSr9/c/zRSyOoJfuPtNDW+U8F5BDvhdZxOykD7Xn1cZ4JlbSeNJ3jhAvLjykbj9UsfqDF2tdpxm5wtaK1nV2E++072Jpq0SRHeXGvNMW0dUfzvASow7wOuuT8Kv1gPGPMTDwoC3DPWAGT8szYe8zV3KZMb3Cgby4MJq8Vg6pNfdlkn2BgnilfSd7M1Jop4d+gBrqlbaIt/+hyLPQs1tWddW1WPivMrmz3dxVMwvppAu50YJ2szsjutl5CbPhAXAt+SOZvugfEVF+COScs3GT/rPDnuZstIIHFUdYB/Fb9Pt7pb7KfRWfZM8nywbzsfdXEdRInQgrfamGlU7SX4OfXM7TTy69WNLvUoY7Xh2zJI+91POCM7vg334T7dQgDhIfadCl31YWY/eaVlGOQaOk0yTcdw299sFZnzfNaxSPsZv6/+aim39EjYOe8LnuSrYk9AiUriph+xok4D5dHHqSpL6vkqO2aVzApR69BGdP2ce7bxInXy0kJ199FV5nHAH1xGfGX8JnxhX9/YyzkksimKzdpkXh3lkVPerCyI2T2aP774XHWEN21/up8GndFhDUp3U2WXX9EDyftxy6fN8k9xS1ysiNZVjLlK/+5rj7IznuN7ovvW5uQZ/dPanMH7yXTG2yTkWN+uyupyo5j7HhHPOU8iJXHe9RV39P4Rk8oMjmf2epAUUxMKTyHuc9EtlmIz/RZ+8hWPQwnPnWPgzzG5kyg6AlrIHZGDZ8cZoIvNKQebdShVvbS9RncGfmvKpYGG74Ro1PzIfhi5uyicfjIfDKNtJreQcW4mvM4uv8VvOP+xHM4Zn3jGn2pFLuu7yDmtp+k2dQk7rCYe5YOFZ0DjKu3WbzG63mg5q1pFhJUJNEeQYvrRoPcv7l+Ydu8w+En4MOQsncj6KP03wmdEails8GWHy8n/jhMJUs/bAZYS179X5WJ7b4eBFBCKnTf4eVmzCp+eHwWlGLvtFxdlwdZ0eULTFp6gXLaH7BspaCnMTJe3Nnw8CKNrqUwHwxbP1Opky5T8IqFwBmUey50EUQhMDXoyAIQtgfonT/aXuxycdczC+MINiTJyf2kZ8dDiMfr+CsIM/zqRPtu8+Phq+KovMLjSjOYsXO8dT+kOCoI3Le9TaD2B2ifKJLgFgz76ZaEbSI3yubSZMdOuq/8zf5rOcrdj5Thk8aTPEM2atPTrQkWBHjZS8zFXwtVM4TDj9nT8grKLTIIbNmHheq/yixsP9OUWjhJg7P+0Ttn15gNW3LuUSeWwGdF+jKRt1exKS+WXQMlxqs4viESUzJiCa7HhA+NGQQD+nfmGIGqT23Lkde0bwGshv3LdgZtwLAM+R5quZ1neY7clp8MYLjrMTWiWby32BxaCugXlgeC6KPPirQ9Y4Tez0+H3uV5ls24wjaInERcQ+2hx1ilajf/D016lEivt68ylGD1Y85rKwK8e+mwI0VOTSrjTVd/6yx8H1epmac60TQj9it7xG8ReJ39eT2+qJy10KdUY8RAjMwR5FniJPbU7B+V7DqrxXJz0rpI4aPCGPGT0rE2YTB0Lk0m8S0d2Rvl26kh4c0oZ1L24pwv7/0c68W49gv7QxdO2sSDHhVV4K1y48TXU0LRbt8O+jV4in/frym+H58nXrjzWGlHv1wcuINR0X28239OWoEakhagq32UKuqQ6/kCFYJBaEOr5Er+ALO8Swa5veXWOCEz7WKVLpmejpgFR+Sh4ixc9+KlfWjZE99i9vTu7/r0aCi4zTGviazeu1CV+QxWOAUyU5k96Yd18bAh+TbZIe1hbg5ZgQ3L76mtPhdqVZk71dSXk1Qg1MSTrZxaYz7DeRzhSNdUlFLJ72o58ipHfHZuWa6M8j59KjV8DF5iKxyr/SZbEY/7W8HyW+HigvnNkLCmHkQddVBl/y2mL7ZMFW86bUIPkzQYHv1Bvq5m9sfmrLEk835ay9rGJzGkCOYIf20xYYqdH/JCI5aYlc7mbp1X3xye/WtatM5hL/d8FrMjaunYVU9Xsaxj/sP6p8JWMnH/e30n+XnLjEC98qXUCOGPT1RuYMa730ufL0Osh9OJWDZ7i3FKlpk2bBdZeuFu8dW5nCskl4xPoK6CVJL5HxgZgKR+gMz69Czy/YL3LGO7aO4besefGnpJ8+lpXMU1ChYTzpnN+PPbc5Ljch9NE4ntZjDZRZ6pZ//73c33BGb7aF0UOEJSk4lsPKIaPhxOJe/npfDFmf5COToj/Ri8iN9qAjZNpl12flY/DjsTn/mbeDf4hZTXlBNN6LtaUhudYHNTTPXkFckssubi1gfX1IYs1p/FlYyptpE/j19KFFyiECfOJE0m3b2sNAt4Tv0/Pf0Yo69wKoGOAaB5LCypFa9RbTVcLbc3Zj58A/693i5wUMx891TIblBRdPEeKsN9E+im0DQHu8SRHT3UBrd3UC0LGoMnfd/oc8WqPr9ucE+pMxwFA/7toVcqm1Ooq3uklNxSzyRU+3aVSOaewW98E8WG2QQy7WJyeLmxFPixfBwWO6+kg4yqI0ZOfyKyzH9d8iJT6+gRdIPvO53s8UJneH0iq6w/yGl6fcdoW1WDInqtIIFfqrD7jbNo7cau2CfQBFCzgbB5gw1YlLldfKs+S/VNiqMoZcJo1VK4IwjvG+vaWTwC3sSXDmQCCMTbv07k6zvsg1zMuiz5ksVBOvpFyfq12yD8y++76EQki8IHyVnFbXCfHqQMPVoyPySTMAvaRU5VeSBOKwg1H/hwZHXfz5y9289rKJe4CzB21UZR//TyqokpW08iVXmqP5Pe3DXE431PpmDoM9D9woEledhjuTIjTdeTNbgm8/la0F+FXNYW03XhIyGN7wdu//jDdn64wfvRobC8J8DKELU/rVbxQr+vxJp0eIP4thPAruXnKKbftWAcUvjqJz9f9WlP3/8I3AWtu1ylc3t4nlsnCt3+BlIbC6kKPZxhWrSuHv86E9CvZdulWABNIFitjL712ay7ccPpfavZqp8/agRsl+9pIAep+H0UepLtq6FF7zvUINtj9rMt0dZs2F32vJhd7K5VbN+tOmqBqzuOhO2N6I5uzjvlbg4b4ro9yCRyh51Yr67neSV8TfOiSNe2/TvUS4fzbs1SlO6NWrKi37s5brE5zyk8INIHdSVrRkdC+gX42/4iJDCWdjXFecfrZdZ3GFoBzw7W3UZ2AdmXB7Br94/zYx2pMIz/3Llmf80eEyrsNfMjU4/HMOR41lGd1jBxALqbjyTyfla8AKQu+DC/gK16JtGM0Mai+WppnA1NFSUPu7F312MVt5drKWWWVDledgYkrZ+lKhl70CPLrpOTe9vZdPut9XS1j/gr1gOaffOSCAvsFdQp78XbKO3AM7i7tdAlnDrKPhkT2eV3juZWXQaxV4cmTiCyXp6kgP45bhCSHdrgpy4WflHYA/m6yPYz+5hcCNnKyTc6kglv6i7NR+9MltBqN75l5Tk3QvJou6b1a4V1alpdBo3jW5Kj04sIWXZw7WjE0fgnEYefdMhN0L/ft/IacCk7tE3TUju8+UrVOHPeJO01eqkTSm0a9gi0bZdR8RRUfooTlQZ8Ys+X7JWpA9eTyXvYhJLUMvTB5uLFlMa8R0fqwra6B3HHXXpH0d27Degzqc2dcGZpKdYUqcrVeiuUBOx+3giaV20j8haY3UG9fhySX+PNUkzxTxTPN9UxZ18HYrsDz5RuXefXHj24DAzVLkI67FVhJXspYaLnhJDP1/1zG0bFj78szC0+JsiRHjSFerdxx3yDLJgvChgyIFh2g9q6HKQVg2uLqr+tOOT2xxRJa7U3HGyg05HJt2rSrbOeqDubOIMVX/GqVVVQr3wzPDh82heyx4QnvSX/nklvbjXv3+Gi8ZRr3W1mFVyEu2c0452ClkIzhnp2B9UJZf1aTZNdnSExJelNLCgB30VEUFP/f5F+3IFrJLr0ZUPRkoI6cUZVj64zx+YDFIQ5IHJTaVTTjv9+xITEK28MG5EXkUY8cCCfNI0wxkeLw7X/e8ZJfmfQ4vF/3pZO4V8Fb9WOIFurQrFddNgqtVW2H55jlhe6wl51NNQ8nT75U9C4o+pnd7zLrMY92P//f8BrKhjgX37U/Rwqa9rakLWrV7Pg8xneg5fk0kSa15XZC/x9551YkKfQK3RhT2k54kk9IzlVh3iAStBvyprzxP19PfCldfdwTB1pciZN0Ocs7KEwesfQXEBFz53DtHiAgIbzGxZzry3wunbNvLqfROQXHRcAOS+3COmtlwhNphtEZOP9WByjzoifcEjfivrzzI1eMQy5VfdGlRW5DyRU/ITpulGTQoDPI++er9LQvRz9wX936fz3iroJ5L7d55Bhqx/JMTtecLy9Sf296xI2Gm4V4RAgag1tjM4O5qzi73WsGGH2rFNSxtACPRk4//MgrMWp6hEu+lXRKeMuno97qB80A7RvdsDFW7PIxf3nz0Ze7ERwVkpDo1B2JCBIROh5LItGxjyD/urZS1NvoZGpXnCfOxxRULOJZe3UPOxnUm3TwFwo4YlzDjcgHWq7sy8a+ZTV9MI4X5iiorg//XEP9CJlphawKlca1FzXBH3D9whXlQ/yOUOZxJlliQQdPL4Z3Rm/6bkWnhP3rPrDaUWakcWKOrM/mmKzHwc1Yhd3ddG90/1g0p/81L6T/V2UGK6AXBWseeptUbS8Rd26z/T8rVdYdj5aszgcToYhPqBQdcpwqDrQGYwJogZnAJm0JWDwRi8zlI17A8Jg9BqmsGYh8IgdZVicAr/jg1trDNwbAkGjsPQo6CnBAxS8Z47FYmZtsidYwapZshlYa4dzrU1vcaxNvaFmDeHGnQNJSkpcxi70ALyPcvVUdm/YYSDuda0XRXN23YI8xs3RWfxxAgsnkTQFouzpEaZntsfDB546DZXS4bard3Y0mPbGPKEp+HvHpN2UnZhL3sd3VnDXmSm5gHqWb0FD8T7OxOg3oJRenjb3mZSW7t1Du0z4BwkNn3BZiX9hllJy/T9rU8MsiYPY86mNVlZ50Ps0gcHneROH+gDyUHWmlVeHYE9+7XUWXpkT38tTdf7MUfc+gT6axV57BnDSuaU7Ic21dvqr5eVj2bhecvYePsLuv3jUsTsAAu2IdyPb3i4hVWJfUWR40MW54nVT/vrLNxykZsiEFRyG8KvEqntMrAq9n70dvMM+N8ed+qQ26bwMTMTGszpSD1TKmF2wAbJK10GhtEGdT6APEvmoE6T3pbNBM15uhBuVm+o8xyzlrZsRvXXR7DvdjLU8hqt/1cSjHlQSwv2bcQOeTdlqGf13r7lOEPO06/0tEMBwSrkPm3qCrYyYCNgDqAGkJM6gj39ci0e5H5/sTVmbVcKX4aDX5oGedciIXCOuej5fgJUjoySPV3mPpfL2snyEGzoEcG2u3Riwc+a4W69eHT3kUAdi/m9EVBH+4/5TZGjcoc6kTxjH/y5tFORmbvj/MAiazC0TU1guKen5xlouCMIWhBlA0GrnHTlIYsYP1kHVrd0YxMqu2mLexyDscu8yYxxlF03M9fV8ngNZzK3QOG2zaJsWDgrG2aoTS1juvJrVTTH6uPAxmUSQ630UNe3I/TfSR6P78iZZ99uCD2PXqHYi8Jt1nDJ3kobuyxPyPzs29sYniXUaXNBnVahfqxgmsuBbIY9rTHlApQ6ueDcVoeAz3l1KOpE3t0qkoOn4bM15Niy7O6aeZc0aLE0Ck5Xb87eOb9AXYX+WbduwDGGGogKe8CwJyOCHWVlvb/468y7NNXkuTJXane6mTFPy1LRuq8raysU8LQMFm2FSt3bXKCt+2YBgjadYgn7bDLgyMQBgBqGHJHz3Av9NPSC1Dp9WyEydtozBLAV86CeV5CmnVjCeK8Z6HVhpcxBQ43MFM1LGrLJC3Yy6+YrWcrzZkCnXhVGH09DWOFY2PgnDVx29IYWH9fQ3ANZMPVPiUCezfCrz27U/MLk/FldJtADB0dNh2reVXW+fjfYynqN2YirnbSvNXUwbmoiG9ThNgzqMASGRtpB+sJX8gyWPaGmLveAq/ZZ/S3Qp5m+GcrzPziJL7Nrw5UDebDvejx0s9kEo9sng/AwgM4zejOrfSEMdWTvq9nsy+xYPX/lgDfDmUoe/dS5IlI4V1TToi++hLiZ2TT4HUdPsZCa/A876F3/NSDPkOchz5EXbegQ3bKu98j61fP09xxW8dek1ezmW0vtWcfW2hSXzgxnWNY1QEwclENnfGW0358I9mvtMG1oTTs2+4IPoEbuWZ+4Kljv8di8PzD64C7M/Ewjn5dinqnAmeJOTNugyjyBO/11Oj/lEm0dmy/KWp4EI5NzrNeXXFZ0vi8708QB9vTcyIyjdwvkRG75aXB6V5tmnHYVnbp8lR4eenK9WBt4ivonv6BxRh+FrHRAmIgzmg2ePoJdvWkFFVemUsygE4Y5yQqVJe2YDdsGqKOYw5ce8IUfa8/wAxW5zC4/Dp4coHD+2nE21uC2sMu3g/y5ZQRnipX2CnWUM48aGgvf2nwS5691ZnIubLNaFLYxlT35+XKT1Op3W+zbikUPAljrsp+0bGo9DauQ+T/Weumveen9e5GFztonXCRktGQNTK8rdpFbya3PdpBcehYeHw8Cu8gGAjnu5FtOrX0M2f0FfVhyaXeGHsCZ1i3oJNCH/n103N3ZgFXI6uQ7jSLYzskh4H/LDGpN8NOG2jWVuVTmI/RZdQuOsUbWp6CGa0O22e0ylG9YKB5EJuifHX0uPGcelWPBo/IJHRi7ij2IrANN31bRSiyaaxu9pzOJGq7bRN65w6zTSHcN9wx1PNQzGg48tmZdbjQB7JEzYXnnPAB1mF1Hk1xwyF4quS2NstlqnTt9PagRb+d5HPJqj4AdpbW0J93bwJg/M/jPdsbaal0uZPwdycb8ectdWhYQ2cvq2XsvxV7qCPplZSmBttDNrqGGM+pniGIPIT5PsNS+l68G/4/hsKytF2RXLGTW1V8IzKVD3/2CKkcWARSFMacT/8Car7Gsw5pJdOwQKxg7ZBPPnjmHqbsewN6foWxP8AEhNS2HLmOrx5+BIU120+Xn9kGnRiqou0aBhfUahj62/FxLZvSoEXRY81Jp3P8EvF14kewJbgNGj7YLw95FmP+SIgRyBPV02xMmotr3Y1jph1dLmPnF/fTeWxuwDbfXlh2uI4R5EDG/2EpIHfai9x0DhtBcvw6gb7caox9IP+eFdMiQI2LZ4QSOM8eM/7ShmAuy53sD57B+zl/pdwdPQJ30is3jqzNXnzTqHFwN1u7fxmiVx1SNuiOw6vkOTc7Q/UUpomrmbPjy0Ae5ptTK+ghTo4YxN49c4ebhTpf4jIRu72eoLYZs4fuL6rOIJouY5DGHvrKqy5AXY6zfMLkz84jH2VZgrv7+P5ZUCPFFF+Fzz0oI6MRY39H5EJvcAIIermILyrLEzrlboMGOg7KnyGN1JflrnkgdM3J6B8l/vtGcftF0mtdzemv8XS51QQ9NtLxh7pCR4S2QEzXiqmvokz25NX64iKrwB+zpT74Z0qJb62Z93UC+VtYBrCz6izu9M68buIRUhVdfI6lbxWMqa7XKfWLWVwuxvNIJkj/7UATqLTj6WNbCGmz63JGQ/3Ex3VcxlFbMCUJvNU0Mq66hXp8R/SWXey9w0WtC75hr/56ZIG7nljKTse6sT8x12n7cOnDc/I0vfLuVxYbgc+NHMnHcHMIQyqAfDvTntkq5V07m9wYzNR1QT3EHG859EDu2GMGOLRGi/biaLMFVFSlPtjP0U+lDPZOZNW3rwPzYVuzc6kg2LNsAtiubmcybO64YPtscYJaRMSzAvxHLHxzAeprkiGnbo6llpA2btr0WLFvdn50/bgKN/x5Em1yvwrDqewTzUL0AtRy1WpPrK2j5m46w8SbhyAmsCK6gTux0bAUyf/Q/9bRZ7c100lsaoOiMB1hAtft21GzMLGF2q4yZmB7hph7+zGzMB2HSsDur9tFZkxX31KThWWqshDLT3k9FZOudeh9qhQTuhHH+KqHPW+rKsKervHJknvToOczgZq8XQrWP6dQ430Tnu/Rv3dEEX5Ed1Bgmt8+lUe3jITToElwJiiTuf46A4Z9AUf9SfTC65Kb5tv8LvP7sRp07/3mxM2qqyZ0WnxAkvWpUe3vQgmLZzKAA2BjEWP1LKUz6UU/xDCY9MvvBxUHM608zvc44MRyUa7U0/yBLNu2btWZXLZ0vGNIW7Ko5E6zsVOfpzClqAXWKqmSogVOd38Cv+Dsw+uU45Cv5r/hhbPTLp3IPnpXeuJ8OPdu01F48aKTdzeii12GW6NlmH9zNOEHDc/vIM8jH2pEspedlWp3v0u0enwGF+3qy3t0Og+Oo2rqEIWEQWX8lIR4bhU0Mp3OeroJRi93Y7vEuMLFOO22I03I2ds8aGN5/GDu5dResXddS6z+jliY1hfsK6BQfMx36hd0pW5h5pI2WalZBcQePrLYxrBw1LNVsLmbmqFhpM7/nYti8heyrdxUd9uyNXTyzT3wAk1ovhx21rHUmT4cIk6e3OVbevV812ZM3dvZaM78JbMvj3awh2Q8Z8W1gZQsnjX8IY6VzCgXqoHu/SDGp9R+BMxtsVItJ/7zZSczbY7B2aY+Zbt7seoC87nr5Z2HbvipM22tJ6ydksca/77AdTS9D3zG3YNG8YLFoXqkEl/uLkRewD6YbMoK0BWcGMNv2YQI9ek3BDQ9o/HsY+5p8Hy5G9tbrGvXJY149YxlquNRXr+ej+//yhG+WxqxOm2ibw+JYfHkXzf4xoRKW91aIeksGSVDbVq2YzajtzGpPLbkjCGFn7QYN6pQTq9OroM6B83qd/WOu2sxPBLtvHUHO8Tc0Vm/JTSHhMD4AHHqPYVIzdKKiQy/U7u7MrDfYsPyxxkz8XQd2fCpmmyx+k5OFDYGnJMORpa1gt+6islvXRxR4hEHzvb7avhfd2fEm6exQsRtILfoo+gRyFLVEIi1xACAv0Eez3TpjnyA2WSyjKbsnQNZaYDILOYKz0Ly2QM1jmeJ0RDpEHLoKXUJ9Ra/Hi9njNxZiou8/fJeDSnMWTwfsxc+sCrpFNYWrz4spzqqDfSAMOFFP842qwqSm1+MfrOax1gw9ei/qxfyB2wTmE3mGzMCZtnK0152OcNa6hBaKG0smaAaPvzKDU3nMoGsmwlhnYPCRGYzprDNw9NcZpAKLCjin3kzA79aD18jNK95s6F9uEBXgwxFqq5wvRPLVSopF5+zWBEGHRs4U7IAJlfyU8BXiSFudHmqbJCr1Muux0QmxJ2+NKEi6LGTWhAgXcc94NLln/JCUGtYmS99uFDKzkc8Z6ptmKGYdryneVz4ljQe8paPamML5Z8P5Si8ripVuv3KVL1B7ivvTH9K1Pn2pf9lKsUAtIH/tZrROzWmiTs1yfoIYwAqDC3Syx2/iEtOBP85OR/1o8XtZprg9pQlHCM8GnqJ13EzMvKtijjBwtITh5ado93IjMc31BfcLO0Vq2K+nV86UifSqI7nLmfbYT6ZYRWB8C/E635At9upPZd+hOJn4hXWl01yDxM8q6dx2lRWgn9awN6drhnYi4esSZYZwrIwVj4cY8Gvd7MX3sAVi+KW1dPeKKJ7Xuo1Y7HVZKDvxO+vkdrUEtghZP+hsmHveWskpol1HJqt7Xg2Bez13Nv4dWZJF6dzUEoK9ihwPPFcNwk82Um/k5HKspNXRvbR+SpAwX7yNNd1bQOT+P60yPSZE9nxu6ghZlVcrV0LMgfai5cJiuqwkAwa4URF1YiS73ao527HRk6281BJut9qj6saFi/Sl5RT39GRwguhBSglq1MyVlgwBHaZnUfPDPVEzjaGWxhw4JEa42IDst+0yFVL78V0nNsIlhslzZB5ySt29DWjm/KPcYvMYFSu5FxhDfUesIwPSlnC6mNIpE+rRE0OMBfZiefRdWrT8LDdr/E28vjoa3q4eSAek/UTv45PoFbn/bKWYI7OUtdP3EISKO+yb6/OXRw8XRcu768+TOZnzO0o/mbSjL+XvV4D/4Sa8uY0HXTY4hvyedVb1P7wL58N67sbVm8Q68I043tGToU6URSRT9Am5Rz03u9SMYaW1XWqIvV/CBDxrRVFH3Kfbg8z6Pas7uE+Pp3vaBnHJ/8udVWU2659Oj724LZ6P6sEb72rLgort9H+fzM15J0Z9XiASmBEbaP9TOHQMhwQWQabmx9IxL+uw+WkbxZrppTy1RaDINBnBBlVvIKxuHyGZJiUyS6BOXN5xGft81ep2B9F8sytzn7kX+doUOcyuJN/rMvp/';
const arrays = unpacked(PACKED), numbers = arrays.pop();
const made = ((() => ([words]) => words)({}))(arrays);
/** Texels of four uint32, 256 across, which functions read. */
export const words = texelsOf(made, [], 256);
export const across = 256;

/** Functions in WGSL; the engine's module declares the texture of the words. */
export const wgsl = withNetworks(`fn bricks_word(i: i32) -> u32 {
    let texel = i >> 2u;
    return textureLoad(bricks_words, vec2i(texel & 255, texel >> 8u), 0)[i & 3];
}

struct bricks_channels {
    c0: vec4f,
    c1: vec4f,
}

fn bricks_sine(x: f32) -> f32 {
    let s = min(abs(x), 3.1415927 - abs(x));
    return s * ((((2.5904562e-6 * (s * s) + -0.00019800881) * (s * s) + 0.0083329) * (s * s) + -0.16666648) * (s * s) + 1.0) * clamp(x * 1e30, -1.0, 1.0);
}

fn bricks_cosine(x: f32) -> f32 { return bricks_sine(1.5707964 - abs(x)); }
fn bricks_hard_gelu(x: vec4f) -> vec4f { return x * clamp(x / 3.0 + 0.5, vec4f(0.0), vec4f(1.0)); }

// Texels across and down.
fn bricks_size(mip: i32) -> vec2f {
    return vec2f(f32(max(i32(256) >> u32(mip), 1)), f32(max(i32(256) >> u32(mip), 1)));
}

// The latents before and after a position along one side, each times a stride. Around the border: before is -1 to size - 1.
fn bricks_around(before: i32, size: i32, stride: i32) -> vec2i {
    return vec2i((before + size * max(-before, 0)) * stride, (before + 1 - size * max(before + 2 - size, 0)) * stride);
}

// Grid 0, 3 numbers of 2 bits each: its first number, latents across and down.
fn bricks_level0(mip: i32) -> vec3i {
    if (mip < 5) { return vec3i(0, 64, 64); }
    if (mip < 7) { return vec3i(12288, 16, 16); }
    return vec3i(13056, 4, 4);
}

// Four numbers of so many bits from number index on, in words from first on.
fn bricks_codes(first: i32, index: i32, bits: i32) -> vec4f {
    let bit = (index & 31) * bits;
    let at = first + (index >> 5u) * bits + (bit >> 5u);
    let shift = u32(bit & 31);
    let w = (bricks_word(at) >> shift) | ((bricks_word(at + 1) << 1u) << (31u - shift));
    let step = u32(bits);
    let peak = (1u << step) - 1u;
    return vec4f(f32(w & peak), f32((w >> (1u * step)) & peak), f32((w >> (2u * step)) & peak), f32((w >> (3u * step)) & peak));
}

fn bricks_mixed(first: i32, index: i32, bits: i32, x: vec2i, y: vec2i, share: vec2f) -> vec4f {
    let above = mix(bricks_codes(first, index + y.x + x.x, bits), bricks_codes(first, index + y.x + x.y, bits), share.x);
    let below = mix(bricks_codes(first, index + y.y + x.x, bits), bricks_codes(first, index + y.y + x.y, bits), share.x);
    return mix(above, below, share.y);
}

// Grid 1, 16 numbers of 2 bits each: its first number, latents across and down.
fn bricks_level1(mip: i32) -> vec3i {
    if (mip < 5) { return vec3i(0, 32, 32); }
    if (mip < 7) { return vec3i(16384, 8, 8); }
    return vec3i(17408, 2, 2);
}

// Grid 2, 7 numbers of 4 bits each: its first number, latents across and down.
fn bricks_level2(mip: i32) -> vec3i {
    if (mip < 5) { return vec3i(0, 16, 16); }
    if (mip < 7) { return vec3i(1792, 4, 4); }
    return vec3i(1904, 1, 1);
}

// The finest mip that the same latents serve.
fn bricks_served(mip: i32) -> i32 {
    if (mip < 5) { return 0; }
    if (mip < 7) { return 2; }
    return 4;
}

// Sine and cosine along u, then along v; whole turns are taken off first.
fn bricks_waves(turns: vec2f) -> vec4f {
    let angle = (turns - floor(turns + 0.5)) * 6.2831855;
    return vec4f(bricks_sine(angle.x), bricks_cosine(angle.x), bricks_sine(angle.y), bricks_cosine(angle.y));
}

// What the latents around uv, 0 to 1, are decoded to.
fn bricks_decoded(uv: vec2f, mip: i32) -> bricks_channels {
    let level0 = bricks_level0(mip);
    let place0 = uv * vec2f(f32(level0.y), f32(level0.z)) - 0.5;
    let share0 = place0 - floor(place0);
    let x0 = bricks_around(i32(floor(place0.x)), level0.y, 3);
    let y0 = bricks_around(i32(floor(place0.y)), level0.z, 3 * level0.y);
    let latents0 = bricks_mixed(0, level0.x, 2, x0, y0, share0);
    let level1 = bricks_level1(mip);
    let place1 = uv * vec2f(f32(level1.y), f32(level1.z)) - 0.5;
    let share1 = place1 - floor(place1);
    let x1 = bricks_around(i32(floor(place1.x)), level1.y, 16);
    let y1 = bricks_around(i32(floor(place1.y)), level1.z, 16 * level1.y);
    let latents1 = bricks_mixed(819, level1.x, 2, x1, y1, share1);
    let latents2 = bricks_mixed(819, level1.x + 4, 2, x1, y1, share1);
    let latents3 = bricks_mixed(819, level1.x + 8, 2, x1, y1, share1);
    let latents4 = bricks_mixed(819, level1.x + 12, 2, x1, y1, share1);
    let level2 = bricks_level2(mip);
    let place2 = uv * vec2f(f32(level2.y), f32(level2.z)) - 0.5;
    let share2 = place2 - floor(place2);
    let x2 = bricks_around(i32(floor(place2.x)), level2.y, 7);
    let y2 = bricks_around(i32(floor(place2.y)), level2.z, 7 * level2.y);
    let latents5 = bricks_mixed(1911, level2.x, 4, x2, y2, share2);
    let latents6 = bricks_mixed(1911, level2.x + 4, 4, x2, y2, share2);
    let depth = mip - bricks_served(mip);
    let turns = uv * bricks_size(mip) * f32(1u << u32(depth)) / 8.0;
    let waves0 = bricks_waves(turns);
    let waves1 = bricks_waves(turns * 2.0);
    let waves2 = bricks_waves(turns * 4.0);
    // network 0
    var found: bricks_channels;
    found.c0 = clamp(decoded0, vec4f(0.0), vec4f(1.0));
    found.c1 = clamp(decoded1, vec4f(0.0), vec4f(1.0));
    return found;
}

// Return the channels of all maps, each 0 to 1, in column x and row y from above; beyond the border they are repeated.
// mip: 0 is the finest; beyond, the nearest
fn bricks_texel(x: i32, y: i32, mip: i32) -> bricks_channels {
    let level = clamp(mip, 0, 8);
    let size = bricks_size(level);
    let at = vec2f(f32(x), f32(y)) + 0.5;
    return bricks_decoded((at - size * floor(at / size)) / size, level);
}

// Return the channels of the four texels around uv, mixed as a texture's are.
// uv: u to the right, v down, 0 to 1; beyond it is repeated
// level: 0 is the finest; between two levels both are mixed
fn bricks_bilinear(uv: vec2f, level: f32) -> bricks_channels {
    let inside = clamp(level, 0.0, 8.0);
    let mip = i32(inside);
    let between = inside - f32(mip);
    var mixed: bricks_channels;
    mixed.c0 = vec4f(0.0);
    mixed.c1 = vec4f(0.0);
    for (var i = 0; i < min(8, 4 + 4 * i32(between > 0.0)); i++) {
        let coarser = i >> 2u;
        let place = (uv - floor(uv)) * bricks_size(mip + coarser) - 0.5;
        let first = floor(place);
        let share = place - first;
        let step = vec2f(f32(i & 1), f32((i >> 1u) & 1));
        let sides = abs(1.0 - step - share);
        let weight = sides.x * sides.y * abs(1.0 - f32(coarser) - between);
        let one = bricks_texel(i32(first.x + step.x), i32(first.y + step.y), mip + coarser);
        mixed.c0 += one.c0 * weight;
        mixed.c1 += one.c1 * weight;
    }
    return mixed;
}

// Return one of the texels that bricks_bilinear mixes, by their weights: its mean.
// u: three random numbers, 0 to below 1
fn bricks_stochastic(uv: vec2f, level: f32, u: vec3f) -> bricks_channels {
    let mip = i32(clamp(floor(level + u.z), 0.0, 8.0));
    let place = (uv - floor(uv)) * bricks_size(mip) - 0.5;
    let first = floor(place);
    let share = place - first;
    return bricks_texel(i32(first.x) + i32(u.x < share.x), i32(first.y) + i32(u.y < share.y), mip);
}

// Return the level whose texels are as large as the longer side of a footprint.
// dx: step of uv to the next pixel across, as dFdx has it; dy: down
fn bricks_level(dx: vec2f, dy: vec2f) -> f32 {
    let across = dx * vec2f(256.0, 256.0);
    let down = dy * vec2f(256.0, 256.0);
    let square = max(max(dot(across, across), dot(down, down)), 1.0);
    return 0.72134752 * log(square);
}

// Return the mean of 4 of bricks_bilinear in a footprint, of the level of half of it.
fn bricks_area(uv: vec2f, dx: vec2f, dy: vec2f) -> bricks_channels {
    let level = floor(bricks_level(dx * 0.5, dy * 0.5) + 0.5);
    var mean: bricks_channels;
    mean.c0 = vec4f(0.0);
    mean.c1 = vec4f(0.0);
    for (var i = 0; i < min(8, 4 + 4 * i32(level < 0.0)); i++) {
        let step = vec2f(f32(i & 1), f32((i >> 1u) & 1)) * 0.5 - 0.25;
        let one = bricks_bilinear(uv + dx * step.x + dy * step.y, level);
        mean.c0 += one.c0 * (0.25 * f32(i < 4));
        mean.c1 += one.c1 * (0.25 * f32(i < 4));
    }
    return mean;
}

// Return a color, sRGB-encoded, 0 to 1.
fn bricks_albedo(c: bricks_channels) -> vec3f { return c.c0.xyz; }
fn bricks_albedo_at(uv: vec2f, level: f32) -> vec3f { return bricks_albedo(bricks_bilinear(uv, level)); }

// Return a unit normal: x to the right, y up, z out of the surface.
fn bricks_normal(c: bricks_channels) -> vec3f {
    let xy = vec2f(c.c0.w, c.c1.x) * 2.0 + -1.0;
    return vec3f(xy, sqrt(max(1.0 - dot(xy, xy), 0.0)));
}
fn bricks_normal_at(uv: vec2f, level: f32) -> vec3f { return bricks_normal(bricks_bilinear(uv, level)); }
// Return as its file has it, 0 to 1.
fn bricks_roughness(c: bricks_channels) -> f32 { return c.c1.y; }
fn bricks_roughness_at(uv: vec2f, level: f32) -> f32 { return bricks_roughness(bricks_bilinear(uv, level)); }
// Return as its file has it, 0 to 1.
fn bricks_ao(c: bricks_channels) -> f32 { return c.c1.z; }
fn bricks_ao_at(uv: vec2f, level: f32) -> f32 { return bricks_ao(bricks_bilinear(uv, level)); }
// Return as its file has it, 0 to 1.
fn bricks_displacement(c: bricks_channels) -> f32 { return c.c1.w; }
fn bricks_displacement_at(uv: vec2f, level: f32) -> f32 { return bricks_displacement(bricks_bilinear(uv, level)); }

// Linear light of a channel that is sRGB-encoded.
fn bricks_light_of(x: f32) -> f32 {
    if (x <= 0.04045) { return max(x, 0.0) / 12.92; }
    return exp(2.4 * log((x + 0.055) / 1.055));
}

fn bricks_linear(c: vec3f) -> vec3f { return vec3f(bricks_light_of(c.x), bricks_light_of(c.y), bricks_light_of(c.z)); }

// Columns: albedo in linear light and opacity; normal and displacement; ambient occlusion, roughness and metallic; emission in linear light.
// uv: u to the right, v down
// level: 0 is the finest
fn bricks_maps(uv: vec2f, level: f32) -> mat4x4f {
    let at = bricks_bilinear(uv, level);
    let albedo_ = bricks_albedo(at);
    let normal_ = bricks_normal(at);
    let roughness_ = bricks_roughness(at);
    let ao_ = bricks_ao(at);
    let displacement_ = bricks_displacement(at);
    return mat4x4f(vec4f(bricks_linear(albedo_), 1.0), vec4f(normal_, displacement_), vec4f(ao_, roughness_, 0.0, 0.0), vec4f(vec3f(0.0), 0.0));
}

// Columns: where u grows, where v grows up, and the normal.
// normal: of length 1; all in one space
// px: step of the position to the next pixel across
// py: and to the next row
// ux: likewise of uv with v up
fn bricks_frame(normal: vec3f, px: vec3f, py: vec3f, ux: vec2f, uy: vec2f) -> mat3x3f {
    let turn = sign(ux.x * uy.y - ux.y * uy.x);
    let along = (px * uy.y - py * ux.y) * turn;
    let up = (py * ux.x - px * uy.x) * turn;
    let leaning = along - normal * dot(normal, along);
    let tangent = leaning * inverseSqrt(max(dot(leaning, leaning), 1e-30));
    let across = cross(normal, tangent);
    return mat3x3f(tangent, across * sign(dot(across, up)), normal);
}`, NETWORKS, numbers, 'wgsl');

/** The same in GLSL ES 3.00. */
export const glsl = withNetworks(`uint bricks_word(int i)
{
    int texel = i >> 2;
    return texelFetch(bricks_words, ivec2(texel & 255, texel / 256), 0)[i & 3];
}

struct bricks_channels {
    vec4 c0;
    vec4 c1;
};

vec4 bricks_hard_gelu(vec4 x) { return x * clamp(x / 3.0 + 0.5, vec4(0.0), vec4(1.0)); }
// Texels across and down.
vec2 bricks_size(int mip) { return vec2(float(max(int(256) >> uint(mip), 1)), float(max(int(256) >> uint(mip), 1))); }

// The latents before and after a position along one side, each times a stride. Around the border: before is -1 to size - 1.
ivec2 bricks_around(int before, int size, int stride) {
    return ivec2((before + size * max(-before, 0)) * stride, (before + 1 - size * max(before + 2 - size, 0)) * stride);
}

// Grid 0, 3 numbers of 2 bits each: its first number, latents across and down.
ivec3 bricks_level0(int mip) {
    if (mip < 5) return ivec3(0, 64, 64);
    if (mip < 7) return ivec3(12288, 16, 16);
    return ivec3(13056, 4, 4);
}

// Four numbers of so many bits from number index on, in words from first on.
vec4 bricks_codes(int first, int index, int bits) {
    int bit = (index & 31) * bits;
    int at = first + (index >> 5u) * bits + (bit >> 5u);
    uint shift = uint(bit & 31);
    uint w = (bricks_word(at) >> shift) | ((bricks_word(at + 1) << 1u) << (31u - shift));
    uint step = uint(bits);
    uint peak = (1u << step) - 1u;
    return vec4(float(w & peak), float((w >> (1u * step)) & peak), float((w >> (2u * step)) & peak), float((w >> (3u * step)) & peak));
}

vec4 bricks_mixed(int first, int index, int bits, ivec2 x, ivec2 y, vec2 share) {
    vec4 above = mix(bricks_codes(first, index + y.x + x.x, bits), bricks_codes(first, index + y.x + x.y, bits), share.x);
    vec4 below = mix(bricks_codes(first, index + y.y + x.x, bits), bricks_codes(first, index + y.y + x.y, bits), share.x);
    return mix(above, below, share.y);
}

// Grid 1, 16 numbers of 2 bits each: its first number, latents across and down.
ivec3 bricks_level1(int mip) {
    if (mip < 5) return ivec3(0, 32, 32);
    if (mip < 7) return ivec3(16384, 8, 8);
    return ivec3(17408, 2, 2);
}

// Grid 2, 7 numbers of 4 bits each: its first number, latents across and down.
ivec3 bricks_level2(int mip) {
    if (mip < 5) return ivec3(0, 16, 16);
    if (mip < 7) return ivec3(1792, 4, 4);
    return ivec3(1904, 1, 1);
}

// The finest mip that the same latents serve.
int bricks_served(int mip) {
    if (mip < 5) return 0;
    if (mip < 7) return 2;
    return 4;
}

// Sine and cosine along u, then along v; whole turns are taken off first.
vec4 bricks_waves(vec2 turns) {
    vec2 angle = (turns - floor(turns + 0.5)) * 6.2831855;
    return vec4(sin(angle.x), cos(angle.x), sin(angle.y), cos(angle.y));
}

// What the latents around uv, 0 to 1, are decoded to.
bricks_channels bricks_decoded(vec2 uv, int mip) {
    ivec3 level0 = bricks_level0(mip);
    vec2 place0 = uv * vec2(float(level0.y), float(level0.z)) - 0.5;
    vec2 share0 = place0 - floor(place0);
    ivec2 x0 = bricks_around(int(floor(place0.x)), level0.y, 3);
    ivec2 y0 = bricks_around(int(floor(place0.y)), level0.z, 3 * level0.y);
    vec4 latents0 = bricks_mixed(0, level0.x, 2, x0, y0, share0);
    ivec3 level1 = bricks_level1(mip);
    vec2 place1 = uv * vec2(float(level1.y), float(level1.z)) - 0.5;
    vec2 share1 = place1 - floor(place1);
    ivec2 x1 = bricks_around(int(floor(place1.x)), level1.y, 16);
    ivec2 y1 = bricks_around(int(floor(place1.y)), level1.z, 16 * level1.y);
    vec4 latents1 = bricks_mixed(819, level1.x, 2, x1, y1, share1);
    vec4 latents2 = bricks_mixed(819, level1.x + 4, 2, x1, y1, share1);
    vec4 latents3 = bricks_mixed(819, level1.x + 8, 2, x1, y1, share1);
    vec4 latents4 = bricks_mixed(819, level1.x + 12, 2, x1, y1, share1);
    ivec3 level2 = bricks_level2(mip);
    vec2 place2 = uv * vec2(float(level2.y), float(level2.z)) - 0.5;
    vec2 share2 = place2 - floor(place2);
    ivec2 x2 = bricks_around(int(floor(place2.x)), level2.y, 7);
    ivec2 y2 = bricks_around(int(floor(place2.y)), level2.z, 7 * level2.y);
    vec4 latents5 = bricks_mixed(1911, level2.x, 4, x2, y2, share2);
    vec4 latents6 = bricks_mixed(1911, level2.x + 4, 4, x2, y2, share2);
    int depth = mip - bricks_served(mip);
    vec2 turns = uv * bricks_size(mip) * float(1u << uint(depth)) / 8.0;
    vec4 waves0 = bricks_waves(turns);
    vec4 waves1 = bricks_waves(turns * 2.0);
    vec4 waves2 = bricks_waves(turns * 4.0);
    // network 0
    bricks_channels found;
    found.c0 = clamp(decoded0, vec4(0.0), vec4(1.0));
    found.c1 = clamp(decoded1, vec4(0.0), vec4(1.0));
    return found;
}

// Return the channels of all maps, each 0 to 1, in column x and row y from above; beyond the border they are repeated.
// mip: 0 is the finest; beyond, the nearest
bricks_channels bricks_texel(int x, int y, int mip) {
    int level = clamp(mip, 0, 8);
    vec2 size = bricks_size(level);
    vec2 at = vec2(float(x), float(y)) + 0.5;
    return bricks_decoded((at - size * floor(at / size)) / size, level);
}

// Return the channels of the four texels around uv, mixed as a texture's are.
// uv: u to the right, v down, 0 to 1; beyond it is repeated
// level: 0 is the finest; between two levels both are mixed
bricks_channels bricks_bilinear(vec2 uv, float level) {
    float inside = clamp(level, 0.0, 8.0);
    int mip = int(inside);
    float between = inside - float(mip);
    bricks_channels mixed;
    mixed.c0 = vec4(0.0);
    mixed.c1 = vec4(0.0);
    for (int i = 0; i < min(8, 4 + 4 * int(between > 0.0)); ++i) {
        int coarser = i >> 2u;
        vec2 place = (uv - floor(uv)) * bricks_size(mip + coarser) - 0.5;
        vec2 first = floor(place);
        vec2 share = place - first;
        vec2 step = vec2(float(i & 1), float((i >> 1u) & 1));
        vec2 sides = abs(1.0 - step - share);
        float weight = sides.x * sides.y * abs(1.0 - float(coarser) - between);
        bricks_channels one = bricks_texel(int(first.x + step.x), int(first.y + step.y), mip + coarser);
        mixed.c0 += one.c0 * weight;
        mixed.c1 += one.c1 * weight;
    }
    return mixed;
}

// Return one of the texels that bricks_bilinear mixes, by their weights: its mean.
// u: three random numbers, 0 to below 1
bricks_channels bricks_stochastic(vec2 uv, float level, vec3 u) {
    int mip = int(clamp(floor(level + u.z), 0.0, 8.0));
    vec2 place = (uv - floor(uv)) * bricks_size(mip) - 0.5;
    vec2 first = floor(place);
    vec2 share = place - first;
    return bricks_texel(int(first.x) + int(u.x < share.x), int(first.y) + int(u.y < share.y), mip);
}

// Return the level whose texels are as large as the longer side of a footprint.
// dx: step of uv to the next pixel across, as dFdx has it; dy: down
float bricks_level(vec2 dx, vec2 dy) {
    vec2 across = dx * vec2(256.0, 256.0);
    vec2 down = dy * vec2(256.0, 256.0);
    float square = max(max(dot(across, across), dot(down, down)), 1.0);
    return 0.72134752 * log(square);
}

// Return the mean of 4 of bricks_bilinear in a footprint, of the level of half of it.
bricks_channels bricks_area(vec2 uv, vec2 dx, vec2 dy) {
    float level = floor(bricks_level(dx * 0.5, dy * 0.5) + 0.5);
    bricks_channels mean;
    mean.c0 = vec4(0.0);
    mean.c1 = vec4(0.0);
    for (int i = 0; i < min(8, 4 + 4 * int(level < 0.0)); ++i) {
        vec2 step = vec2(float(i & 1), float((i >> 1u) & 1)) * 0.5 - 0.25;
        bricks_channels one = bricks_bilinear(uv + dx * step.x + dy * step.y, level);
        mean.c0 += one.c0 * (0.25 * float(i < 4));
        mean.c1 += one.c1 * (0.25 * float(i < 4));
    }
    return mean;
}

// Return a color, sRGB-encoded, 0 to 1.
vec3 bricks_albedo(bricks_channels c) { return c.c0.xyz; }
vec3 bricks_albedo_at(vec2 uv, float level) { return bricks_albedo(bricks_bilinear(uv, level)); }

// Return a unit normal: x to the right, y up, z out of the surface.
vec3 bricks_normal(bricks_channels c) {
    vec2 xy = vec2(c.c0.w, c.c1.x) * 2.0 + -1.0;
    return vec3(xy, sqrt(max(1.0 - dot(xy, xy), 0.0)));
}
vec3 bricks_normal_at(vec2 uv, float level) { return bricks_normal(bricks_bilinear(uv, level)); }
// Return as its file has it, 0 to 1.
float bricks_roughness(bricks_channels c) { return c.c1.y; }
float bricks_roughness_at(vec2 uv, float level) { return bricks_roughness(bricks_bilinear(uv, level)); }
// Return as its file has it, 0 to 1.
float bricks_ao(bricks_channels c) { return c.c1.z; }
float bricks_ao_at(vec2 uv, float level) { return bricks_ao(bricks_bilinear(uv, level)); }
// Return as its file has it, 0 to 1.
float bricks_displacement(bricks_channels c) { return c.c1.w; }
float bricks_displacement_at(vec2 uv, float level) { return bricks_displacement(bricks_bilinear(uv, level)); }

// Linear light of a channel that is sRGB-encoded.
float bricks_light_of(float x) {
    if (x <= 0.04045) return max(x, 0.0) / 12.92;
    return exp(2.4 * log((x + 0.055) / 1.055));
}

vec3 bricks_linear(vec3 c) { return vec3(bricks_light_of(c.x), bricks_light_of(c.y), bricks_light_of(c.z)); }

// Columns: albedo in linear light and opacity; normal and displacement; ambient occlusion, roughness and metallic; emission in linear light.
// uv: u to the right, v down
// level: 0 is the finest
mat4 bricks_maps(vec2 uv, float level) {
    bricks_channels at = bricks_bilinear(uv, level);
    vec3 albedo_ = bricks_albedo(at);
    vec3 normal_ = bricks_normal(at);
    float roughness_ = bricks_roughness(at);
    float ao_ = bricks_ao(at);
    float displacement_ = bricks_displacement(at);
    return mat4(vec4(bricks_linear(albedo_), 1.0), vec4(normal_, displacement_), vec4(ao_, roughness_, 0.0, 0.0), vec4(vec3(0.0), 0.0));
}

// Columns: where u grows, where v grows up, and the normal.
// normal: of length 1; all in one space
// px: step of the position to the next pixel across
// py: and to the next row
// ux: likewise of uv with v up
mat3 bricks_frame(vec3 normal, vec3 px, vec3 py, vec2 ux, vec2 uy) {
    float turn = sign(ux.x * uy.y - ux.y * uy.x);
    vec3 along = (px * uy.y - py * ux.y) * turn;
    vec3 up = (py * ux.x - px * uy.x) * turn;
    vec3 leaning = along - normal * dot(normal, along);
    vec3 tangent = leaning * inversesqrt(max(dot(leaning, leaning), 1e-30));
    vec3 across = cross(normal, tangent);
    return mat3(tangent, across * sign(dot(across, up)), normal);
}`, NETWORKS, numbers, 'glsl');
