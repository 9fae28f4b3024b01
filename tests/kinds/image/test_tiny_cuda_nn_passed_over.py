"""kinds/image/tiny_cuda_nn: what of a configuration is passed over, with a line or without."""

import pytest

from neuralshade.kinds.image.tiny_cuda_nn import from_tiny_cuda_nn

ADAM = {"otype": "Adam", "learning_rate": 1e-2}


@pytest.mark.parametrize("config, said", [
    ({"encoding": {"otype": "HashGrid", "n_levels": 1, "fixed_point_pos": True}},
     "encoding.fixed_point_pos: got True, which is passed over: positions are float32 here."),
    ({"optimizer": {"otype": "EMA", "full_precision": True, "nested": ADAM}},
     "optimizer.full_precision: got True, which is passed over: averages are float32 here."),
])  # fmt: skip
def test_what_changes_no_result_here_is_passed_over_with_a_line(config, said, caplog):
    from_tiny_cuda_nn(config)
    assert caplog.messages == [said]


def test_what_is_said_to_be_off_is_fine_where_it_is_not_there(caplog):
    off = {"encoding": {"otype": "HashGrid", "n_levels": 1, "fixed_point_pos": False},
           "network": {"feedback_alignment": False},
           "optimizer": {"otype": "EMA", "full_precision": False, "nested": ADAM}}  # fmt: skip
    from_tiny_cuda_nn(off)
    assert caplog.messages == []


def test_a_decay_of_the_step_size_gives_way_to_our_schedule(caplog):
    """instant-ngp's configurations have it between EMA and Adam."""
    decay = {"otype": "ExponentialDecay", "decay_start": 20_000, "decay_base": 0.33, "nested": ADAM}
    wrapped = from_tiny_cuda_nn({"optimizer": {"otype": "Ema", "decay": 0.95, "nested": decay}})
    assert wrapped == from_tiny_cuda_nn({"optimizer": {"otype": "EMA", "decay": 0.95,
                                                       "nested": ADAM}})  # fmt: skip
    assert [message.partition(", which is passed over: ")[0] for message in caplog.messages] == [
        "optimizer.nested.decay_start: got 20000", "optimizer.nested.decay_base: got 0.33",
    ]  # fmt: skip
    assert caplog.messages[0].endswith(
        ": a schedule goes over the whole fit here; give --schedule exponential and --rate-final, "
        "the step size at the end."
    )
