"""References and sample calls of the operators and layers for ``opforge check``."""

from typing import Any

import numpy as np


def embedding(data: Any, weight: Any, **ignored: Any) -> Any:
    """Return the rows at the indices; indices out of range are clipped."""
    return weight[np.clip(np.trunc(data), 0, len(weight) - 1).astype(int)]


def embedding_gradient(ograd: Any, like: Any, data: Any) -> Any:
    """Return the rows of `ograd` summed by index."""
    out = np.zeros_like(like)
    np.add.at(out, data.astype(int), ograd)
    return out


INDICES = np.array([[0.0, 3.0, 1.0], [3.0, 3.0, -7.0]])
SAMPLES = [
    {"inputs": [data, (4, 5)], "attributes": {"input_dim": 4, "output_dim": 5}, "wanted": [1]}
    for data in (INDICES, np.array([9.0, 2.9]))
]

OPERATOR_CHECKS: dict[str, dict[str, Any]] = {
    "Embedding": {"reference": embedding, "samples": SAMPLES},
    "_contrib_SparseEmbedding": {"reference": embedding, "samples": SAMPLES},
    "_backward_Embedding": {
        "reference": embedding_gradient,
        "samples": [
            {"inputs": [(3, 5), (4, 5), np.array([3.0, 0.0, 3.0])], "wanted": [0]},
            {"inputs": [(2, 2, 33), (4, 33), np.array([[1.0, 0.0], [1.0, 2.0]])], "wanted": [0]},
        ],
    },
}

LAYER_CHECKS: dict[str, dict[str, Any]] = {
    name: {
        "samples": [{"inputs": [data.astype(int)], "arguments": {"input_dim": 4, "output_dim": 5}}]
    }
    # A store rejects row -7.
    for name, data in (("Embedding", INDICES), ("SparseEmbedding", INDICES.clip(0)))
}
