"""GPU training engine of a user's task, in Slang."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.engine.kernels.step.step_state import RATES, STATE, StepState
from neuralshade.engine.step_queue import BEGINNING, StepQueue
from neuralshade.errors import ConfigError
from neuralshade.gpu.gpu import Buffer, Gpu, Kernel, Reader, Steps, run_once, run_steps
from neuralshade.kinds.shader.task import (
    CHANNELS,
    GROUP,
    VIEW,
    Task,
    levels_table,
    number_name,
    task_text,
    trained_table,
)
from neuralshade.model.input_pictures import packed_pictures
from neuralshade.source.crop import WHOLE, Crop

SUBMITTED_STEPS = 256  # recorded while the GPU runs those before
DRAWN_PIXELS = 1 << 20  # at once
FAULTS = 4  # words: count of faults, thread, step, number + 1
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class TaskTraining:
    """Training parameters of a task: threads of a step along each side, and Adam."""

    threads: tuple[int, int, int]
    betas: tuple[float, float] = (0.9, 0.99)
    epsilon: float = 1e-8
    seed: int = 0
    rate: float = 1.0  # factor for all members' step sizes

    @property
    def count(self) -> int:
        """Return the number of threads of a step."""
        x, y, z = self.threads
        return x * y * z


class ShaderEngine:
    """Runs steps of ``task`` on the GPU: gradient and Adam, in two dispatches.

    ``numbers`` and ``pictures`` (float32 [H, W, C]) are the values of untrained members;
    ``values`` float32 [task.count] the initial ones of trained members.

    Raises: KernelError with the compiler's whole output.
    """

    def __init__(
        self,
        gpu: Gpu,
        task: Task,
        training: TaskTraining,
        values: Floats,
        numbers: Mapping[str, float],
        pictures: Mapping[str, Floats],
    ):
        self.gpu, self.task, self.training = gpu, task, training
        self.groups = -(-training.count // GROUP)
        self._drawings: dict[int, tuple[Buffer, Buffer, Steps]] = {}
        places, packed = packed_pictures(pictures)
        self._text = task_text(task, numbers, places)
        self._bound = {
            "trained_numbers": gpu.buffer(values),
            "trained_gradients": gpu.buffer(size=4 * task.count),
            "input_numbers": gpu.buffer(packed),
            "faults": gpu.buffer(size=4 * FAULTS),
            "states": gpu.buffer(BEGINNING.pair()),
            "trained": gpu.buffer(trained_table(task.members)),
            "encoding_levels": gpu.buffer(levels_table(task.members)),
            "moments": gpu.buffer(size=8 * task.count),
            "group_losses": gpu.buffer(size=4 * self.groups),
        }
        rates = gpu.ring(np.float32, RATES)
        self.queue = StepQueue(gpu, self._bound["states"], rates, SUBMITTED_STEPS)
        self._faults = gpu.reader(self._bound["faults"], 4 * FAULTS)

    @cached_property
    def _gradient(self) -> Kernel:
        return self._kernel("task_gradient")

    @cached_property
    def _step(self) -> Steps:
        update = (self._kernel("task_update"), self._update_groups)
        return self.gpu.steps([(self._gradient, self.groups), update])

    @property
    def _update_groups(self) -> int:
        """Return the groups of an update: one thread a number, within the device's limit."""
        return min(-(-self.task.count // GROUP), self.gpu.most_groups)

    def _kernel(self, entry: str, **added: Any) -> Kernel:
        t = self.training
        adam = {"rate": t.rate, "beta1": t.betas[0], "beta2": t.betas[1], "epsilon": t.epsilon}
        variables = {
            **self._bound, "rate_ring": self.queue.rates, "adam": adam,
            "threads": np.array(t.threads, np.uint32), "seed": t.seed % 2**32,
            "count": self.task.count, "members": len(self.task.members),
            "loss_groups": self.groups, "update_groups": self._update_groups, **added,
        }  # fmt: skip
        if self.task.foreign:
            from neuralshade.kinds.shader.screening import check_kernel

            check_kernel(self._text, entry, self.task.place, self.task.folder)
        return self.gpu.kernel(
            self._text, entry, variables, fast_math=True, folder=self.task.folder
        )

    def prepare(self) -> None:
        """Compile the kernels of a step in advance.

        Raises: KernelError with the compiler's whole output.
        """
        _ = self._step

    def advance(self, rate_factors: Sequence[float]) -> float:
        """Run one step per factor of the step sizes; return the last step's mean loss.

        Raises: ConfigError where a loss or a gradient was not finite; the trained numbers stay
            as they were before that step.
        """
        state = self.queue.advance(rate_factors, partial(self.queue.send, self._step))
        fault = self._fault()
        if fault is not None:
            raise fault
        return state.loss

    def _fault(self) -> ConfigError | None:
        """Return the error for a loss or a gradient that was not finite."""
        times, thread, step, number = self._faults.read().view(np.uint32)[:FAULTS].tolist()
        if not times:
            return None
        x, y, _ = self.training.threads
        place = f"({thread % x}, {thread // x % y}, {thread // (x * y)})"
        what = "loss" if number == 0 else f"gradient of {self._name_of(number - 1)}"
        return ConfigError(
            f"{self.task.place}: got a {what} that is no number in step {step + 1}, thread "
            f"{place}, need finite ones. Guard divisions, roots and logarithms near 0, or lower "
            "the rates."
        )

    def _name_of(self, number: int) -> str:
        member = next(m for m in reversed(self.task.members) if m.first <= number)
        return number_name(member, number - member.first)

    @property
    def skipped(self) -> int:
        """Return how many steps changed nothing."""
        return self.queue.state.skipped

    def values(self) -> Floats:
        """Return the trained numbers: float32 [count]."""
        raw = self._bound["trained_numbers"].read().view(np.float32)
        return raw[: self.task.count].copy()

    def set_values(self, values: Floats) -> None:
        """Replace the trained numbers: float32 [count]."""
        self._write("trained_numbers", values)

    def set_value(self, index: int, value: float) -> None:
        """Replace one trained number."""
        self._write("trained_numbers", np.array([value], np.float32), 4 * index)

    def set_step(self, step: int) -> None:
        """Set the step that tasks and random numbers see; resets Adam's step count."""
        self.queue.restart(StepState(step, 0, 0, 0, 1.0))

    def _write(self, name: str, values: npt.NDArray[Any], first_byte: int = 0) -> None:
        commands = self.gpu.commands()
        commands.upload(self._bound[name], first_byte, values)
        commands.submit()

    @cached_property
    def _losses(self) -> tuple[Steps, Reader]:
        """Return the dispatch for each thread's loss, and the function that reads them."""
        losses = self.gpu.buffer(size=4 * self.training.count)
        kernel = self._kernel("task_losses", thread_losses=losses)
        reader = self.gpu.reader(losses, 4 * self.training.count)
        return self.gpu.steps([(kernel, self.groups)]), reader

    def losses(self) -> Floats:
        """Return the loss of each thread of the next step: float32 [threads]."""
        steps, reader = self._losses
        run_steps(self.gpu, steps)
        return reader.read().view(np.float32)[: self.training.count].copy()

    def gradient(self) -> Floats:
        """Return the gradient of the next step's mean loss without training: float32 [count].

        Raises: ConfigError where it is not finite.
        """
        run_once(self.gpu, [(self._gradient, self.groups)])
        gradients = self._bound["trained_gradients"]
        found = gradients.read().view(np.float32)[: self.task.count].copy()
        fault = self._fault()
        commands = self.gpu.commands()
        commands.clear(gradients)
        commands.clear(self._bound["faults"])
        commands.submit()
        if fault is not None:
            raise fault
        return found

    def draw(self, width: int, height: int, crop: Crop = WHOLE) -> Floats:
        """Return ``crop`` of the picture that the task renders: float32 [H, W, C].

        Raises: ConfigError for a task without render.
        """
        renders = self.task.renders
        if renders is None:
            raise ConfigError(f"{self.task.place}: got a Task without render(float2 uv), need it "
                              "for a picture. Write one that returns a color.")  # fmt: skip
        pixels = width * height
        size = min(1 << (pixels - 1).bit_length(), DRAWN_PIXELS)  # few sizes to compile for
        picture, seen, steps = self._drawing(size)
        drawn = np.empty((pixels, CHANNELS[renders]), np.float32)
        for first in range(0, pixels, size):
            commands = self.gpu.commands()
            view = (crop[:2], crop[2:], (width, height), first, 0)
            commands.upload(seen, 0, np.array([view], VIEW))
            commands.run(steps)
            commands.submit()
            colors = picture.read().view(np.float32)[: 4 * size].reshape(-1, 4)
            drawn[first : first + size] = colors[: pixels - first, : drawn.shape[1]]
        return drawn.reshape(height, width, -1)

    def _drawing(self, size: int) -> tuple[Buffer, Buffer, Steps]:
        """Return picture and view buffers and the dispatch for ``size`` pixels."""
        if size not in self._drawings:
            picture, seen = self.gpu.buffer(size=16 * size), self.gpu.buffer(size=VIEW.itemsize)
            kernel = self._kernel("task_picture", picture=picture, views=seen)
            steps = self.gpu.steps([(kernel, -(-size // GROUP))])
            self._drawings[size] = picture, seen, steps
        return self._drawings[size]

    def state(self) -> dict[str, torch.Tensor]:
        """Return everything that a restart needs besides the recipe, by name."""
        moments = self._bound["moments"].read().view(np.float32)[: 2 * self.task.count]
        return {
            "values": torch.from_numpy(self.values()),
            "moments": torch.from_numpy(moments.copy()),
            "step_state": self.queue.saved(),
        }

    def load_state(self, state: Mapping[str, torch.Tensor]) -> None:
        """Load what ``state`` returned."""
        values, moments = state["values"].numpy(), state["moments"].numpy()
        raw = state["step_state"].numpy()
        count = self.task.count
        if (values.shape, moments.shape, raw.nbytes) != ((count,), (2 * count,), STATE.itemsize):
            raise ValueError(f"got a state of other sizes than {count} numbers need")
        self._write("trained_numbers", values)
        self._write("moments", moments)
        self.queue.restart(StepState.of(raw))
