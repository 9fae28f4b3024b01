(facts) => ([place, ...columns]) => {
    // Words of splats_shader: numbers of Gaussians as shader.py has them, then shader_lists.py's.
    const {first, step, below, channels, width, height, cutoff, cell, slack} = facts;
    const count = place.length, stride = 5 + channels + (facts.opacity > 0);
    const across = Math.ceil(width / cell), down = Math.ceil(height / cell);
    const even = (bits) => {
        bits &= 0x55555555;
        bits = (bits | bits >>> 1) & 0x33333333;
        bits = (bits | bits >>> 2) & 0x0f0f0f0f;
        bits = (bits | bits >>> 4) & 0x00ff00ff;
        return (bits | bits >>> 8) & 0xffff;
    };
    const level = (a, i) => a > 1 ? columns[a][i]
        : even(place[i] >>> a) * 2 ** below + columns[a][i];
    const numbers = new Float32Array(count * stride), lists = [];
    for (let list = 0; list < across * down; list++) lists.push([]);
    const clamped = (x, low, high) => Math.min(Math.max(x, low), high);
    for (let i = 0; i < count; i++) {
        const values = first.map((start, a) => Math.fround((start + level(a, i)) * step[a]));
        const [x, y, logWidth, logHeight, shear, ...colors] = values;
        const thin = Math.exp(-logWidth), flat = Math.exp(-logHeight);
        if (channels > 2) {
            const [luma, orange, green] = colors;
            colors.splice(0, 3, luma - green + orange, luma + green, luma - green - orange);
        }
        if (facts.opacity) {
            colors[channels] = facts.opacity * (1 / (1 + Math.exp(-colors[channels])));
        }
        numbers.set([x, y, thin, flat, shear, ...colors], i * stride);

        const squared = (x, y) => {
            const u = x * thin, v = y * flat - shear * u;
            return u * u + v * v;
        };
        const meets = (left, top) => {
            const right = left + cell, bottom = top + cell;
            if (left <= 0 && right >= 0 && top <= 0 && bottom >= 0) return true;
            const beside = [left, right].map((x) =>
                squared(x, clamped(shear * x * thin / flat, top, bottom)));
            const above = [top, bottom].map((y) =>
                squared(clamped(shear * y * flat / ((1 + shear * shear) * thin), left, right), y));
            return Math.min(...beside, ...above) < cutoff * cutoff * (1 + slack);
        };
        const reach = (deviation) => cutoff * deviation * (1 + slack);
        const ends = (center, deviation, most) => [
            clamped(Math.floor((center - reach(deviation)) / cell), 0, most),
            clamped(Math.floor((center + reach(deviation)) / cell) + 1, 0, most)];
        const [left, right] = ends(x, Math.exp(logWidth), across);
        const [top, bottom] = ends(y, Math.exp(logHeight) * Math.sqrt(1 + shear * shear), down);
        for (let row = top; row < bottom; row++) {
            for (let column = left; column < right; column++) {
                if (meets(column * cell - x, row * cell - y)) lists[row * across + column].push(i);
            }
        }
    }
    const total = lists.reduce((sum, list) => sum + list.length, 0), short = count <= facts.short;
    const firsts = numbers.length, after = firsts + lists.length + 1;
    const words = new Uint32Array(after + (short ? Math.ceil(total / 2) : total));
    words.set(new Uint32Array(numbers.buffer));
    const listed = short ? new Uint16Array(words.buffer, 4 * after) : words.subarray(after);
    let at = 0;
    lists.forEach((list, index) => {
        listed.set(list, at);
        words[firsts + 1 + index] = at += list.length;
    });
    return words;
}
