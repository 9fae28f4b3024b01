"""The trained thing at given positions. Device half: infer.cs.slang."""

import numpy as np

INFER_THREADS = 64  # of a group
VIEW = np.dtype(
    [
        ("first", "<f4", 2),
        ("extent", "<f4", 2),
        ("size_px", "<u4", 2),
        ("count", "<u4"),
        ("begin", "<u4"),
    ]
)
