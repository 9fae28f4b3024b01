"""fitting/tensorboard: a fit's numbers and pictures, read back as TensorBoard reads them."""

import functools
import io
import json
import logging
import os
import signal
import sys
import time

import numpy as np
import pytest
from PIL import Image

import neuralshade
from neuralshade import FitInterrupted, FitOptions
from neuralshade.cli.main import main
from neuralshade.engine.torch_engine import TorchEngine
from neuralshade.errors import DeviceError, OutputError
from neuralshade.fitting.loop import Progress
from neuralshade.fitting.tensorboard import ERROR_SCALE, TensorBoard
from neuralshade.kinds.mipmaps.family import fit as fit_family
from neuralshade.kinds.mipmaps.family.role import Teacher
from neuralshade.kinds.mipmaps.family.training import FamilyTraining
from neuralshade.source.texture_set import TextureSet

STEPS = [1, 2, 3, 4, 5, 6, 8, 11, 16, 23, 30]  # snapshots of a fit of 30 steps


def fit(picture, tmp_path, settings, folder, **options):
    options = FitOptions(tensorboard=folder, **options)
    return neuralshade.fit_image(picture, tmp_path / "x.nsh", options=options, **settings)


def read(folder):
    """Return what TensorBoard makes of a folder, nothing left out."""
    accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    kept = {"images": 0, "scalars": 0, "tensors": 0}
    log = accumulator.EventAccumulator(str(folder), size_guidance=kept)
    log.Reload()
    return log


def pictures(log, tag):
    """Return uint8 [h, w, 3] by step."""
    found = {}
    for image in log.Images(tag):
        with Image.open(io.BytesIO(image.encoded_image_string)) as file:
            assert (image.height, image.width) == (file.height, file.width)
            found[image.step] = np.asarray(file)
    return found


def wait_for_another_name():
    """Files are read in the order of their names, which begin with the second."""
    time.sleep(1.01 - time.time() % 1)


def text(log, tag):
    *_, entry = log.Tensors(f"{tag}/text_summary")  # a new fit hides numbers and pictures alone
    lines = entry.tensor_proto.string_val[0].decode().splitlines()
    assert all(line.startswith("    ") for line in lines)  # code, as Markdown shows it
    return entry.step, json.loads("\n".join(lines))


def scalars(log, tag):
    return {entry.step: entry.value for entry in log.Scalars(tag)}


def test_numbers_and_texts(tmp_path, save_smooth, few):
    seen = []
    result = neuralshade.fit_image(
        save_smooth(), tmp_path / "x.nsh", options=FitOptions(tensorboard=tmp_path / "log"),
        observer=lambda p: seen.append((p.step, p.loss, p.samples_per_second)), **few,
    )  # fmt: skip
    log = read(tmp_path / "log")
    losses, speeds = scalars(log, "loss"), scalars(log, "samples_per_second")
    assert list(losses)[-1] == list(speeds)[-1] == 30
    for step, loss, speed in seen:
        if step in losses:
            assert losses[step] == pytest.approx(loss) and speeds[step] == pytest.approx(speed)
    assert result.loss == pytest.approx(losses[30])
    curve = neuralshade.info(tmp_path / "x.nsh")["training"]["curve"]
    assert scalars(log, "psnr_db")[curve[-1][0]] == pytest.approx(curve[-1][3])
    factors = scalars(log, "rate_factor")
    assert 0 < factors[30] <= 1 and factors.keys() == losses.keys()
    step, recipe = text(log, "recipe")
    assert (step, recipe["fit"], recipe["of"], recipe["engine"]) == (0, "image", "a.png", "torch")
    assert recipe["recipe"]["hidden_width"] == 8
    assert text(log, "result") == (30, vars(result))


def test_a_psnr_that_is_measured_after_the_last_numbers(tmp_path, save_smooth, few, monkeypatch):
    """On a slow machine each look is logged, the last one before the last measuring too."""
    monkeypatch.setattr("neuralshade.fitting.callback.Beat.is_due", lambda self, seconds: True)
    monkeypatch.setattr("neuralshade.fitting.loop.FIRST_MEASURE_SECONDS", 1e9)
    fit(save_smooth(), tmp_path, few, tmp_path / "log")
    log = read(tmp_path / "log")
    curve = neuralshade.info(tmp_path / "x.nsh")["training"]["curve"]
    assert scalars(log, "psnr_db") == pytest.approx({30: curve[-1][3]})
    assert [entry.step for entry in log.Scalars("loss")].count(30) == 1


def test_wall_times_are_those_of_the_fit(tmp_path, save_smooth, few):
    begin = time.time()
    fit(save_smooth(), tmp_path, few, tmp_path / "log")
    times = [entry.wall_time for entry in read(tmp_path / "log").Scalars("loss")]
    assert begin <= times[0] <= times[-1] <= time.time() and times == sorted(times)


