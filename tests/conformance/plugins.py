"""Rows of the plugins' operators: their calls for all execution modes.

Their references are in the plugins' own tests.
"""

from . import quantized
from .case import normal, positive, up_to
from .row import Row

ELEMENTWISE = [
    *[Row(name, [(3, 4)]) for name in ("sigmoid", "relu", "softrelu", "softsign")],
    Row("hard_sigmoid", [(3, 4)]),
    Row("hard_sigmoid", [(3, 4)], {"alpha": 0.5, "beta": 0.25}),
    *[
        Row("Activation", [(3, 4)], {"act_type": kind})
        for kind in ("sigmoid", "relu", "softrelu", "softsign", "tanh")
    ],
]

EMBEDDING = [
    *[
        Row(name, [(2, 3), (4, 5)], {"input_dim": 4, "output_dim": 5}, (up_to(4), normal))
        for name in ("Embedding", "_contrib_SparseEmbedding")
    ],
    Row("_backward_Embedding", [(3, 5), (4, 5), (3,)], {}, (normal, normal, up_to(4))),
]

SOFTMAX = [
    *[
        Row(name, [(3, 4, 5)], attrs)
        for name in ("softmax", "log_softmax", "softmin")
        for attrs in ({}, {"axis": 1, "temperature": 2.0})
    ],
    *[Row("SoftmaxActivation", [(3, 4, 5)], {"mode": mode}) for mode in ("channel", "instance")],
    Row("softmax_cross_entropy", [(5, 4), (5,)], {}, (normal, up_to(4))),
    Row("_backward_softmax", [(3, 4), (3, 4)], {"axis": 0, "scale": 0.5}),
    Row("_backward_log_softmax", [(3, 4), (3, 4)]),
    Row("_softmax_cross_entropy", [(5, 4), (5,)], {}, (normal, up_to(4))),
    Row(
        "_backward_softmax_cross_entropy",
        [(5,), (5, 4), (5,), (5, 2)],
        {},
        (normal, normal, up_to(4), positive),
    ),
    Row("SoftmaxOutput", [(5, 4), (5,)], {"grad_scale": 0.5}, (normal, up_to(4))),
    Row(
        "SoftmaxOutput",
        [(5, 4, 3), (5, 3)],
        {"multi_output": True, "use_ignore": True, "ignore_label": 1, "normalization": "valid"},
        (normal, up_to(4)),
    ),
]

ATTENTION = [
    Row("scaled_dot_product_attention", [(2, 3, 4, 5), (2, 3, 6, 5), (2, 3, 6, 2)]),
    Row(
        "scaled_dot_product_attention",
        [(2, 4, 6), (2, 5, 6), (2, 5, 6), (1, 3, 4, 5)],
        {"num_heads": 3, "causal": True, "use_mask": True},
    ),
    Row("_contrib_interleaved_matmul_selfatt_qk", [(3, 2, 24)], {"heads": 2}),
    Row("_contrib_interleaved_matmul_selfatt_valatt", [(3, 2, 24), (4, 3, 3)], {"heads": 2}),
    Row("_contrib_interleaved_matmul_encdec_qk", [(3, 2, 8), (5, 2, 16)], {"heads": 2}),
    Row("_contrib_interleaved_matmul_encdec_valatt", [(5, 2, 16), (4, 3, 5)], {"heads": 2}),
]

