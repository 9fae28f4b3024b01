"""Evaluation of assets at positions, as functions and as PyTorch modules."""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar

from neuralshade.base.lazy_import import import_object
from neuralshade.errors import AssetError, ShapeError
from neuralshade.kinds.hints import Module, ShaderForm, Tensor, TorchDevice

PLACE = 2  # numbers of a position: u and v


class AtPositions:
    """Evaluation at positions, for assets whose kind has a ``module``."""

    path: Any  # both are the asset's
    kind: ClassVar[Any]

    def module(self) -> Module:
        """Return it as a module of PyTorch at positions, with its own numbers.

        Raises: AssetError for a kind without one.
        """
        if self.kind.evaluated is None:
            raise AssetError(f"{self.path}: got an asset of kind {self.kind.name!r}, which is not "
                             "evaluated at positions in PyTorch, need one of fit image, fit "
                             "textures or fit material. Draw it.")  # fmt: skip
        module: Module = import_object(self.kind.evaluated)(self)
        return module

    def shader(self, name: str = "asset") -> ShaderForm:
        """Return it as functions of a shading language, with names that begin with ``name``.

        ``name``: an identifier.

        Raises: AssetError where it has no such form; ConfigError for encodings and activations of
            other packages.
        """
        if self.kind.shaders is None:
            raise AssetError(f"{self.path}: got an asset of kind {self.kind.name!r}, which is no "
                             "function that a shader calls, need another.")  # fmt: skip
        form: ShaderForm = import_object(self.kind.shaders)(self, name)
        return form

    def at(self, positions: Any, **how: Any) -> Any:
        """Return its values at ``positions``: float [..., 2], u to the right and v down.

        The result has the same leading axes, and channels in place of the last one. For a torch
        tensor it is computed by PyTorch on its device and is a tensor; for anything else that
        NumPy accepts, NumPy arrays. ``how``: further arguments of the module's ``forward``.
        Gradients reach a tensor of positions if the module's do, never the stored numbers: for
        those use ``module``. For Vulkan, and faster on a GPU: ``GpuField``.

        Raises: ShapeError for another shape, or numbers that are no floats or not finite;
            AssetError where the asset has no ``module``.
        """
        import torch

        tensor = _tensor_of(positions)
        how = {name: torch.from_numpy(value) if hasattr(value, "__array_interface__") else value
               for name, value in how.items()}  # fmt: skip
        if not torch.isfinite(tensor).all():
            raise ShapeError("at.positions: got NaN or infinity, need finite numbers. Replace them "
                             "first.")  # fmt: skip
        if isinstance(positions, torch.Tensor):
            return self._found(tensor, how)
        with torch.no_grad():
            found = self._found(tensor, how)
        if isinstance(found, dict):
            return {name: values.numpy() for name, values in found.items()}
        return found.numpy()

    def _found(self, tensor: Tensor, how: dict[str, Any]) -> Any:
        """Return the module's values at positions of any shape: it takes rows of them."""
        module, before = self._module_on(tensor.device), tensor.shape[:-1]
        if tensor.dim() < 3 or tensor.shape[-1] != PLACE:  # the module refuses invalid ones
            return module(tensor, **how)
        many = tensor.dim() - 1  # axes that other arguments may share
        listed = {name: value.flatten(0, many - 1) if getattr(value, "shape", ())[:many] == before
                  else value for name, value in how.items()}  # fmt: skip
        found = module(tensor.flatten(0, -2), **listed)
        if isinstance(found, dict):
            return {name: values.unflatten(0, before) for name, values in found.items()}
        return found.unflatten(0, before)

    @cached_property
    def _modules(self) -> dict[TorchDevice, Module]:
        return {}

    def _module_on(self, device: TorchDevice) -> Module:
        """Return the module cached for the device, its numbers fixed."""
        if device not in self._modules:
            self._modules[device] = self.module().requires_grad_(False).to(device)
        return self._modules[device]


def _tensor_of(positions: Any) -> Tensor:
    """Return float32 numbers: a tensor on its device, or others on the CPU."""
    import numpy as np
    import torch

    if isinstance(positions, torch.Tensor):
        if not positions.is_floating_point():
            raise ShapeError(f"at.positions: got {positions.dtype}, need floats. Pass "
                             "positions.float().")  # fmt: skip
        return positions.float()
    try:
        return torch.from_numpy(np.array(positions, np.float32))
    except (TypeError, ValueError) as error:
        raise ShapeError(f"at.positions: got no numbers ({error}), need floats [..., 2]. Pass an "
                         "array or a list of pairs.") from error  # fmt: skip
