"""Calls of operators that are exported: name, shapes of the inputs, attributes, and kind of data.

Kinds of data: "any" is normal, "positive" and "unit" (-1 to 1) are uniform; a number n means
indices from -1 to n, as float32; "tied" has halves, for rounding.
"""


def _words(text):
    return text.split()


ANY = """abs ceil cos cosh erf exp expm1 fix floor negative sign sin sinh tan tanh trunc square cbrt
    degrees radians logical_not isnan isinf isfinite relu sigmoid softsign softrelu identity arcsinh
    arctan BlockGrad make_loss zeros_like ones_like shape_array hard_sigmoid"""
POSITIVE = "log log2 log10 log1p sqrt rsqrt reciprocal rcbrt"
UNARY = [
    *((name, "any") for name in _words(ANY)),
    *((name, "positive") for name in _words(POSITIVE)),
    *((name, "unit") for name in ("arccos", "arcsin", "arctanh")),
    *((name, "tied") for name in ("round", "rint")),
]
BINARY = """add sub mul div maximum minimum equal not_equal greater lesser greater_equal
    lesser_equal logical_and logical_or logical_xor hypot mod power"""
SCALAR = """plus minus rminus mul div rdiv maximum minimum equal greater lesser power mod not_equal
    logical_and"""
ACTIVATIONS = "relu sigmoid softrelu softsign tanh"
RECTIFIERS = "leaky elu selu gelu rrelu"
MODES = "instance channel spatial"

