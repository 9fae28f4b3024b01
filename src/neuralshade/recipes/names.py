"""The names that recipes may use, apart from what they name.

A command line that only prints its help must not load PyTorch, and the registries do. A test
holds these equal to the registries' keys.
"""

ACTIVATIONS = ("none", "relu", "leaky_relu", "tanh", "sigmoid", "exp", "softplus", "silu", "elu",
               "sine")  # fmt: skip
COLOR_SPACES = ("srgb", "linear")
DIFFUSES = ("lambert", "burley")
GRID_OPTIMIZERS = ("adam", "touched_adam")
LOSSES = ("l1", "l2", "relative_l2", "log_l1", "smape")
PRECISIONS = ("float32", "bfloat16", "float16")
COMPOSITINGS = ("over", "sum", "normalized")
SAMPLINGS = ("lattice", "pixels", "positions")
SCHEDULES = ("constant", "cosine", "exponential")
TRANSFORMS = ("identity", "zoom", "flip")
