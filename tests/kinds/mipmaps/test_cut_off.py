"""kinds/mipmaps/fit: what was cut off long before its usual steps says so."""

import neuralshade


def test_few_steps_are_told_in_the_log_and_in_the_result(device, stand, set_of, short, caplog):
    """As of other kinds; a clock that came too soon is told by the same words."""
    result = neuralshade.fit_mipmaps(set_of(12, 7), "out", favor="mirror", **short)
    said = (
        "fit: ended at its 12 steps, 4.7 % of the 256 that are usual: far below what it comes to. "
        "Give it more --steps."
    )
    assert result.warnings == (said,) and said in caplog.messages
    whole = neuralshade.fit_mipmaps(set_of(12, 7), "out", favor="mirror", **{**short, "steps": 64})
    assert whole.warnings == ()
