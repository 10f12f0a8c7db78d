"""opforge-resize."""

from itertools import product

from .call import Call

SHAPE = (2, 3, 5, 7)
TYPES = ("float16", "float32", "float64")


def grid(rng):
    """Draw positions inside and outside of images, none of them at a pixel."""
    return rng.uniform(-1.3, 1.3, (2, 2, 4, 3))


def maps(rng):
    return rng.normal(size=(2, 6))


CALLS = [
    *(
        Call(
            "Pad", (shape,), {"mode": mode, "pad_width": width, "constant_value": 1.5}, dtypes=TYPES
        )
        for mode, (shape, width) in product(
            ("constant", "edge", "reflect"),
            [
                (SHAPE, (0, 0, 0, 0, 1, 2, 3, 1)),
                (SHAPE, (0, 0, 0, 0, 0, 4, 6, 0)),
                (SHAPE, (0,) * 8),
                ((2, 2, 3, 4, 5), (0, 0, 0, 0, 2, 1, 0, 3, 1, 1)),
            ],
        )
    ),
    Call("Pad", (SHAPE,), {"mode": "edge", "pad_width": (0, 0, 0, 0, 9, 8, 11, 0)}),
    *(
        Call("contrib.BilinearResize2D", (SHAPE,), attributes, dtypes=TYPES, tolerance=2e-5)
        for attributes in (
            {},
            {"height": 3, "width": 4},
            {"height": 11, "width": 13},
            {"height": 11, "width": 13, "align_corners": False},
            {"height": 2, "width": 3, "align_corners": False},
            {"height": 1, "width": 9},
            {"scale_height": 2.5, "scale_width": 0.5},
            {"mode": "odd_scale", "scale_height": 2, "scale_width": 3},
            {"mode": "odd_scale", "scale_height": 0.5, "scale_width": 0.5},
            *({"mode": f"to_{kind}"} for kind in ("even_down", "even_up", "odd_down", "odd_up")),
        )
    ),
    # MXNet's gradient writes outside an array there.
    Call(
        "contrib.BilinearResize2D",
        (SHAPE, (1, 1, 4, 3)),
        {"mode": "like"},
        smooth=(),
        tolerance=2e-5,
    ),
    *(
        Call("UpSampling", (SHAPE,), {"scale": scale, "sample_type": "nearest"}, dtypes=TYPES)
        for scale in (1, 2, 3)
    ),
    Call(
        "UpSampling",
        ((2, 3, 2, 3), (2, 1, 4, 6)),
        {"scale": 4, "sample_type": "nearest"},
        smooth=(0, 1),
    ),
    Call(
        "UpSampling",
        ((2, 3, 2, 3), (2, 3, 4, 6)),
        {"scale": 2, "sample_type": "nearest", "multi_input_mode": "sum"},
        smooth=(0, 1),
    ),
    *(
        Call(
            "UpSampling",
            (SHAPE, (3, 1, size, size)),
            {"scale": scale, "sample_type": "bilinear", "num_filter": 3},
            smooth=(0, 1),
        )
        for scale, size in ((1, 1), (2, 4), (3, 5), (4, 8))
    ),
    *(
        Call("Crop", (SHAPE,), attributes, dtypes=("float32",))
        for attributes in (
            {"h_w": (2, 3)},
            {"h_w": (2, 3), "offset": (3, 4)},
            {"h_w": (3, 4), "center_crop": True},
        )
    ),
    Call("Crop", (SHAPE, (1, 1, 2, 3)), {"num_args": 2}, smooth=(0, 1), dtypes=("float32",)),
    Call("depth_to_space", ((2, 18, 2, 3),), {"block_size": 3}, dtypes=TYPES),
    Call("space_to_depth", ((2, 3, 4, 6),), {"block_size": 2}, dtypes=TYPES),
    # MXNet supports these two for float32 only.
    Call(
        "GridGenerator",
        (maps,),
        {"transform_type": "affine", "target_shape": (3, 4)},
        dtypes=("float32",),
    ),
    Call("GridGenerator", ((2, 2, 3, 4),), {"transform_type": "warp"}, dtypes=("float32",)),
    Call("BilinearSampler", (SHAPE, grid), smooth=(0, 1), tolerance=1e-4),
    Call(
        "SpatialTransformer",
        (SHAPE, maps),
        {"target_shape": (4, 3), "transform_type": "affine", "sampler_type": "bilinear"},
        smooth=(0, 1),
        tolerance=1e-4,
    ),
]
