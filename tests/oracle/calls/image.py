"""opforge-image: operators without random results."""

import numpy as np

from .call import Call

RNG = np.random.default_rng(0)
BYTES = RNG.integers(0, 256, (9, 11, 3), dtype=np.uint8)
FLOATS = (9, 11, 3)
PART = {"x": 2, "y": 1, "width": 5, "height": 4}
LIMITS = {"min_factor": 0.75, "max_factor": 0.75}
NUMBERS = {"mean": (0.5, 1.0, 2.0), "std": (2.0, 3.0, 4.0)}

CALLS = [
    Call("image.to_tensor", (BYTES,), smooth=()),
    Call("image.to_tensor", ((2, *FLOATS),), smooth=(), dtypes=("float32",)),
    Call("image.normalize", ((3, 9, 11),), NUMBERS),
    Call("image.normalize", ((2, 3, 9, 11),), {"mean": (0.5,), "std": (2.0,)}),
    Call("image.crop", (FLOATS,), PART),
    Call("image.crop", ((2, *FLOATS),), PART),
    Call("image.crop", (BYTES,), PART, smooth=()),
    # MXNet passes gradients through the rest unchanged, as if the image had not been modified, and
    # its flips leave the column or row in the middle uninitialized.
    *(
        Call(f"image.{name}", (picture,), smooth=())
        for name in ("flip_left_right", "flip_top_bottom")
        for picture in ((8, 10, 3), BYTES[:8, :10])
    ),
    *(
        Call("image.resize", (picture,), {"size": size, "interp": interp}, smooth=())
        for picture in (BYTES, np.stack([BYTES, BYTES[::-1]]))
        for size in ((4, 5), (20, 13))
        for interp in (0, 1, 3, 4)
    ),
    Call("image.resize", (BYTES,), {"size": 6, "keep_ratio": True}, smooth=()),
    Call("image.resize", (FLOATS,), {"size": (5, 7)}, smooth=(), tolerance=1e-5),
    Call("image.random_brightness", (BYTES,), LIMITS, smooth=()),
    # MXNet's saturation uses only 0.114 of blue as the gray of a pixel.
    *(
        Call(f"image.random_{name}", (FLOATS,), LIMITS, smooth=(), tolerance=1e-4)
        for name in ("brightness", "contrast")
    ),
    Call(
        "image.random_hue",
        (RNG.uniform(1, 255, FLOATS).astype("float32"),),
        LIMITS,
        smooth=(),
        tolerance=5e-5,
    ),
    Call("image.adjust_lighting", (FLOATS,), {"alpha": (0.5, -1, 2)}, smooth=(), tolerance=1e-5),
]