def test_pictures(tmp_path, save_smooth, few):
    picture, folder = save_smooth(), tmp_path / "snaps"
    fit(picture, tmp_path, few, tmp_path / "runs/log", snapshots=folder)
    log = read(tmp_path / "runs/log")
    (target,) = pictures(log, "target").values()
    wanted = neuralshade.load_picture(picture).as_float()
    assert np.array_equal(target, np.rint(wanted * 255))
    results, errors = pictures(log, "result"), pictures(log, "error")
    assert list(results) == list(errors) == STEPS
    for step, drawn in results.items():
        snapshot = neuralshade.load_picture(folder / f"prediction_{step:07d}.png").as_float()
        np.testing.assert_allclose(drawn, snapshot * 255, atol=1)  # two roundings
        difference = drawn.astype(float) - target
        around_grey = (127.5 + ERROR_SCALE * difference).clip(0, 255)
        np.testing.assert_allclose(errors[step], around_grey, atol=1)
    assert np.abs(results[1].astype(int) - results[30]).mean() > 5


@pytest.mark.parametrize(
    "name, size", [("a.png", (700, 3)), ("a.exr", (9, 13)), ("grey.png", (8, 5))]
)
def test_any_picture(tmp_path, save_smooth, few, name, size):
    channels = 1 if name == "grey.png" else 3
    picture = save_smooth(name, *size, channels=channels, peak=9.0 if name == "a.exr" else 1.0)
    fit(picture, tmp_path, few | {"steps": 3}, tmp_path / "log")
    log = read(tmp_path / "log")
    shown = {tag: list(pictures(log, tag).values())[-1].shape for tag in ("target", "result")}
    height = min(size[0], 512)
    width = max(1, round(size[1] * height / size[0]))
    assert shown == {"target": (height, width, 3), "result": (height, width, 3)}
    if name == "a.exr":  # exposed to what is seen, not clamped to white
        (target,) = pictures(log, "target").values()
        assert (target < 200).mean() > 0.01 and target.max() > 200


def test_an_interrupted_fit_goes_on_in_its_folder(tmp_path, save_smooth, few, monkeypatch):
    picture, folder, steps = save_smooth(), tmp_path / "log", []
    advance = TorchEngine.advance

    def interrupted(self, factors):
        steps.extend(factors)
        if len(steps) >= 20:
            os.kill(os.getpid(), signal.SIGINT)
        return advance(self, factors)

    monkeypatch.setattr(TorchEngine, "advance", interrupted)
    with pytest.raises(FitInterrupted, match=f" --tensorboard {folder} --resume "):
        fit(picture, tmp_path, few | {"steps": 60}, folder)
    before = read(folder)  # closed: whole
    wait_for_another_name()
    monkeypatch.setattr(TorchEngine, "advance", advance)
    checkpoint = tmp_path / "x.checkpoint.nsh"
    fit(picture, tmp_path, {}, folder, resume=checkpoint)
    after = read(folder)
    losses = scalars(before, "loss")
    assert losses.items() <= scalars(after, "loss").items() and max(losses) >= 20
    assert list(scalars(after, "loss"))[-1] == 60
    assert list(pictures(after, "target")) == [0]
    drawn = pictures(before, "result").keys()
    assert drawn < pictures(after, "result").keys()
    assert len(list(folder.iterdir())) == 2


def test_a_resumed_fit_may_log_elsewhere(tmp_path, save_smooth, few, monkeypatch):
    def interrupted(self, factors):
        os.kill(os.getpid(), signal.SIGINT)
        return advance(self, factors)

    picture, advance = save_smooth(), TorchEngine.advance
    monkeypatch.setattr(TorchEngine, "advance", interrupted)
    with pytest.raises(FitInterrupted):
        fit(picture, tmp_path, few, None)
    monkeypatch.setattr(TorchEngine, "advance", advance)
    fit(picture, tmp_path, {}, tmp_path / "new", resume=tmp_path / "x.checkpoint.nsh")
    log = read(tmp_path / "new")
    assert list(pictures(log, "target")) == [0] and text(log, "recipe")[0] == 0


def test_a_new_fit_hides_an_old_one(tmp_path, save_smooth, few):
    picture, folder = save_smooth(), tmp_path / "log"
    fit(picture, tmp_path, few | {"steps": 40}, folder)
    wait_for_another_name()
    fit(picture, tmp_path, few | {"steps": 5, "seed": 9}, folder)
    log = read(folder)
    assert list(scalars(log, "loss"))[-1] == 5
    assert list(pictures(log, "result")) == [1, 2, 3, 4, 5]
    assert text(log, "recipe")[1]["recipe"]["seed"] == 9
    assert len(list(folder.iterdir())) == 2  # nothing is deleted


def test_a_task_has_numbers_and_its_picture(tmp_path, tint, values_of):
    neuralshade.fit_shader(tint, tmp_path / "x.nsh", values=values_of(), steps=20, threads="64",
                           options=FitOptions(tensorboard=tmp_path / "log"))  # fmt: skip
    log = read(tmp_path / "log")
    assert log.Tags()["images"] == ["result"]
    assert set(log.Tags()["scalars"]) == {"loss", "samples_per_second", "rate_factor"}
    assert text(log, "result")[1]["members"]["map"] == {"shape": [3, 5, 3]}


