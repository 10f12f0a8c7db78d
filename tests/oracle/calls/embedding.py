"""opforge-embedding, and take, whose gradient is the same."""

from itertools import product

import numpy as np

from .call import Call

INDEX = np.array([[0, 5, 2], [-3, 5, 9], [5, 1, 5]], "float32")
TYPES = ("float16", "float32", "float64")

CALLS = [
    *[
        Call(
            "Embedding",
            (index, (6, length)),
            {"input_dim": 6, "output_dim": length},
            smooth=(1,),
            dtypes=TYPES,
        )
        for index, length in product(
            (INDEX.clip(0, 5), INDEX[0].astype("int32"), INDEX[2, :1].astype("int64")),
            (1, 5, 70),
        )
    ],
    # Its gradient is sparse in MXNet.
    Call("contrib.SparseEmbedding", (INDEX, (6, 5)), {"input_dim": 6, "output_dim": 5}, smooth=()),
    Call("Embedding", (INDEX, (6, 40)), {"input_dim": 6, "output_dim": 40}, smooth=(1,)),
    *[
        Call("take", ((4, 6, 3), INDEX), {"axis": axis, "mode": mode}, dtypes=TYPES)
        for axis, mode in product((0, 1, -1), ("clip", "wrap"))
    ],
    Call("take", ((6, 40), INDEX), dtypes=TYPES),
]