CASES = [
    *((name, [(2, 3)], {}, kind) for name, kind in UNARY),
    *((f"broadcast_{name}", [(2, 3), (1, 3)], {}, "positive") for name in _words(BINARY)),
    *((f"elemwise_{name}", [(2, 3), (2, 3)], {}, "any") for name in ("add", "sub", "mul", "div")),
    *((f"_{name}_scalar", [(2, 3)], {"scalar": 1.5}, "positive") for name in _words(SCALAR)),
    # products
    ("FullyConnected", [(4, 2, 3), (5, 6), (5,)], {"num_hidden": 5}, "any"),
    ("FullyConnected", [(4, 6), (5, 6)], {"num_hidden": 5, "no_bias": True}, "any"),
    ("FullyConnected", [(4, 2, 6), (5, 6), (5,)], {"num_hidden": 5, "flatten": False}, "any"),
    ("dot", [(2, 3), (3, 4)], {}, "any"),
    ("dot", [(3, 2), (4, 3)], {"transpose_a": True, "transpose_b": True}, "any"),
    ("dot", [(3,), (3,)], {}, "any"),
    ("dot", [(2, 3, 4), (4, 5)], {}, "any"),
    ("batch_dot", [(2, 3, 4), (2, 5, 4)], {"transpose_b": True}, "any"),
    ("batch_dot", [(2, 4, 3), (2, 4, 5)], {"transpose_a": True}, "any"),
    ("dense", [(2, 3), (4, 3)], {"bias": 0.5}, "any"),
    # reductions
    *((name, [(2, 3, 4)], {"axis": 1}, "any") for name in ("sum", "mean", "max", "min", "prod")),
    ("sum", [(2, 3, 4)], {}, "any"),
    ("sum", [(2, 3, 4)], {"axis": (0, 2), "keepdims": True}, "any"),
    ("mean", [(2, 3, 4)], {"axis": 1, "exclude": True}, "any"),
    ("max", [(2, 3, 4)], {"keepdims": True}, "any"),
    ("norm", [(2, 3, 4)], {"axis": 2}, "any"),
    ("norm", [(2, 3)], {"ord": 1, "axis": 1, "keepdims": True}, "any"),
    ("norm", [(2, 3)], {}, "any"),
    ("argmax", [(2, 3, 4)], {"axis": 1}, "any"),
    ("argmax", [(2, 3)], {}, "any"),
    ("argmin", [(2, 3)], {"axis": 1, "keepdims": True}, "any"),
    ("argmax_channel", [(2, 3)], {}, "any"),
    # shapes
    ("Flatten", [(2, 3, 4)], {}, "any"),
    ("Reshape", [(2, 3, 4)], {"shape": (0, -1)}, "any"),
    ("Reshape", [(2, 3, 4)], {"shape": (-3, 0)}, "any"),
    ("Reshape", [(2, 12)], {"shape": (0, -4, 3, -1)}, "any"),
    ("Reshape", [(2, 3, 4)], {"shape": (0, -2)}, "any"),
    ("Reshape", [(2, 3, 4)], {"shape": (-1, 4), "reverse": True}, "any"),
    ("reshape_like", [(2, 6), (3, 4)], {}, "any"),
    ("transpose", [(2, 3, 4)], {}, "any"),
    ("transpose", [(2, 3, 4)], {"axes": (1, 0, 2)}, "any"),
    ("SwapAxis", [(2, 3, 4)], {"dim1": 0, "dim2": 2}, "any"),
    ("expand_dims", [(2, 3)], {"axis": -1}, "any"),
    ("squeeze", [(2, 1, 3, 1)], {}, "any"),
    ("squeeze", [(2, 1, 3, 1)], {"axis": 1}, "any"),
    ("squeeze", [(1, 1)], {}, "any"),
    ("Concat", [(2, 3), (2, 4)], {"dim": 1}, "any"),
    ("stack", [(2, 3), (2, 3)], {"axis": 1}, "any"),
    ("SliceChannel", [(2, 6, 3)], {"num_outputs": 3}, "any"),
    ("SliceChannel", [(2, 3)], {"num_outputs": 3, "squeeze_axis": True}, "any"),
    ("slice", [(5, 6)], {"begin": (1, None), "end": (4, -1)}, "any"),
    ("slice", [(5, 6)], {"begin": (None, 5), "end": (None, 1), "step": (2, -2)}, "any"),
    ("slice", [(5,)], {"begin": (None,), "end": (None,), "step": (-1,)}, "any"),
    ("slice_axis", [(5, 6)], {"axis": 1, "begin": 2, "end": None}, "any"),
    ("slice_like", [(5, 6), (3, 4)], {}, "any"),
    ("slice_like", [(5, 6), (3, 4)], {"axes": (1,)}, "any"),
    ("reverse", [(2, 3)], {"axis": 1}, "any"),
    ("broadcast_to", [(1, 3)], {"shape": (2, 0)}, "any"),
    ("broadcast_axis", [(1, 3, 1)], {"axis": (0, 2), "size": (2, 4)}, "any"),
    ("broadcast_like", [(1, 3), (2, 3)], {}, "any"),
    ("tile", [(2, 3)], {"reps": (2, 1, 2)}, "any"),
    ("tile", [(2, 3)], {"reps": (2,)}, "any"),
    ("repeat", [(2, 3)], {"repeats": 2, "axis": 1}, "any"),
    ("repeat", [(2, 3)], {"repeats": 2}, "any"),
    ("Pad", [(1, 2, 3, 4)], {"mode": "edge", "pad_width": (0, 0, 0, 0, 1, 2, 2, 1)}, "any"),
    (
        "Pad",
        [(1, 2, 3, 4)],
        {"mode": "constant", "pad_width": (0, 0, 0, 0, 1, 2, 2, 1), "constant_value": 3},
        "any",
    ),
    ("Pad", [(1, 2, 3, 4)], {"mode": "reflect", "pad_width": (0, 0, 0, 0, 1, 2, 2, 1)}, "any"),
    ("depth_to_space", [(1, 8, 2, 3)], {"block_size": 2}, "any"),
    ("space_to_depth", [(1, 2, 4, 6)], {"block_size": 2}, "any"),
    # indices
    ("take", [(4, 3), (2, 2)], {}, 6),
    ("take", [(4, 3), (2, 2)], {"axis": 1, "mode": "wrap"}, 6),
    ("pick", [(3, 4), (3,)], {}, 5),
    ("pick", [(3, 4), (3, 1)], {"axis": 1, "keepdims": True, "mode": "wrap"}, 5),
    ("one_hot", [(5,)], {"depth": 3, "on_value": 2, "off_value": -1}, 4),
    ("Embedding", [(2, 3), (5, 4)], {"input_dim": 5, "output_dim": 4}, 6),
    ("topk", [(3, 5)], {"k": 2, "ret_typ": "value"}, "any"),
    ("topk", [(3, 5)], {"k": 2, "axis": 0, "is_ascend": True}, "any"),
    ("topk", [(3, 5)], {"k": 2, "ret_typ": "both"}, "any"),
    ("where", [(2, 3), (2, 3), (2, 3)], {}, 0),
    ("where", [(2,), (2, 3), (2, 3)], {}, 0),
    # others
    ("clip", [(2, 3)], {"a_min": -0.5, "a_max": 0.5}, "any"),
    ("add_n", [(2, 3), (2, 3), (2, 3)], {}, "any"),
    ("Cast", [(2, 3)], {"dtype": "float64"}, "any"),
    ("Cast", [(2, 3)], {"dtype": "int32"}, "any"),
    ("smooth_l1", [(4, 5)], {"scalar": 2.0}, "any"),
    # networks
    ("Convolution", [(2, 3, 8, 9), (4, 3, 3, 3), (4,)], {"kernel": (3, 3), "num_filter": 4}, "any"),
    (
        "Convolution",
        [(2, 4, 8, 9), (6, 2, 3, 2)],
        {
            "kernel": (3, 2),
            "num_filter": 6,
            "num_group": 2,
            "no_bias": True,
            "stride": (2, 1),
            "pad": (1, 2),
            "dilate": (2, 1),
        },
        "any",
    ),
    ("Convolution", [(2, 3, 9), (4, 3, 3), (4,)], {"kernel": (3,), "num_filter": 4}, "any"),
    (
        "Convolution",
        [(1, 2, 5, 5, 5), (3, 2, 2, 2, 2), (3,)],
        {"kernel": (2, 2, 2), "num_filter": 3},
        "any",
    ),
    (
        "Deconvolution",
        [(2, 3, 4, 5), (3, 2, 3, 3)],
        {"kernel": (3, 3), "num_filter": 2, "stride": (2, 2), "pad": (1, 1), "adj": (1, 0)},
        "any",
    ),
    (
        "Deconvolution",
        [(2, 3, 4, 5), (3, 2, 4, 3), (2,)],
        {
            "kernel": (4, 3),
            "num_filter": 2,
            "stride": (2, 2),
            "target_shape": (8, 10),
            "no_bias": False,
        },
        "any",
    ),
    ("Pooling", [(2, 3, 8, 9)], {"kernel": (2, 2), "stride": (2, 2)}, "any"),
    (
        "Pooling",
        [(2, 3, 8, 9)],
        {"kernel": (3, 3), "stride": (2, 2), "pad": (1, 1), "pool_type": "avg"},
        "any",
    ),
    (
        "Pooling",
        [(2, 3, 8, 9)],
        {
            "kernel": (3, 3),
            "stride": (2, 2),
            "pad": (1, 1),
            "pool_type": "avg",
            "count_include_pad": False,
        },
        "any",
    ),
    (
        "Pooling",
        [(2, 3, 8, 9)],
        {"kernel": (3, 3), "stride": (2, 2), "pooling_convention": "full"},
        "any",
    ),
    (
        "Pooling",
        [(2, 3, 8, 9)],
        {"kernel": (3, 3), "stride": (2, 2), "pooling_convention": "full", "pool_type": "avg"},
        "any",
    ),
    ("Pooling", [(2, 3, 8, 9)], {"kernel": (3, 3), "pool_type": "sum"}, "any"),
    ("Pooling", [(2, 3, 8, 9)], {"kernel": (3, 3), "pool_type": "lp", "p_value": 2}, "any"),
    ("Pooling", [(2, 3, 8)], {"kernel": (3,), "stride": (2,)}, "any"),
    ("Pooling", [(2, 3, 8, 9)], {"global_pool": True, "kernel": (1, 1)}, "any"),
    ("Pooling", [(2, 3, 8, 9)], {"global_pool": True, "pool_type": "avg"}, "any"),
    ("Pooling", [(2, 3, 8, 9)], {"global_pool": True, "pool_type": "sum"}, "any"),
    ("BatchNorm", [(2, 3, 4), (3,), (3,), (3,), (3,)], {}, "positive"),
    ("BatchNorm", [(2, 3, 4), (3,), (3,), (3,), (3,)], {"fix_gamma": False}, "positive"),
    (
        "BatchNorm",
        [(2, 4, 3), (3,), (3,), (3,), (3,)],
        {"fix_gamma": False, "axis": 2, "eps": 0.1},
        "positive",
    ),
    ("contrib.BatchNormWithReLU", [(2, 3, 4), (3,), (3,), (3,), (3,)], {}, "positive"),
    ("LayerNorm", [(2, 3, 4), (4,), (4,)], {}, "any"),
    ("LayerNorm", [(2, 3, 4), (3,), (3,)], {"axis": 1}, "any"),
    ("LayerNorm", [(2, 3, 4), (4,), (4,)], {"output_mean_var": True}, "any"),
    ("GroupNorm", [(2, 4, 3), (2,), (2,)], {"num_groups": 2}, "any"),
    ("InstanceNorm", [(2, 3, 4), (3,), (3,)], {}, "any"),
    ("LRN", [(2, 6, 3, 3)], {"nsize": 5, "alpha": 0.5}, "any"),
    *(("L2Normalization", [(2, 3, 4)], {"mode": mode}, "any") for mode in _words(MODES)),
    *(("Activation", [(2, 3)], {"act_type": kind}, "any") for kind in _words(ACTIVATIONS)),
    *(("LeakyReLU", [(2, 3)], {"act_type": kind}, "any") for kind in _words(RECTIFIERS)),
    ("LeakyReLU", [(2, 3, 4), (3,)], {"act_type": "prelu"}, "any"),
    ("LeakyReLU", [(2, 3, 4, 4), (1,)], {"act_type": "prelu"}, "any"),
    ("softmax", [(2, 3, 4)], {"axis": 1, "temperature": 2.0}, "any"),
    ("log_softmax", [(2, 3)], {}, "any"),
    ("softmin", [(2, 3)], {}, "any"),
    ("SoftmaxActivation", [(2, 3, 4)], {"mode": "channel"}, "any"),
    ("Dropout", [(2, 3)], {}, "any"),
    ("UpSampling", [(1, 2, 3, 4)], {"scale": 2, "sample_type": "nearest"}, "any"),
    (
        "UpSampling",
        [(1, 2, 3, 4), (2, 1, 4, 4)],
        {"scale": 2, "sample_type": "bilinear", "num_filter": 2},
        "any",
    ),
    (
        "UpSampling",
        [(1, 2, 3, 4), (2, 1, 5, 5)],
        {"scale": 3, "sample_type": "bilinear", "num_filter": 2},
        "any",
    ),
    ("contrib.BilinearResize2D", [(1, 2, 4, 5)], {"height": 8, "width": 7}, "any"),
    (
        "contrib.BilinearResize2D",
        [(1, 2, 4, 5)],
        {"height": 8, "width": 10, "align_corners": False},
        "any",
    ),
    ("contrib.div_sqrt_dim", [(2, 3)], {}, "any"),
    ("contrib.arange_like", [(2, 3)], {"axis": 1}, "any"),
]
