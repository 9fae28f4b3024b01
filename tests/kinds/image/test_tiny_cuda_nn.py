"""kinds/image/tiny_cuda_nn: its configurations become our settings or are refused by name."""

import json

import pytest

from neuralshade.errors import ConfigError
from neuralshade.fitting.recipe import from_dict
from neuralshade.kinds.image.recipe import ImageRecipe
from neuralshade.kinds.image.tiny_cuda_nn import (
    ACTIVATION_NAMES,
    LOSS_NAMES,
    from_tiny_cuda_nn,
    read_tiny_cuda_nn,
)
from neuralshade.model.registry import parse_encoding

ADAM = {
    "otype": "Adam", "learning_rate": 1e-2, "beta1": 0.9, "beta2": 0.99, "epsilon": 1e-15,
}  # fmt: skip
OUR_ADAM = {
    "rate": 1e-2, "grid_rate": 1e-2, "beta1": 0.9, "beta2": 0.99, "epsilon": 1e-15,
    "l2_penalty": 1e-8, "schedule": "constant", "warmup": 0, "average": 0.0,
}  # fmt: skip
ACTIVATIONS = (
    "['None', 'ReLU', 'LeakyReLU', 'Tanh', 'Sigmoid', 'Exponential', 'Softplus', 'SiLU', 'ELU', "
    "'Sine']"
)


def network_of(neurons: int, layers: int) -> dict:
    return {"otype": "FullyFusedMLP", "activation": "ReLU", "output_activation": "None",
            "n_neurons": neurons, "n_hidden_layers": layers}  # fmt: skip


def our_network(neurons: int, layers: int) -> dict:
    return {"activation": "relu", "output_activation": "none", "hidden_width": neurons,
            "hidden_layers": layers}  # fmt: skip


SAMPLES = {
    "frequency": (
        {"encoding": {"otype": "Frequency", "n_frequencies": 6}, "network": network_of(64, 4)},
        {"encoding": "frequency:octaves=6", **our_network(64, 4)},
    ),
    "hash grid": (
        {
            "loss": {"otype": "RelativeL2"},
            "optimizer": {**ADAM, "l2_reg": 1e-6, "optimize_matrix_params": True},
            "encoding": {"otype": "HashGrid", "hash": "CoherentPrime", "fixed_point_pos": False,
                         "n_levels": 16, "n_features_per_level": 2,
                         "log2_hashmap_size": 15, "base_resolution": 16, "per_level_scale": 1.5},
            "network": network_of(64, 2),
        },
        {
            "loss": "relative_l2",
            "encoding": "hash_grid:levels=16,features=2,coarsest=16,finest=7006,log2_entries=15",
            **OUR_ADAM,
            "l2_penalty": 1e-6,
            **our_network(64, 2),
        },
    ),
    "dense grid": (
        {"encoding": {"otype": "DenseGrid", "n_levels": 4, "n_features_per_level": 4,
                      "base_resolution": 8}},
        {"encoding": "dense_grid:levels=4,features=4,coarsest=8,width=64,height=64"},
    ),
    "grid with its type": (
        {"encoding": {"otype": "Grid", "type": "Dense", "n_levels": 1, "base_resolution": 32,
                      "interpolation": "Linear", "stochastic_interpolation": False}},
        {"encoding": "dense_grid:levels=1,features=2,coarsest=32,width=32,height=32"},
    ),
    "smooth dense grid": (
        {"encoding": {"otype": "DenseGrid", "n_levels": 1, "interpolation": "Smoothstep"}},
        {"encoding": "dense_grid:levels=1,features=2,coarsest=16,width=16,height=16,smooth=1"},
    ),
    "smooth hash grid, letter case aside": (
        {"encoding": {"otype": "HashGrid", "n_levels": 1, "interpolation": "smoothstep"}},
        {"encoding": "hash_grid:levels=1,features=2,coarsest=16,finest=16,log2_entries=19,"
                     "smooth=1"},
    ),
    "one-blob": (
        {"encoding": {"otype": "OneBlob", "n_bins": 64}, "network": network_of(128, 5)},
        {"encoding": "one_blob:bins=64", **our_network(128, 5)},
    ),
    "triangle wave": (
        {"encoding": {"otype": "TriangleWave", "n_frequencies": 9}},
        {"encoding": "triangle_wave:octaves=9"},
    ),
    "identity": ({"encoding": {"otype": "Identity", "scale": 1.0}}, {"encoding": "identity"}),
    "averaged": (
        {"optimizer": {"otype": "EMA", "decay": 0.95, "nested": ADAM}},
        {**OUR_ADAM, "average": 0.95},
    ),
    "grids at a pace of their own": (
        {"optimizer": {**ADAM, "non_matrix_learning_rate_factor": 0.25, "l2_reg": 0}},
        {**OUR_ADAM, "grid_rate": 2.5e-3, "l2_penalty": 0.0},
    ),
    "letter case does not matter": (
        {"encoding": {"otype": "frequency"}, "loss": {"otype": "smape"},
         "network": {"otype": "cutlassmlp", "activation": "LEAKYRELU"}},
        {"encoding": "frequency:octaves=12", "loss": "smape", **our_network(128, 5),
         "activation": "leaky_relu"},
    ),
    "nothing": ({}, {}),
}  # fmt: skip
DEFAULTS = {
    "encoding": {"encoding": "one_blob:bins=16"},
    "network": our_network(128, 5),
    "optimizer": {**OUR_ADAM, "rate": 1e-3, "grid_rate": 1e-3, "beta2": 0.999, "epsilon": 1e-8},
    "loss": {"loss": "relative_l2"},
}