NORMALIZATION = [
    Row("LayerNorm", [(3, 4), (4,), (4,)]),
    Row("LayerNorm", [(3, 4, 5), (4,), (4,)], {"axis": 1, "output_mean_var": True}),
    Row("InstanceNorm", [(3, 4, 5), (4,), (4,)]),
    *[
        Row(
            "BatchNorm",
            [(6, 4, 5), (4,), (4,), (4,), (4,)],
            attrs,
            (normal, normal, normal, normal, positive),
            n_states=2,
            rtol=1e-5,  # predictions multiply by one factor, in graphs
        )
        for attrs in (
            {},
            {"fix_gamma": False, "momentum": 0.5},
            {"fix_gamma": False, "use_global_stats": True},
            {"fix_gamma": False, "output_mean_var": True},
        )
    ],
    *[
        Row(
            name,
            [(6, 4, 5), (4,), (4,), (4,), (4,)],
            attrs,
            (normal, normal, normal, normal, positive),
            n_states=2,
            rtol=1e-5,
        )
        for name, attrs in (
            ("_contrib_BatchNormWithReLU", {"fix_gamma": False}),
            ("BatchNorm_v1", {"output_mean_var": True}),
            ("_contrib_SyncBatchNorm", {"key": "k", "output_mean_var": True}),
        )
    ],
    Row("GroupNorm", [(3, 4, 5), (2,), (2,)], {"num_groups": 2}),
    *[
        Row("L2Normalization", [(3, 4, 5)], {"mode": mode})
        for mode in ("instance", "channel", "spatial")
    ],
    Row("LRN", [(3, 4, 5)], {"nsize": 3, "alpha": 0.5}),
    *[
        Row(name, [(4, 3)], {"axis": axis})
        for name in ("min_max_norm", "center")
        for axis in (None, 1)
    ],
]

RECTIFIER = [
    *[
        Row("LeakyReLU", [(3, 4)], {"act_type": kind})
        for kind in ("elu", "gelu", "leaky", "rrelu", "selu")
    ],
    Row("LeakyReLU", [(2, 3, 4), (3,)], {"act_type": "prelu"}),
    Row("_random_slopes", [(3, 4)]),
]

REGRESSION = [
    Row("LinearRegressionOutput", [(4, 3), (4, 3)], {"grad_scale": 0.5}),
    Row("LogisticRegressionOutput", [(4, 1), (4,)]),
    Row("MAERegressionOutput", [(2, 3, 2), (2, 6)]),
    *[Row("MakeLoss", [(4, 3)], {"normalization": kind}) for kind in ("batch", "null", "valid")],
]

CONVOLUTION = [
    Row(
        "Convolution",
        [(2, 4, 5, 4), (6, 2, 3, 2), (6,)],
        {"kernel": (3, 2), "num_filter": 6, "num_group": 2, "stride": (2, 1), "pad": (1, 0)},
    ),
    Row(
        "Convolution",
        [(2, 6, 3), (4, 2, 3)],
        {"kernel": (2,), "num_filter": 4, "no_bias": True, "layout": "NWC"},
    ),
    Row(
        "Deconvolution",
        [(2, 3, 4, 3), (3, 2, 3, 2), (2,)],
        {"kernel": (3, 2), "num_filter": 2, "stride": (2, 2), "adj": (1, 0), "no_bias": False},
    ),
    Row(
        "_contrib_DeformableConvolution",
        [(2, 4, 5, 4), (2, 24, 4, 4), (6, 2, 2, 3), (6,)],
        {
            "kernel": (2, 3),
            "num_filter": 6,
            "num_group": 2,
            "num_deformable_group": 2,
            "pad": (0, 1),
        },
    ),
    Row(
        "_contrib_ModulatedDeformableConvolution",
        [(2, 4, 5, 4), (2, 12, 4, 2), (2, 6, 4, 2), (3, 4, 2, 3)],
        {"kernel": (2, 3), "num_filter": 3, "no_bias": True},
    ),
    Row("_winograd_weight", [(16, 3, 3, 3)]),
    Row("_padded_filters", [(5, 3, 2, 2)]),
    Row("im2col", [(2, 3, 5, 4)], {"kernel": (3, 2), "pad": (1, 1)}),
    Row("col2im", [(2, 12, 6)], {"kernel": (2, 2), "output_size": (4, 3)}),
]

