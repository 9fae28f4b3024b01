"""WGSL of every kind in Chromium's WebGPU, whose compiler is Tint: taken without a word, right."""

from contextlib import ExitStack

import numpy as np
import pytest
from fixtures.browsers import chromium
from fixtures.small_kinds import ASSETS, DATA

from neuralshade.kinds import all_kinds, open_asset
from neuralshade.languages.harness import GROUP, function_of, harness
from neuralshade.languages.printers import printer_of
from neuralshade.verbs.export.check.timed_rows import error_of

pytestmark = [pytest.mark.slow]
FLAGS = ["--no-sandbox", "--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader",
         "--enable-features=Vulkan", "--use-vulkan=swiftshader",
         "--use-angle=swiftshader"]  # fmt: skip
KINDS = [kind.name for kind in all_kinds() if kind.shaders is not None and kind.name != "shader"]
LOOSER = 5  # times what functions may be off elsewhere: Tint fuses products and sums
RUN = """async ({text, entry, words, rows, count, results, group}) => {
    const adapter = await navigator.gpu?.requestAdapter();
    if (!adapter) return null;
    const device = await adapter.requestDevice(), made = GPUBufferUsage;
    const errors = [];
    device.onuncapturederror = (event) => errors.push(event.error.message);
    const module = device.createShaderModule({code: text});
    const said = (await module.getCompilationInfo()).messages;
    errors.push(...said.map((one) => `${one.lineNum}: ${one.message}`));
    const filled = (values, usage) => {
        const buffer = device.createBuffer({size: Math.max(4, values.byteLength), usage,
                                            mappedAtCreation: true});
        new values.constructor(buffer.getMappedRange()).set(values);
        buffer.unmap();
        return buffer;
    };
    const answers = device.createBuffer({size: 4 * count * results,
                                         usage: made.STORAGE | made.COPY_SRC});
    const groups = [
        words.length ? [filled(new Uint32Array(words), made.STORAGE)] : [],
        [filled(new Float32Array(rows), made.STORAGE), answers],
    ];
    const layouts = groups.map((buffers) => device.createBindGroupLayout({
        entries: buffers.map((buffer, binding) => ({
            binding, visibility: GPUShaderStage.COMPUTE,
            buffer: {type: buffer === answers ? "storage" : "read-only-storage"},
        })),
    }));
    const layout = device.createPipelineLayout({bindGroupLayouts: layouts});
    const pipeline = await device.createComputePipelineAsync(
        {layout, compute: {module, entryPoint: entry}});
    const commands = device.createCommandEncoder(), pass = commands.beginComputePass();
    pass.setPipeline(pipeline);
    groups.forEach((buffers, index) => pass.setBindGroup(index, device.createBindGroup({
        layout: layouts[index],
        entries: buffers.map((buffer, binding) => ({binding, resource: {buffer}})),
    })));
    pass.dispatchWorkgroups(Math.ceil(count / group));
    pass.end();
    const read = device.createBuffer({size: answers.size, usage: made.MAP_READ | made.COPY_DST});
    commands.copyBufferToBuffer(answers, 0, read, 0, answers.size);
    device.queue.submit([commands.finish()]);
    await read.mapAsync(GPUMapMode.READ);
    const found = Array.from(new Float32Array(read.getMappedRange()));
    device.destroy();
    return {found, errors};
}"""


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    blank = tmp_path_factory.mktemp("page") / "blank.html"  # WebGPU is for secure places alone
    blank.write_text("<!doctype html><title>blank</title>")
    with chromium(*FLAGS) as browser:
        page = browser.new_page()
        page.goto(blank.as_uri())
        if not page.evaluate("async () => !!await navigator.gpu?.requestAdapter()"):
            pytest.skip("this browser has no adapter of WebGPU, not even in software")
        yield page


@pytest.fixture(scope="module")
def forms():
    with ExitStack() as held:
        yield {kind: held.enter_context(open_asset(DATA / ASSETS[kind])).shader("photo")
               for kind in KINDS}  # fmt: skip


def answers(page, printer, golden):
    """Return what a function answers in the browser, and what the browser said besides."""
    program = harness(printer, function_of(printer.form, golden))
    told = page.evaluate(RUN, {
        "text": program.text, "entry": program.entry, "words": printer.words.tolist(),
        "rows": golden.inputs.ravel().tolist(), "count": len(golden.inputs),
        "results": program.results, "group": GROUP,
    })  # fmt: skip
    assert told is not None
    return np.array(told["found"], np.float32).reshape(len(golden.inputs), -1), told["errors"]


@pytest.mark.parametrize("in_text", [True, False], ids=["text", "buffer"])
@pytest.mark.parametrize("kind", KINDS)
def test_chromium_answers_as_the_asset_does(page, forms, kind, in_text):
    printer = printer_of(forms[kind], "wgsl", in_text)
    if printer.form.textures:
        pytest.skip("this page binds no textures")
    for golden in printer.form.golden:
        found, errors = answers(page, printer, golden)
        assert not errors, (golden.function, errors)
        looser = LOOSER if golden.relative_to is None else 1
        off = error_of(golden, found)
        assert off <= looser * golden.tolerance, (golden.function, off)


def test_chromium_says_what_it_refuses(page, forms):
    printer = printer_of(forms["image"], "wgsl", True)
    object.__setattr__(printer, "text", lambda made=printer.text: made() + "\nfn broken(\n")
    with pytest.raises(Exception, match="Invalid ShaderModule"):
        answers(page, printer, printer.form.golden[0])