@pytest.mark.parametrize("config, wanted", SAMPLES.values(), ids=SAMPLES)
def test_configurations_become_settings(config, wanted):
    settings = from_tiny_cuda_nn(config)
    assert settings == {"bias": False, **wanted}  # their networks have no biases
    recipe = from_dict(ImageRecipe, settings)  # what it gives is a recipe
    if recipe.encoding != "auto":
        assert parse_encoding(recipe.encoding)


@pytest.mark.parametrize("section", DEFAULTS)
def test_what_is_left_out_has_the_default_of_tiny_cuda_nn(section):
    assert from_tiny_cuda_nn({section: {}}) == {"bias": False, **DEFAULTS[section]}


def test_every_name_leads_to_one_of_ours():
    for theirs, ours in ACTIVATION_NAMES.items():
        settings = from_tiny_cuda_nn({"network": {"activation": theirs}})
        assert from_dict(ImageRecipe, settings).activation == ours
    for theirs, ours in LOSS_NAMES.items():
        assert from_dict(ImageRecipe, from_tiny_cuda_nn({"loss": {"otype": theirs}})).loss == ours


def only(place: str, got: str, need: str) -> str:
    return f"{place}: got {got}, need {need}: nothing else is supported here. Leave it out."


REFUSALS = [
    ([1], 'config: got list, need a JSON object. Write {"otype": ...}.'),
    ({"loss": "L2"}, 'loss: got str, need a JSON object. Write {"otype": ...}.'),
    (
        {"los": {"otype": "L2"}},
        "config.los: unknown or unsupported key, need one of ['encoding', 'loss', 'network', "
        "'optimizer']. Did you mean loss?",
    ),
    (
        {"loss": {"otype": "RelativeL1"}},
        "loss.otype: got 'RelativeL1', need one of ['L1', 'L2', 'Huber', 'RelativeL2', 'LogL1', "
        "'SMAPE']. "
        "Did you mean RelativeL2?",
    ),
    (
        {"loss": {"otype": "CrossEntropy"}},
        "loss.otype: got 'CrossEntropy', need one of ['L1', 'L2', 'Huber', 'RelativeL2', 'LogL1', "
        "'SMAPE'].",
    ),
    (
        {"loss": {"otype": "L2", "scale": 2}},
        "loss.scale: unknown or unsupported key, need one of ['otype'].",
    ),
    (
        {"network": {"activation": "Squareplus"}},
        f"network.activation: got 'Squareplus', need one of {ACTIVATIONS}.",
    ),
    (
        {"network": {"otype": "Transformer"}},
        "network.otype: got 'Transformer', need one of ['FullyFusedMLP', 'CutlassMLP'].",
    ),
    (
        {"network": {"n_neuron": 64}},
        "network.n_neuron: unknown or unsupported key, need one of ['activation', "
        "'feedback_alignment', 'n_hidden_layers', 'n_neurons', 'otype', 'output_activation']. "
        "Did you mean n_neurons?",
    ),
    (
        {"network": {"n_neurons": "64"}},
        "network.n_neurons: got '64', need int. tiny-cuda-nn's default is 128.",
    ),
    (
        {"network": {"n_neurons": True}},
        "network.n_neurons: got True, need int. tiny-cuda-nn's default is 128.",
    ),
    (
        {"encoding": {"otype": "SphericalHarmonics"}},
        "encoding.otype: got 'SphericalHarmonics', need one of ['Identity', 'Frequency', "
        "'TriangleWave', 'OneBlob', 'Grid', 'HashGrid', 'DenseGrid', 'Composite'].",
    ),
    (
        {"encoding": {"otype": "Composite", "nested": []}},
        'encoding.nested: got [], need a list of encodings. Write [{"otype": ...}].',
    ),
    (
        {"encoding": {"otype": "Grid", "type": "Tiled"}},
        "encoding.type: got 'Tiled', need one of ['Hash', 'Dense'].",
    ),
    (
        {"encoding": {"otype": "HashGrid", "type": "Dense"}},
        "encoding.type: got 'Dense', need one of ['Hash'].",
    ),
    (
        {"encoding": {"otype": "HashGrid", "interpolation": "Nearest"}},
        "encoding.interpolation: got 'Nearest', need one of ['Linear', 'Smoothstep'].",
    ),
    (
        {"encoding": {"otype": "HashGrid", "stochastic_interpolation": True}},
        only("encoding.stochastic_interpolation", "True", "False"),
    ),
    (
        {"encoding": {"otype": "Frequency", "n_frequencies": 6.0}},
        "encoding.n_frequencies: got 6.0, need int. tiny-cuda-nn's default is 12.",
    ),
    ({"encoding": {"otype": "Identity", "scale": 2.0}}, only("encoding.scale", "2.0", "1.0")),
    ({"encoding": {"otype": "Identity", "offset": 1}}, only("encoding.offset", "1", "0.0")),
    (
        {"optimizer": {"otype": "Shampoo"}},
        "optimizer.otype: got 'Shampoo', need one of ['Adam', 'EMA', 'ExponentialDecay']: it is "
        "not here. Write Adam.",
    ),
    (
        {"optimizer": {"otype": "EMA", "nested": {"otype": "Lion"}}},
        "optimizer.nested.otype: got 'Lion', need one of ['Adam', 'EMA', 'ExponentialDecay']: it "
        "is not here. Write Adam, whose learning_rate is 3 to 10 times that of Lion.",
    ),
    (
        {"optimizer": {**ADAM, "l2_reg": "much"}},
        "optimizer.l2_reg: got 'much', need float. tiny-cuda-nn's default is 1e-08.",
    ),
    ({"optimizer": {"clipping_magnitude": 1}}, only("optimizer.clipping_magnitude", "1", "0.0")),
    (
        {"optimizer": {"optimize_matrix_params": False}},
        only("optimizer.optimize_matrix_params", "False", "True"),
    ),
    (
        {"encoding": {"otype": "HashGrid", "hash": "Rng"}},
        only("encoding.hash", "'Rng'", "'CoherentPrime'"),
    ),
    (  # we have one average, not two
        {"optimizer": {"otype": "EMA", "decay": 0.9, "nested": {"otype": "EMA", "nested": ADAM}}},
        "optimizer.nested.otype: got 'EMA', need one of ['Adam', 'ExponentialDecay'].",
    ),
    (
        {"encoding": {"otype": "OneBlob", "n_bins": 10**400}},
        "encoding.n_bins: got a number of about 401 digits, need int below 2^63. "
        "tiny-cuda-nn's default is 16.",
    ),
    ({"optimizer": {"relative_decay": 0.1}}, only("optimizer.relative_decay", "0.1", "0.0")),
    ({"optimizer": {"absolute_decay": 0.1}}, only("optimizer.absolute_decay", "0.1", "0.0")),
    ({"optimizer": {"adabound": True}}, only("optimizer.adabound", "True", "False")),
    (
        {"optimizer": {"learning_rate": "fast"}},
        "optimizer.learning_rate: got 'fast', need float. tiny-cuda-nn's default is 0.001.",
    ),
    (
        {"optimizer": {"otype": "EMA", "nested": {"otype": "Adam", "momentum": 1}}},
        "optimizer.nested.momentum: unknown or unsupported key, need one of ['absolute_decay', "
        "'adabound', 'beta1', 'beta2', 'clipping_magnitude', 'epsilon', 'l2_reg', "
        "'learning_rate', 'non_matrix_learning_rate_factor', 'optimize_matrix_params', "
        "'optimize_non_matrix_params', 'otype', 'relative_decay'].",
    ),
    (
        {"optimizer": {"otype": "EMA", "half_precision": True}},
        "optimizer.half_precision: unknown or unsupported key, need one of ['decay', "
        "'full_precision', 'nested', 'otype']. Did you mean full_precision?",
    ),
]


