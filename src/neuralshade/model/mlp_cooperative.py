"""Network weights in the layouts of cooperative vectors. Device half: mlp_cooperative.slang."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple, dataclass
from typing import Any

import numpy as np
import slangpy as spy

from neuralshade.base.did_you_mean import did_you_mean
from neuralshade.base.message_text import shown
from neuralshade.errors import ConfigError, DeviceError, ShapeError
from neuralshade.model.mlp import MLP
from neuralshade.model.parameters import SlangType

LAYOUTS = ("row_major", "training_optimal", "inferencing_optimal")
MATRIX_ALIGNMENT = 64  # bytes; required by VK_NV_cooperative_vector
HALF_BYTES = 2
USAGE = (
    spy.BufferUsage.shader_resource
    | spy.BufferUsage.unordered_access
    | spy.BufferUsage.copy_source
    | spy.BufferUsage.copy_destination
)


@dataclass(frozen=True)
class Block:
    """A matrix, or biases as a matrix of one row; the fields are those of the Slang struct."""

    first: int  # its first number in the portable layout
    rows: int
    columns: int
    padded_rows: int
    padded_columns: int
    place: int  # its first number in the filled-up row-major layout


@dataclass(frozen=True)
class Placement:
    """Location of the matrices and the biases of one network in a buffer, in bytes."""

    matrices: tuple[int, ...]
    biases: int
    byte_count: int

    def offsets(self) -> dict[str, int]:
        """Return the fields of the Slang struct ``CooperativeOffsets``."""
        first, second, third = (*self.matrices, 0, 0)[:3]
        stride = third - second if len(self.matrices) > 2 else 0
        return {"first": first, "second": second, "stride": stride, "biases": self.biases}


class RowPadding:
    """Copies a network's float16 numbers from the portable layout to filled-up rows and back.

    Every row count and row length is filled up to a multiple of 8 by zeros. ``placement``
    locates the matrices then, row-major. Runs on every device.

    Raises: ShapeError, by ``pad`` and ``unpad``, where ``portable`` is too short.
    """

    def __init__(self, device: spy.Device, network: MLP):
        shapes = [tuple(layer.weight.shape) for layer in network.members]
        self.shapes = [(padded(rows), padded(columns)) for rows, columns in shapes]
        sizes = [HALF_BYTES * rows * columns for rows, columns in self.shapes]
        self.bias = network.members[0].bias is not None
        self.placement = place(sizes, self.bias_bytes())
        self.blocks = list(self._blocks(shapes))
        self.number_count = sum(block.rows * block.columns for block in self.blocks)
        table = np.array([astuple(block) for block in self.blocks], np.uint32)
        self._table = device.create_buffer(data=table, usage=spy.BufferUsage.shader_resource)
        module = device.load_module("neuralshade/model/mlp_cooperative.cs.slang")
        self._pad, self._unpad = (
            device.create_compute_kernel(device.link_program([module], [module.entry_point(name)]))
            for name in ("pad", "unpad")
        )

    def bias_bytes(self) -> int:
        """Return how many bytes the filled-up biases of all layers take."""
        return HALF_BYTES * sum(rows for rows, _ in self.shapes) if self.bias else 0

    def pad(self, encoder: Any, portable: spy.Buffer, first: int, rows: spy.Buffer) -> None:
        """Record the copy of ``portable``, from its number ``first`` on, to ``rows``."""
        self._dispatch(self._pad, encoder, portable, first, rows)

    def unpad(self, encoder: Any, rows: spy.Buffer, portable: spy.Buffer, first: int) -> None:
        """Record the copy of ``rows`` to ``portable``, from its number ``first`` on."""
        self._dispatch(self._unpad, encoder, portable, first, rows)

    def _dispatch(
        self, kernel: Any, encoder: Any, portable: spy.Buffer, first: int, rows: spy.Buffer
    ) -> None:
        got, need = portable.size // HALF_BYTES, max(first, 0) + self.number_count
        if first < 0 or got < need:
            raise ShapeError(
                f"portable: got {got} numbers and first {first}, need {need} numbers and "
                "first >= 0. Pass the buffer that holds the network."
            )
        longest = max(block.padded_rows * block.padded_columns for block in self.blocks)
        variables = {
            "blocks": self._table,
            "portable": portable,
            "padded": rows,
            "network": first,
        }
        kernel.dispatch([longest, len(self.blocks), 1], vars=variables, command_encoder=encoder)

    def _blocks(self, shapes: Iterable[tuple[int, ...]]) -> Iterable[Block]:
        first, bias_place = 0, self.placement.biases // HALF_BYTES
        for (rows, columns), grown, byte in zip(
            shapes, self.shapes, self.placement.matrices, strict=True
        ):
            yield Block(first, rows, columns, *grown, byte // HALF_BYTES)
            first += rows * columns
            if self.bias:
                yield Block(first, 1, rows, 1, grown[0], bias_place)
                first, bias_place = first + rows, bias_place + grown[0]


class CooperativeWeights:
    """The numbers of one network on a device that has cooperative vectors.

    ``buffer`` is read by the Slang half at ``offsets()``. ``layout``:
    row_major; training_optimal or inferencing_optimal, which are the device's own.

    Raises: ConfigError for another layout; DeviceError where the device has no cooperative
        vectors.
    Source: the layouts are those of VK_NV_cooperative_vector; NVIDIA's RTXNS uses the three.
    """

    def __init__(self, device: spy.Device, network: MLP, layout: str = "inferencing_optimal"):
        self.layout, self._half = layout, cooperative_type(network, layout)
        check_cooperative(device)
        self._rows = RowPadding(device, network)
        self._placement = self._place(device)
        self.buffer = device.create_buffer(size=self._placement.byte_count, usage=USAGE)
        self._staging = self.buffer
        if layout != "row_major":
            size = self._rows.placement.byte_count
            self._staging = device.create_buffer(size=size, usage=USAGE)
        self._row_matrices = self._descriptions(device, "row_major", self._rows.placement)
        self._matrices = self._descriptions(device, layout, self._placement)

    def offsets(self) -> dict[str, int]:
        """Return ``CooperativeOffsets``, all in bytes of ``buffer``."""
        return self._placement.offsets()

    def slang(self) -> SlangType:
        """Return the Slang type of this network."""
        return self._half

    def load(self, encoder: spy.CommandEncoder, portable: spy.Buffer, first: int = 0) -> None:
        """Record the conversion of ``portable`` into ``buffer``.

        Args:
            portable: float16 [..], the network in the portable layout from number ``first``
                on: layer by layer weights [outputs, inputs], then biases, with nothing between.

        Raises: ShapeError where ``portable`` is too short.
        """
        self._rows.pad(encoder, portable, first, self._staging)
        if self._staging is not self.buffer:
            self._convert(encoder, self.buffer, self._matrices, self._staging, self._row_matrices)
            self._copy_biases(encoder, self.buffer, self._staging)

    def save(self, encoder: spy.CommandEncoder, portable: spy.Buffer, first: int = 0) -> None:
        """Record the conversion of ``buffer`` back; what ``load`` took, bit for bit.

        Raises: ShapeError where ``portable`` is too short.
        """
        if self._staging is not self.buffer:
            self._convert(encoder, self._staging, self._row_matrices, self.buffer, self._matrices)
            self._copy_biases(encoder, self._staging, self.buffer)
        self._rows.unpad(encoder, self._staging, portable, first)

    def _place(self, device: spy.Device) -> Placement:
        if self.layout == "row_major":
            return self._rows.placement
        kind, half = spy.CoopVecMatrixLayout[self.layout], spy.DataType.float16
        sizes = [device.get_coop_vec_matrix_size(*s, kind, half) for s in self._rows.shapes]
        return place(sizes, self._rows.bias_bytes())

    def _descriptions(self, device: spy.Device, layout: str, placement: Placement) -> list[Any]:
        kind, half = spy.CoopVecMatrixLayout[layout], spy.DataType.float16
        return [
            device.create_coop_vec_matrix_desc(rows, columns, kind, half, offset)
            for (rows, columns), offset in zip(self._rows.shapes, placement.matrices, strict=True)
        ]

    def _convert(self, encoder: Any, *to_and_from: Any) -> None:
        # SlangPy's own barriers name shader stages only; conversion is a stage of its own
        encoder.global_barrier()
        encoder.convert_coop_vec_matrices(*to_and_from)
        encoder.global_barrier()

    def _copy_biases(self, encoder: Any, into: spy.Buffer, source: spy.Buffer) -> None:
        if self._rows.bias:
            places = self._placement.biases, self._rows.placement.biases
            to, at = places if into is self.buffer else places[::-1]
            encoder.copy_buffer(into, to, source, at, self._rows.bias_bytes())


def cooperative_type(network: MLP, layout: str) -> SlangType:
    """Return the Slang type of ``network`` with matrices in this layout.

    Raises: ConfigError for a layout that is not one of LAYOUTS.
    """
    if layout not in LAYOUTS:
        hint = did_you_mean(layout, LAYOUTS) or " Use inferencing_optimal."
        choices = ", ".join(LAYOUTS)
        raise ConfigError(f"layout: got {shown(layout)}, need one of {choices}.{hint}")
    name = network.slang().type.replace("MLP<", "CooperativeMLP<", 1).removesuffix(">")
    enumerator = layout.title().replace("_", "")
    modules = {"neuralshade.model.activation", "neuralshade.model.mlp_cooperative"}
    return SlangType(f"{name}, CoopVecMatrixLayout.{enumerator}>", frozenset(modules))


def check_cooperative(device: spy.Device) -> None:
    """Raise DeviceError where ``device`` has no cooperative vectors."""
    if not device.has_feature(spy.Feature.cooperative_vector):
        raise DeviceError(
            f"device: got {device.info.adapter_name} without cooperative_vector, need it for "
            "CooperativeMLP. Use MLP, which runs everywhere."
        )


def padded(width: int) -> int:
    """Return ``width`` filled up to a multiple of 8 halves, which is 16 bytes."""
    return (width + 7) // 8 * 8


def place(matrix_sizes: Iterable[int], bias_bytes: int) -> Placement:
    """Place matrices of these sizes one after the other, then the biases; sizes in bytes."""
    places, end = [], 0
    for size in matrix_sizes:
        places.append(end)
        end = -(-(end + size) // MATRIX_ALIGNMENT) * MATRIX_ALIGNMENT
    return Placement(tuple(places), end, end + bias_bytes)
