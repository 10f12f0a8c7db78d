"""opforge-convolution."""

from itertools import product

from .call import Call

KERNELS = {1: ((11,), (3,)), 2: ((9, 8), (3, 2)), 3: ((5, 6, 4), (2, 3, 1))}
#: Groups, stride, dilate, pad.
WINDOWS = list(product((1, 2, 4), (1, 2), (1, 2), (0, 2)))


def window(dims, stride, dilate, pad):
    return {"stride": (stride,) * dims, "dilate": (dilate,) * dims, "pad": (pad,) * dims}


def convolutions():
    for dims, (groups, *steps) in product(KERNELS, WINDOWS):
        lengths, kernel = KERNELS[dims]
        yield Call(
            "Convolution",
            ((2, 4, *lengths), (8, 4 // groups, *kernel), (8,)),
            {"kernel": kernel, "num_filter": 8, "num_group": groups, **window(dims, *steps)},
            smooth=(0, 1, 2),
        )
    yield Call(
        "Convolution",
        ((1, 3, 1, 1), (2, 3, 3, 3)),
        {"kernel": (3, 3), "num_filter": 2, "pad": (1, 1), "no_bias": True, "layout": "NCHW"},
        smooth=(0, 1),
    )
    yield Call(
        "Convolution_v1",
        ((2, 4, 7, 6), (6, 2, 3, 3), (6,)),
        {"kernel": (3, 3), "num_filter": 6, "num_group": 2},
        smooth=(0, 1, 2),
    )


def deconvolutions():
    # MXNet lacks three dimensions there, and spreads wrongly if positions skip dilated elements.
    for dims, (groups, stride, dilate, pad) in product((1, 2), WINDOWS):
        if stride == dilate == 2:
            continue
        lengths, kernel = KERNELS[dims]
        attributes = {
            "kernel": kernel,
            "num_filter": 8,
            "num_group": groups,
            **window(dims, stride, dilate, pad // 2),
        }
        inputs = (2, 4, *lengths), (4, 8 // groups, *kernel)
        for adj in range(stride):
            yield Call(
                "Deconvolution",
                (*inputs, (8,)),
                {**attributes, "adj": (adj,) * dims, "no_bias": False},
                smooth=(0, 1, 2),
            )
        target = [
            (n - 1) * stride + dilate * (k - 1) - 1 - (stride > 1)
            for n, k in zip(lengths, kernel, strict=True)
        ]
        yield Call(
            "Deconvolution", inputs, {**attributes, "target_shape": tuple(target)}, smooth=(0, 1)
        )


def patches():
    # Two of the three numbers of dimensions fail in MXNet.
    lengths, kernel = KERNELS[2]
    for stride, dilate, pad in product((1, 2), (1, 2), (0, 2)):
        attributes = {"kernel": kernel, **window(2, stride, dilate, pad)}
        yield Call("im2col", ((2, 3, *lengths),), attributes)
        places = 1
        for n, k in zip(lengths, kernel, strict=True):
            places *= (n + 2 * pad - dilate * (k - 1) - 1) // stride + 1
        yield Call("col2im", ((2, 18, places),), {"output_size": lengths, **attributes})


def offsets(*shape):
    """Return a function that draws offsets between the pixels, some of them outside the image."""
    return lambda rng: rng.integers(-2, 4, shape) + rng.uniform(0.1, 0.9, shape)


def deformable():
    for groups, moved, stride in product((1, 2), (1, 2, 4), (1, 2)):
        size = (6 - 1) // stride + 1, (5 - 1) // stride + 1
        yield Call(
            "contrib.DeformableConvolution",
            ((2, 4, 6, 5), offsets(2, moved * 18, *size), (6, 4 // groups, 3, 3), (6,)),
            {
                "kernel": (3, 3),
                "num_filter": 6,
                "num_group": groups,
                "num_deformable_group": moved,
                **window(2, stride, 1, 1),
            },
            smooth=(0, 1, 2, 3),
        )


CALLS = [*convolutions(), *deconvolutions(), *patches(), *deformable()]
