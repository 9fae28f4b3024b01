"""fitting/tensorboard: a fit's numbers and pictures, read back as TensorBoard reads them."""

import time

import numpy as np
import pytest
from fixtures.tensorboard_logs import fit, pictures, read, scalars, text

import neuralshade
from neuralshade import FitOptions
from neuralshade.cli.main import main
from neuralshade.fitting.facts import result_facts
from neuralshade.fitting.loop import Progress
from neuralshade.fitting.tensorboard import ERROR_SCALE, TensorBoard

STEPS = [1, 2, 3, 4, 5, 6, 8, 11, 16, 23, 30]  # snapshots of a fit of 30 steps


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
    assert text(log, "result") == (30, result_facts(result))


def test_a_psnr_that_is_measured_after_the_last_numbers(tmp_path, save_smooth, few, monkeypatch):
    """On a slow machine each look is logged, the last one before the last measuring too."""
    monkeypatch.setattr("neuralshade.fitting.callback.Tick.is_due", lambda self, seconds: True)
    monkeypatch.setattr("neuralshade.fitting.loop.FIRST_MEASURE_SECONDS", 1e9)
    fit(save_smooth(), tmp_path, few, tmp_path / "log")
    log = read(tmp_path / "log")
    curve = neuralshade.info(tmp_path / "x.nsh")["training"]["curve"]
    assert scalars(log, "psnr_db") == pytest.approx({30: curve[-1][3]})
    assert [entry.step for entry in log.Scalars("loss")].count(30) == 1


def test_a_step_has_one_psnr(tmp_path, save_smooth, few, monkeypatch):
    """The last one the file's, though one was measured there on the way."""
    monkeypatch.setattr("neuralshade.fitting.callback.Tick.is_due", lambda self, seconds: True)
    monkeypatch.setattr("neuralshade.fitting.loop.Loop._is_measure_due", lambda *given: True)
    fit(save_smooth(), tmp_path, few, tmp_path / "log")
    log = read(tmp_path / "log")
    curve = neuralshade.info(tmp_path / "x.nsh")["training"]["curve"]
    steps = [entry.step for entry in log.Scalars("psnr_db")]
    assert len(steps) > 2 and steps == sorted(set(steps))
    assert scalars(log, "psnr_db")[30] == pytest.approx(curve[-1][3])


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


@pytest.mark.slow
def test_a_task_has_numbers_and_its_picture(tmp_path, tint, values_of):
    neuralshade.fit_shader(tint, tmp_path / "x.nsh", values=values_of(), steps=20, threads="64",
                           options=FitOptions(tensorboard=tmp_path / "log"))  # fmt: skip
    log = read(tmp_path / "log")
    assert log.Tags()["images"] == ["result"]
    assert set(log.Tags()["scalars"]) == {"loss", "samples_per_second", "rate_factor"}
    assert text(log, "result")[1]["members"]["map"] == {"shape": [3, 5, 3]}


@pytest.mark.slow
def test_a_task_without_a_picture_has_numbers(tmp_path, tint, values_of):
    source = tint.read_text()
    tint.write_text(source[: source.index("    float3 render")] + "}\n")
    neuralshade.fit_shader(tint, tmp_path / "x.nsh", values=values_of(), steps=20, threads="64",
                           options=FitOptions(tensorboard=tmp_path / "log"))  # fmt: skip
    log = read(tmp_path / "log")
    assert log.Tags()["images"] == []
    assert list(scalars(log, "loss"))[-1] == 20


def test_what_goes_wrong_beside_the_fit_is_raised(tmp_path):
    picture = neuralshade.picture_from_array(np.zeros((4, 4, 3), np.uint8))
    board = TensorBoard(tmp_path, picture)
    board.take(1, "no picture")
    with pytest.raises(AttributeError):
        board.close()


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
