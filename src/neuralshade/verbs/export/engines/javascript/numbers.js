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