POOLING = [
    *[
        Row("Pooling", [(2, 3, 5, 6)], {**attrs, "kernel": (3, 2), "stride": (2, 1), "pad": (1, 0)})
        for attrs in (
            {},
            {"pool_type": "avg", "layout": "NHWC"},
            {"pool_type": "lp", "p_value": 2, "pooling_convention": "full"},
        )
    ],
    Row("Pooling", [(2, 3, 5, 6)], {"pool_type": "sum", "global_pool": True}),
    Row("Pooling_v1", [(2, 3, 5, 6)], {"kernel": (2, 2), "pad": (1, 1), "pool_type": "avg"}),
    Row("_contrib_AdaptiveAvgPooling2D", [(2, 3, 5, 6)], {"output_size": (2, 4)}),
]

RESIZE = [
    *[
        Row("Pad", [(2, 3, 4, 5)], {"mode": mode, "pad_width": (0, 0, 0, 0, 1, 2, 0, 3)})
        for mode in ("constant", "edge", "reflect")
    ],
    Row("Crop", [(2, 3, 4, 5)], {"h_w": (2, 3), "offset": (1, 2)}),
    Row("UpSampling", [(2, 3, 2, 3)], {"scale": 2, "sample_type": "nearest"}),
    Row("_repeat_pixels", [(2, 3, 2, 3)], {"scale": 3}),
    Row("_spread_pixels", [(2, 3, 2, 3), (3, 1, 4, 4)], {"scale": 2}),
    Row("_contrib_BilinearResize2D", [(2, 3, 4, 5)], {"height": 7, "width": 3}),
    Row("depth_to_space", [(2, 8, 2, 3)], {"block_size": 2}),
    Row("space_to_depth", [(2, 2, 4, 6)], {"block_size": 2}),
    Row("GridGenerator", [(2, 6)], {"transform_type": "affine", "target_shape": (3, 4)}),
    Row("GridGenerator", [(2, 2, 3, 4)], {"transform_type": "warp"}),
    Row("BilinearSampler", [(2, 3, 4, 5), (2, 2, 3, 4)]),
    Row(
        "SpatialTransformer",
        [(2, 3, 4, 5), (2, 6)],
        {"target_shape": (3, 4), "transform_type": "affine", "sampler_type": "bilinear"},
    ),
]

SEQUENCE = [
    *[
        Row(name, shapes, attrs, (normal, lambda rng, shape: rng.integers(1, 4, shape)))
        for name in ("SequenceMask", "SequenceLast", "SequenceReverse")
        for shapes, attrs in (
            ([(4, 3, 2)], {}),
            ([(4, 3), (3,)], {"use_sequence_length": True}),
            ([(3, 4, 2), (3,)], {"use_sequence_length": True, "axis": 1}),
        )
    ],
    Row("_put_last", [(3, 2)], {"steps": 4}),
    Row("CTCLoss", [(5, 2, 4), (2, 3)], {}, (normal, up_to(4))),
    Row("_CTCLoss_prediction", [(5, 2, 4), (2, 3)], {}, (normal, up_to(4)), wanted=()),
    Row("_contrib_index_copy", [(4, 2), (2,), (2, 2)], {}, (normal, up_to(4), normal)),
    Row("_contrib_boolean_mask", [(4, 2), (4,)], {}, (normal, up_to(2)), wanted=(0,)),
    Row("_contrib_boolean_mask", [(2, 3), (3,)], {"axis": 1}, (normal, up_to(1)), wanted=(0,)),
    Row("_contrib_div_sqrt_dim", [(2, 3)]),
    Row("_contrib_arange_like", [(2, 3)], {"axis": 1}, wanted=()),
    Row("_contrib_index_array", [(2, 3)], wanted=()),
]

#: Sequences of three steps.
_RNN = {"state_size": 2, "num_layers": 1, "state_outputs": True}

RECURRENT = [
    Row(name, [(3, 2, 4), (size,), (1, 2, 2), *cell], {"mode": mode, **_RNN}, wanted=wanted)
    for name, wanted in (("RNN", None), ("_RNN_prediction", ()))
    for mode, size, cell in (
        ("rnn_relu", 16, []),
        ("rnn_tanh", 16, []),
        ("lstm", 64, [(1, 2, 2)]),
        ("gru", 48, []),
    )
]

