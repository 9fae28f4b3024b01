"""Form of a parameter in a file, by its shape and bits."""

from neuralshade.asset.schema import Form

SCALE = ".scale"  # suffix of the steps that belong to a quantized tensor


def stored_form(name: str, shape: tuple[int, ...], bits: int) -> dict[str, Form]:
    """Return dtype and shape of a parameter, and of its steps if it is quantized.

    ``shape``: of a quantized one with the axis first that has steps of its own.
    """
    if bits >= 16:
        return {name: ("float16" if bits == 16 else "float32", shape)}
    *outer, count = shape
    width = (count + 1) // 2 if bits == 4 else count
    return {name: ("uint8" if bits == 4 else "int8", (*outer, width)),
            name + SCALE: ("float32", shape[:1])}  # fmt: skip
