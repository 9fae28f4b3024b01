"""Schema of the header and tensors of a user's task."""

from __future__ import annotations

import math

from neuralshade.asset.asset import REMEDY, Asset
from neuralshade.asset.rules import DIGEST, TRAINING
from neuralshade.asset.schema import AnyOf, Boolean, Form, ListOf, MapOf, Number, ObjectOf, Text
from neuralshade.base.message_text import named
from neuralshade.errors import AssetError

LINES = Text(longest=math.inf)  # limited by the file's size alone
VALUE = AnyOf((Number(), Boolean(), ListOf(Number(1, 2**24, whole=True), 2, 2)),
              "a number, or width and height")  # fmt: skip
RULES = {
    "module": ObjectOf(
        {"name": Text(), "text": LINES, "values": MapOf(VALUE),
         "pictures": MapOf(ObjectOf({"path": Text(or_none=True), "digest": DIGEST}))},
        {"files": MapOf(LINES)},
    ),
    "training": TRAINING,
    "quality": ObjectOf({"loss": Number()}),
}  # fmt: skip


def member_forms(asset: Asset) -> dict[str, Form]:
    """Return the forms of trained members: float32, any count; textures by their sizes.

    Raises: AssetError for a name that is no member's, or a member without numbers.
    """
    values, forms = asset.header.own["module"]["values"], {}
    for name, tensor in asset.tensors.items():
        if not name.isidentifier() or not tensor.size:
            raise AssetError(f"{asset.path}: got a tensor {named(name)} of {tensor.size} numbers, "
                             f"need those of a member. {REMEDY}")  # fmt: skip
        size, shape = values.get(f"{name}.size"), tensor.shape
        if isinstance(size, list) and len(shape) == 3:
            shape = (size[1], size[0], min(4, shape[2]))
        elif size is not None:
            raise AssetError(f"{asset.path}: got module.values.{name}.size beside other numbers "
                             f"than a texture's, need none. {REMEDY}")  # fmt: skip
        forms[name] = ("float32", shape)
    return forms
