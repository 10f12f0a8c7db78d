"""Rows of opforge-quantization's operators, whose inputs have types of their own."""

from .case import normal, positive, up_to
from .row import Row

_CALIBRATED = {"min_calib_range": -1.25, "max_calib_range": 0.5}


def _integers(rng, shape):
    """Draw numbers that int8 and uint8 contain."""
    return rng.integers(0, 128, shape)


def _row(name, arrays, ranges, attrs=None, *, kinds=("int8",), samples=(_integers,), **options):
    """Return a row: arrays of some types, then `ranges` numbers of float32."""
    dtypes = [*kinds, *["float32"] * (len(arrays) + ranges - len(kinds))]
    shapes = [*arrays, *[(1,)] * ranges]
    return Row(
        f"_contrib_{name}",
        shapes,
        attrs or {},
        (*samples, *[positive] * (len(shapes) - len(samples))),
        wanted=(),
        dtypes=dtypes,
        **options,
    )


ROWS = [
    Row(
        "_contrib_calibrate_entropy",
        [(9,), (10,)],
        {"num_quantized_bins": 3},
        (up_to(9), normal),
        wanted=(),
    ),
    *[
        _row("quantize", [(3, 4)], 2, {"out_type": kind}, kinds=(), samples=(normal,))
        for kind in ("int8", "uint8")
    ],
    *[
        _row("quantize_v2", [(3, 4)], 0, attrs, kinds=(), samples=(normal,))
        for attrs in ({}, {"out_type": "uint8"}, {"out_type": "auto", **_CALIBRATED})
    ],
    _row("quantize_asym", [(3, 4)], 0, kinds=(), samples=(normal,)),
    *[_row("dequantize", [(3, 4)], 2, kinds=(kind,)) for kind in ("int8", "uint8")],
    *[
        _row("requantize", [(3, 4)], 2, attrs, kinds=("int32",))
        for attrs in ({}, {"out_type": "auto", **_CALIBRATED})
    ],
    _row(
        "quantized_conv",
        [(2, 3, 5, 6), (4, 3, 2, 3), (4,)],
        6,
        {"kernel": (2, 3), "num_filter": 4, "pad": (1, 1)},
        kinds=("uint8", "int8", "int8"),
        samples=(_integers,) * 3,
    ),
    _row(
        "quantized_conv",
        [(2, 4, 5), (4, 1, 3)],
        4,
        {"kernel": (3,), "num_filter": 4, "num_group": 4, "no_bias": True},
        kinds=("int8", "int8"),
        samples=(_integers,) * 2,
    ),
    _row(
        "quantized_fully_connected",
        [(2, 3), (4, 3), (4,)],
        6,
        {"num_hidden": 4},
        kinds=("int8",) * 3,
        samples=(_integers,) * 3,
    ),
    *[
        _row("quantized_pooling", [(2, 3, 5, 4)], 2, {"kernel": (2, 2), "pool_type": kind})
        for kind in ("avg", "max")
    ],
    _row("quantized_act", [(3, 4)], 2, {"act_type": "relu"}),
    _row("quantized_flatten", [(3, 4, 2)], 2),
    *[
        _row(name, [(3, 4)] * 2, 4, attrs, kinds=("int8",) * 2, samples=(_integers,) * 2)
        for name in ("quantized_elemwise_add", "quantized_elemwise_mul")
        for attrs in ({}, _CALIBRATED)
    ],
    _row(
        "quantized_concat",
        [(3, 4), (3, 2)],
        4,
        {"num_args": 2},
        kinds=("int8",) * 2,
        samples=(_integers,) * 2,
    ),
    Row(
        "_contrib_quantized_batch_norm",
        [(3, 4, 2), (4,), (4,), (1,), (1,), (4,), (4,)],
        _CALIBRATED,
        (_integers, normal, normal, positive, positive, normal, positive),
        n_states=2,
        wanted=(),
        dtypes=("int8", *["float32"] * 6),
    ),
    _row(
        "quantized_embedding",
        [(2, 3), (4, 5)],
        2,
        {"input_dim": 4, "output_dim": 5},
        kinds=("int32", "int8"),
        samples=(up_to(4), _integers),
    ),
    _row(
        "quantized_rnn",
        [(3, 2, 4), (4 * 2 * 8,), (1, 2, 2), (1, 2, 2)],
        2,
        {"mode": "lstm", "state_size": 2, "num_layers": 1, "state_outputs": True},
        kinds=("uint8",),
        samples=(_integers, normal, normal, normal),
    ),
    *[
        Row(
            "_dynamic_dense",
            [(2, 32), (4, length), (4, 1), (4,)],
            {"num_hidden": 4, "bits": bits, "group_size": group_size},
            (normal, _integers, normal, normal),
            wanted=(),
            dtypes=("float32", kind, "float32", "float32"),
        )
        for bits, length, kind, group_size in ((8, 32, "int8", 0), (4, 32, "uint8", 32))
    ],
    *[
        Row(
            "_dynamic_rnn",
            [(2, 1, 3), (rows, 3), (rows, 1), (rows, 2), (rows, 1), (rows,), (rows,), *states],
            {"mode": mode, "state_size": 2},
            (normal, _integers, positive, _integers, positive, *[normal] * (2 + len(states))),
            wanted=(),
            dtypes=("float32", "int8", "float32", "int8", *["float32"] * (3 + len(states))),
        )
        for mode, rows, states in (("lstm", 8, [(1, 2)] * 2), ("gru", 6, [(1, 2)]))
    ],
    *[
        Row(
            f"_int8_{layer}",
            [*shapes, (4,), (1,), (1,)],
            {**attrs, **options},
            (_integers, normal, normal, positive, positive),
            wanted=(),
            dtypes=("uint8", *["float32"] * 4),
        )
        for layer, shapes, attrs in (
            ("convolution", [(2, 3, 5, 6), (4, 3, 2, 3)], {"kernel": (2, 3), "num_filter": 4}),
            ("dense", [(2, 3), (4, 3)], {"num_hidden": 4}),
        )
        for options in ({"out_type": "float32"}, {"out_type": "int8", **_CALIBRATED})
    ],
    Row(
        "_int8_dense",
        [(2, 3), (4, 3), (4,), (1,), (1,)],
        {"num_hidden": 4, "with_scale": True, "no_bias": True, "out_type": "float32"},
        (_integers, _integers, positive),
        wanted=(),
        dtypes=("uint8", "int8", *["float32"] * 3),
    ),
    *[
        Row(f"_int8_{name}", [shape], {}, (normal,), wanted=(), dtypes=("float32",))
        for name, shape in (("filters", (4, 3, 2, 3)), ("depthwise_filters", (4, 1, 2, 3)))
    ],
    *[
        Row(
            "_fused_convolution",
            [(2, 3, 5, 6), (4, 3, 2, 3), (4,)],
            {"kernel": (2, 3), "num_filter": 4, "act_type": act},
            (normal,) * 3,
            wanted=(),
            dtypes=("float32",) * 3,
        )
        for act in ("relu", "sigmoid")
    ],
    Row(
        "_fused_convolution",
        [(2, 3, 5, 6), (4, 3, 2, 3), (4,), (1,), (1,)],
        {"kernel": (2, 3), "num_filter": 4, "quantized": True, **_CALIBRATED},
        (_integers, normal, normal, positive, positive),
        wanted=(),
        dtypes=("uint8", *["float32"] * 4),
    ),
    Row(
        "_fused_fully_connected",
        [(2, 3), (4, 3), (4,)],
        {"num_hidden": 4, "act_type": "relu"},
        (normal,) * 3,
        wanted=(),
        dtypes=("float32",) * 3,
    ),
    Row(
        "_fused_fully_connected",
        [(2, 3), (4, 3), (1,), (1,), (1,), (1,)],
        {"num_hidden": 4, "no_bias": True, "quantized": True, **_CALIBRATED},
        (_integers, _integers, *[positive] * 4),
        wanted=(),
        dtypes=("int8", "int8", *["float32"] * 4),
    ),
]