@pytest.mark.parametrize("config, message", REFUSALS, ids=[json.dumps(c) for c, _ in REFUSALS])
def test_refusals(config, message):
    with pytest.raises(ConfigError) as caught:
        from_tiny_cuda_nn(config)
    assert str(caught.value) == message


def test_a_file_is_read(tmp_path):
    config, wanted = SAMPLES["hash grid"]
    path = tmp_path / "config.json"
    path.write_text(json.dumps(config), encoding="utf-8")
    assert read_tiny_cuda_nn(path) == {"bias": False, **wanted}


@pytest.mark.parametrize("kind", ["HashGrid", "DenseGrid"])
def test_a_growth_that_instant_ngp_derives_is_told(caplog, kind):
    """Its image/base.json has none: it knows the picture then."""
    grid = {"otype": kind, "n_levels": 8, "base_resolution": 16}
    assert "2048" in from_tiny_cuda_nn({"encoding": grid})["encoding"]
    assert caplog.messages == [
        "encoding.per_level_scale: got none, taken as 2.0, tiny-cuda-nn's: from 16 to 2048 cells "
        "a side. For instant-ngp's, half of the picture's longer side at the last level, set it to "
        "(side / 2 / 16) ** (1 / 7)."
    ]
    caplog.clear()
    theirs = (768 / 2 / 16) ** (1 / 7)
    assert "384" in from_tiny_cuda_nn({"encoding": {**grid, "per_level_scale": theirs}})["encoding"]
    from_tiny_cuda_nn({"encoding": {**grid, "n_levels": 1}})
    assert caplog.messages == []
