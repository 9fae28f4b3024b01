"""Which GPU a benchmark of whole fits runs on."""

from neuralshade.gpu.open import hardware_adapter


def device_and_name(asked: str | None) -> tuple[str, str] | None:
    """Return the API that was asked for, else that of the first hardware, and the GPU's name.

    None, saying so, where nothing was asked for and no hardware answers.
    """
    adapter = hardware_adapter()
    if adapter is not None:
        return asked or adapter.api, adapter.name
    if asked is not None:
        return asked, "software"
    print("left out: no hardware GPU answers")
    return None