def test_a_task_without_a_picture_has_numbers(tmp_path, tint, values_of):
    source = tint.read_text()
    tint.write_text(source[: source.index("    float3 render")] + "}\n")
    neuralshade.fit_shader(tint, tmp_path / "x.nsh", values=values_of(), steps=20, threads="64",
                           options=FitOptions(tensorboard=tmp_path / "log"))  # fmt: skip
    log = read(tmp_path / "log")
    assert log.Tags()["images"] == []
    assert list(scalars(log, "loss"))[-1] == 20


@pytest.mark.slow  # a family is trained for one look at its folders
def test_sets_of_a_family_have_a_folder_each(tmp_path, monkeypatch):
    hasty = functools.partial(Teacher, training=FamilyTraining(steps=4, batch=64))
    monkeypatch.setattr(fit_family, "Teacher", hasty)
    monkeypatch.chdir(tmp_path)
    ones = np.ones((8, 8), np.float32)
    bumps = np.float32(np.random.default_rng(0).normal(0, 0.2, (8, 8)))
    normal = np.dstack([bumps, bumps.T, ones])
    normal /= np.linalg.norm(normal, axis=2, keepdims=True)
    sets = [TextureSet(name, np.dstack([ones] * 3), normal, ones, ones, None, {}, ())
            for name in ("bark", "moss")]  # fmt: skip
    options = FitOptions(tensorboard=tmp_path / "log")
    few = {"steps": 4, "pool": 4, "pairs": 4}
    neuralshade.fit_mipmaps_family(sets, "family.nsh", options=options, **few)
    for name in ("bark", "moss"):
        log = read(tmp_path / "log" / name)
        assert list(scalars(log, "loss"))[-1] == 4
        assert text(log, "recipe")[1]["of"] == name


def test_a_folder_that_takes_no_more_is_told_of_once(
    tmp_path, save_smooth, few, caplog, capfd, small_disk, fill, monkeypatch
):
    advance = TorchEngine.advance

    def filling(self, factors):
        fill(small_disk)
        return advance(self, factors)

    monkeypatch.setattr(TorchEngine, "advance", filling)
    with caplog.at_level(logging.WARNING, "neuralshade"):
        result = fit(save_smooth(), tmp_path, few, small_disk / "log")
    assert result.steps == 30 and (tmp_path / "x.nsh").exists()
    assert caplog.messages == [
        f"tensorboard: got 'No space left on device' from {small_disk / 'log'}, need room for a "
        "log. The fit goes on without."
    ]
    assert "Traceback" not in "".join(capfd.readouterr())  # no thread has died beside


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names are text")
def test_a_folder_whose_name_is_no_text(tmp_path, save_smooth, few):
    folder = tmp_path / os.fsdecode(b"\xe4\xff")
    fit(save_smooth(), tmp_path, few | {"steps": 3}, folder)
    assert list(scalars(read(folder.rename(tmp_path / "log")), "loss"))[-1] == 3


def test_what_goes_wrong_beside_the_fit_is_raised(tmp_path):
    picture = neuralshade.picture_from_array(np.zeros((4, 4, 3), np.uint8))
    board = TensorBoard(tmp_path, picture)
    board.take(1, "no picture")
    with pytest.raises(AttributeError):
        board.close()


def test_refusals(tmp_path, save_smooth, few, refusal):
    picture, file = save_smooth(), tmp_path / "file"
    file.write_text("")
    assert refusal(OutputError, fit, picture, tmp_path, few, file) == (
        f"{file}: got a file, need a folder for TensorBoard. Choose another."
    )
    asset = tmp_path / "x.nsh"
    assert refusal(OutputError, fit, picture, tmp_path, few, asset) == (
        f"{asset}: got the path of the asset for the tensorboard too, need one for each. Choose "
        "another path."
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "torch.utils.tensorboard", None)
        message = refusal(DeviceError, fit, picture, tmp_path, few, tmp_path / "log")
    assert message == (
        f"{tmp_path / 'log'}: got no package tensorboard (import of torch.utils.tensorboard "
        "halted; None in sys.modules), need it for a log. Run: pip install "
        '"neuralshade[tensorboard]", or leave --tensorboard out.'
    )
    assert not (tmp_path / "log").exists() and not asset.exists()


def test_command_line(tmp_path, save_smooth):
    words = ["--steps", "3", "--quiet", "--tensorboard", str(tmp_path / "log")]
    main(["fit", "image", str(save_smooth()), "-o", str(tmp_path / "x.nsh"), *words])
    assert list(scalars(read(tmp_path / "log"), "loss"))[-1] == 3


def test_numbers_are_a_few_a_second_at_most():
    board, p, due = TensorBoard("unused", None), Progress(), []
    board._add_numbers = lambda p: due.append(p.seconds)
    for tenth in range(100_000):  # almost three hours
        p.seconds = tenth / 10
        board.observe(p)
    assert sum(second < 10 for second in due) <= 40
    assert len(due) < 3000
    assert due[-1] - due[-2] == pytest.approx(10, abs=0.11)
