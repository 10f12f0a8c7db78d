"""opforge-normalization: by groups, by lengths, and the forms of BatchNorm."""

import numpy as np

from .call import Call

SHAPE = (2, 6, 3, 5)
STATES = (np.zeros(6, "float32"), np.ones(6, "float32"))

CALLS = [
    *(
        Call(
            "GroupNorm",
            (SHAPE, (groups,), (groups,)),
            {"num_groups": groups, "eps": 0.01},
            smooth=(0, 1, 2),
            dtypes=("float32",),
            tolerance=1e-4,
        )
        for groups in (1, 2, 6)
    ),
    Call(
        "GroupNorm",
        (SHAPE, (3,), (3,)),
        {"num_groups": 3, "output_mean_var": True},
        smooth=(),
        dtypes=("float32",),
    ),
    *(
        Call("L2Normalization", (SHAPE,), {"mode": mode}, dtypes=("float16", "float32", "float64"))
        for mode in ("instance", "channel", "spatial")
    ),
    Call("L2Normalization", ((3, 4),), {"eps": 0.5}),
    *(
        # MXNet's even sizes depend on the selected kernel; those larger than the channels fail.
        Call("LRN", (SHAPE,), {"nsize": size, **attributes}, dtypes=("float32",))
        for size in (1, 3, 5)
        for attributes in ({}, {"alpha": 0.5, "beta": 0.5, "knorm": 1.0})
    ),
    *(
        Call(
            f"contrib.{name}",
            (SHAPE, (6,), (6,), *STATES),
            {"fix_gamma": fix_gamma, **attributes},
            smooth=(0, 1, 2),
            dtypes=("float32",),
            tolerance=1e-4,
        )
        for name, attributes in (("SyncBatchNorm", {"key": "one"}),)
        for fix_gamma in (False, True)
    ),
    # MXNet's SyncBatchNorm leaves mean and variance of predictions unwritten.
    Call(
        "BatchNorm",
        (SHAPE, (6,), (6,), *STATES),
        {"output_mean_var": True},
        smooth=(),
        dtypes=("float32",),
        tolerance=1e-4,
    ),
]
