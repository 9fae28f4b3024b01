/** Typed arrays of packed bytes, which packing.py writes. */

export async function unpacked(bytes) {
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
    const taken = (length) => bytes.subarray(at, at += length);
    const heads = Array.from({length: number()}, () => {
        const Type = [Uint8Array, Uint32Array, Float32Array][number()], layout = number();
        const count = number(), width = Type.BYTES_PER_ELEMENT, step = layout & 1 ? width : 1;
        const lengths = Array.from({length: step}, number);
        return {Type, layout, size: count * width, step, lengths};
    });
    const filled = async ({Type, layout, size, step, lengths}) => {
        const content = new Uint8Array(size), streams = lengths.map(taken);
        await Promise.all(streams.map(async (stream, place) => {
            if (stream.length < size / step) stream = await inflated(stream);
            for (let i = 0; i < stream.length; i++) content[i * step + place] = stream[i];
        }));
        const array = new Type(content.buffer);
        if (layout & 2) for (let i = 1; i < array.length; i++) array[i] += array[i - 1];
        return array;
    };
    return Promise.all(heads.map(filled));
}

export async function inflated(stream) {
    const raw = new Blob([stream]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return new Uint8Array(await new Response(raw).arrayBuffer());
}
