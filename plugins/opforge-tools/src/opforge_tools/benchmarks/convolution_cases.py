"""Cases of kernels of convolutional networks: convolution, pooling, batch normalization."""

from .both_ways import pair, wanted
from .case import Array, Case

__all__ = ["CONVOLUTIONS"]

_GROUP = "convolution and pooling"
#: Number of window positions along an axis, an expression in the sizes of a case.
_POSITIONS = "((length + 2 * pad - kernel) // stride + 1)"


def _convolution(
    name: str,
    forward: float,
    both: float,
    n: int,
    channels: int,
    length: int,
    filters: int,
    kernel: int,
    stride: int = 1,
    pad: int = 0,
    groups: int = 1,
) -> tuple[Case, ...]:
    """Return the cases of square filters applied to square images."""
    return pair(
        _GROUP,
        f"convolution, {name}",
        "nd.Convolution(x, w, b, kernel=(kernel, kernel), stride=(stride, stride), "
        "pad=(pad, pad), num_filter=filters, num_group=groups)",
        "F.conv2d(x, w, b, stride, pad, 1, groups)",
        (forward, both),
        {
            "n": n,
            "channels": channels,
            "length": length,
            "filters": filters,
            "kernel": kernel,
            "stride": stride,
            "pad": pad,
            "groups": groups,
        },
        {
            "x": wanted("n", "channels", "length", "length"),
            "w": wanted("filters", "channels // groups", "kernel", "kernel"),
            "b": wanted("filters"),
        },
        flops=f"2 * n * filters * channels // groups * kernel ** 2 * {_POSITIONS} ** 2",
    )


_WINDOWS = {"n": 32, "channels": 64, "length": 112, "kernel": 3, "stride": 2, "pad": 1}
_IMAGES = {"x": wanted("n", "channels", "length", "length")}

CONVOLUTIONS = (
    *_convolution("1x3x224x224, 64 of 7x7/2", 0.5, 0.8, 1, 3, 224, 64, 7, 2, 3),
    *_convolution("32x64x56x56, 64 of 3x3", 0.6, 0.8, 32, 64, 56, 64, 3, pad=1),
    *_convolution("32x256x14x14, 256 of 3x3", 0.9, 0.95, 32, 256, 14, 256, 3, pad=1),
    *_convolution("32x256x14x14, 1024 of 1x1", 0.6, 0.9, 32, 256, 14, 1024, 1),
    *_convolution("32x128x28x28, depthwise 3x3", 0.9, 0.4, 32, 128, 28, 128, 3, pad=1, groups=128),
    *_convolution("64x1x28x28, 20 of 5x5", 0.8, 0.4, 64, 1, 28, 20, 5),
    *pair(
        _GROUP,
        "convolution, 16x64x1000, 128 of 5",
        "nd.Convolution(x, w, b, kernel=(kernel,), pad=(pad,), num_filter=filters)",
        "F.conv1d(x, w, b, 1, pad)",
        (None, 0.8),
        {"n": 16, "channels": 64, "length": 1000, "filters": 128, "kernel": 5, "pad": 2},
        {
            "x": wanted("n", "channels", "length"),
            "w": wanted("filters", "channels", "kernel"),
            "b": wanted("filters"),
        },
        flops="2 * n * filters * channels * kernel * (length + 2 * pad - kernel + 1)",
    ),
    *pair(
        _GROUP,
        "max pooling 3x3/2, 32x64x112x112",
        "nd.Pooling(x, kernel=(kernel, kernel), stride=(stride, stride), pad=(pad, pad), "
        "pool_type='max')",
        "F.max_pool2d(x, kernel, stride, pad)",
        (0.2, 0.25),
        _WINDOWS,
        _IMAGES,
        nbytes=f"4 * n * channels * (length ** 2 + {_POSITIONS} ** 2)",
    ),
    *pair(
        _GROUP,
        "global average pooling, 32x64x112x112",
        "nd.Pooling(x, global_pool=True, kernel=(1, 1), pool_type='avg')",
        "F.adaptive_avg_pool2d(x, 1)",
        (1.0, None),
        {"n": 32, "channels": 64, "length": 112},
        _IMAGES,
        nbytes="4 * n * channels * (length ** 2 + 1)",
    ),
    *pair(
        _GROUP,
        "batch norm, training, 32x64x56x56",
        "nd.BatchNorm(x, gain, bias, mean, variance, fix_gamma=False)",
        "F.batch_norm(x, mean, variance, gain, bias, True)",
        (None, 0.8),
        {"n": 32, "channels": 64, "length": 56},
        {
            **_IMAGES,
            "gain": wanted("channels", fill="ones"),
            "bias": wanted("channels", fill="zeros"),
            "mean": Array(("channels",), "zeros"),
            "variance": Array(("channels",), "ones"),
        },
        nbytes="8 * n * channels * length ** 2",
    ),
)
