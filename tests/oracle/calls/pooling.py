"""opforge-pooling."""

from itertools import product

from .call import Call

TYPES = ("float16", "float32", "float64")
KINDS = [
    {"pool_type": "max"},
    {"pool_type": "avg"},
    {"pool_type": "avg", "count_include_pad": False},
    {"pool_type": "sum"},
    {"pool_type": "lp", "p_value": 1},
    {"pool_type": "lp", "p_value": 2},
]
#: MXNet's and oneDNN's kernels differ in elements under no window; float64 uses MXNet's own.
WINDOWS = [
    ((2, 3, 11), {"kernel": 3, "stride": 2}),
    ((2, 3, 11), {"kernel": (4,), "stride": (3,), "pad": (2,), "pooling_convention": "full"}),
    ((2, 3, 7, 9), {"kernel": (3, 3), "stride": (2, 2), "pad": (1, 1)}),
    ((2, 3, 7, 9), {"kernel": (2, 3), "pad": (1, 0), "pooling_convention": "full"}),
    ((1, 5, 6, 5), {"kernel": (3, 2), "stride": (1, 2), "pooling_convention": "full"}),
    ((1, 2, 6, 5), {"kernel": (1, 1), "stride": (4, 3)}),
    ((2, 2, 1, 1), {"kernel": (3, 3), "pad": (1, 1)}),
    ((2, 2, 5, 4, 6), {"kernel": (3, 2, 3), "stride": (2, 1, 2), "pad": (1, 1, 0)}),
    ((2, 2, 5, 4, 6), {"kernel": (2, 2, 2), "stride": (3, 2, 1), "pooling_convention": "full"}),
    ((2, 3, 7, 9), {"global_pool": True}),
    ((2, 3, 11), {"global_pool": True, "kernel": (2,), "stride": (2,), "pad": (1,)}),
]
LAST = {3: "NWC", 4: "NHWC", 5: "NDHWC"}


def channels_last(shape):
    return (shape[0], *shape[2:], shape[1])


CALLS = [
    *(
        Call("Pooling", (shape,), {**window, **kind}, dtypes=TYPES)
        for (shape, window), kind in product(WINDOWS, KINDS)
        # MXNet requires the window's dimensions there.
        if "kernel" in window or len(shape) == 4
    ),
    *(
        Call("Pooling", (channels_last(shape),), {**window, **kind, "layout": LAST[len(shape)]})
        for (shape, window), kind in product(WINDOWS, KINDS[:4])
        if "kernel" in window and "global_pool" not in window
    ),
    Call(
        "Pooling",
        ((2, 3, 10),),
        {"kernel": 3, "stride": 2, "pad": (0, 0, 0), "pooling_convention": "same"},
    ),
    *(
        # MXNet's average multiplies by a float32, whatever the type.
        Call("Pooling_v1", ((2, 3, 7, 9),), {**window, "pool_type": kind}, tolerance=1e-7)
        for window, kind in product(
            [
                {"kernel": (3, 3), "stride": (2, 2), "pad": (1, 1)},
                {"kernel": (2, 2), "stride": (2, 2), "pooling_convention": "full"},
                {"global_pool": True},
            ],
            ("max", "avg", "sum"),
        )
    ),
    *(
        Call("contrib.AdaptiveAvgPooling2D", ((2, 3, 7, 9),), {"output_size": size})
        for size in (1, (2, 3), (7, 9), (8, 10), (3,))
    ),
    Call("contrib.AdaptiveAvgPooling2D", ((2, 3, 7, 9),)),
]