OTHERS = [
    Row("Dropout", [(3, 4)], {"p": 0.25}),
    Row("Dropout", [(3, 4, 2)], {"axes": (1,), "mode": "always"}),
    Row("dense", [(3, 4), (5, 4)], {"bias": 0.5}),
    Row("tile", [(2, 3)], {"reps": (2, 1, 3)}),
    Row("repeat", [(2, 3)], {"repeats": 2, "axis": 1}),
    Row("repeat", [(2, 3)], {"repeats": 3}),
]

CONTRIB = [
    Row("_np_cumsum", [(3, 4)], {"axis": 1}),
    Row("_np_cumsum", [(3, 4)]),
    Row("_split_v2", [(5, 4)], {"indices": (0, 1, 3), "axis": 0}),
    Row("_split_v2", [(3, 2)], {"indices": (), "sections": 2, "squeeze_axis": True}),
    Row("_histogram", [(3, 4)], {"bin_cnt": 3, "range": (-1, 1)}),
    Row("_ravel_multi_index", [(2, 5)], {"shape": (4, 4)}, (up_to(4),)),
    Row("_unravel_index", [(2, 5)], {"shape": (3, 4)}, (up_to(12),)),
    Row("_contrib_fft", [(3, 5)]),
    Row("_contrib_ifft", [(3, 8)]),
    Row(
        "_contrib_count_sketch",
        [(3, 4), (1, 4), (1, 4)],
        {"out_dim": 5},
        (normal, up_to(5), normal),
        wanted=(0,),
    ),
    Row(
        "_contrib_hawkesll",
        [(2, 3), (3,), (3,), (2, 3), (2, 4), (2, 4), (2,), (2,)],
        {},
        (*[positive] * 5, up_to(3), up_to(5), lambda rng, shape: 9 + positive(rng, shape)),
        wanted=(0, 1, 2, 3, 4, 7),
    ),
    Row(
        "IdentityAttachKLSparseReg",
        [(4, 3), (3,)],
        {"penalty": 0.5},
        (lambda rng, shape: rng.uniform(0.1, 0.9, shape),),
        n_states=1,
    ),
    Row("_sample_unique_zipfian", [], {"range_max": 9, "shape": (2, 3)}),
    Row("khatri_rao", [(2, 3), (4, 3)]),
    Row("moments", [(3, 4)], {"axes": (0,)}),
    Row("SVMOutput", [(5, 4), (5,)], {}, (normal, up_to(4)), wanted=(0,)),
    Row("SVMOutput", [(5, 4), (5,)], {"use_linear": True}, (normal, up_to(4)), wanted=(0,)),
    *[
        Row(f"_random_pdf_{name}", [(2, 3), *[(2,)] * count], {"is_log": is_log}, (positive,))
        for name, count in (
            ("exponential", 1),
            ("gamma", 2),
            ("generalized_negative_binomial", 2),
            ("normal", 2),
            ("poisson", 1),
        )
        for is_log in (False, True)
    ],
    Row(
        "_random_pdf_uniform",
        [(2, 3), (2,), (2,)],
        {},
        (positive, lambda rng, shape: -positive(rng, shape), positive),
    ),
    Row(
        "_random_pdf_negative_binomial",
        [(2, 3), (2,), (2,)],
        {},
        (positive, positive, lambda rng, shape: 1 / (1 + positive(rng, shape))),
    ),
    Row("_random_pdf_dirichlet", [(2, 3), (3,)], {}, (positive,)),
]

ROWS = [
    *ELEMENTWISE,
    *quantized.ROWS,
    *EMBEDDING,
    *SOFTMAX,
    *ATTENTION,
    *NORMALIZATION,
    *RECTIFIER,
    *REGRESSION,
    *CONVOLUTION,
    *POOLING,
    *RESIZE,
    *SEQUENCE,
    *RECURRENT,
    *CONTRIB,
    *OTHERS,
]
