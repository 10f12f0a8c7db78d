"""Sample calls and references of the operators and layers; imported only by ``opforge check``."""

from typing import Any

from opforge.plugin_api import initializer

from . import references


def call(*inputs: Any, **attributes: Any) -> dict[str, Any]:
    """Return a sample call."""
    return {"inputs": list(inputs), "attributes": attributes}


OPERATOR_CHECKS: dict[str, dict[str, Any]] = {
    "Convolution": {
        "reference": references.convolution,
        "samples": [
            call((2, 3, 5, 4), (4, 3, 3, 2), (4,), kernel=(3, 2), num_filter=4),
            call(
                (1, 4, 7),
                *[(6, 2, 3), (6,)],
                kernel=(3,),
                num_filter=6,
                num_group=2,
                stride=(2,),
                pad=(2,),
                dilate=(2,),
            ),
            call((1, 2, 3, 4, 3), (2, 2, 2, 1, 3), kernel=(2, 1, 3), num_filter=2, no_bias=True),
            call((2, 4, 3, 2), (3, 1, 1, 2), (3,), kernel=(1, 1), num_filter=3, layout="NHWC"),
            # With blocked forms, of plain sums and of Winograd's algorithm.
            call((1, 2, 5, 4), (16, 2, 2, 2), (16,), kernel=(2, 2), num_filter=16),
            call((1, 16, 8, 12), (16, 16, 3, 3), (16,), kernel=(3, 3), num_filter=16, pad=(1, 1)),
        ],
    },
    "_winograd_weight": {
        "reference": references.winograd_weight,
        "samples": [call((32, 2, 3, 3)), call((16, 3, 3, 3))],
    },
    "Deconvolution": {
        "reference": references.deconvolution,
        "samples": [
            call((2, 3, 4, 3), (3, 2, 3, 2), kernel=(3, 2), num_filter=2),
            call(
                (1, 4, 5),
                *[(4, 3, 3), (6,)],
                kernel=(3,),
                num_filter=6,
                num_group=2,
                stride=(2,),
                pad=(1,),
                adj=(1,),
                no_bias=False,
            ),
            call(
                (1, 2, 3, 2),
                (2, 2, 3, 3),
                kernel=(3, 3),
                num_filter=2,
                stride=(2, 2),
                target_shape=(6, 3),
            ),
        ],
    },
    "im2col": {
        "reference": references.im2col,
        "samples": [
            call((2, 3, 5, 4), kernel=(3, 2), stride=(2, 1), pad=(1, 0)),
            call((1, 2, 7), kernel=(3,), dilate=(2,)),
        ],
    },
    "col2im": {
        "reference": references.col2im,
        "samples": [
            call((2, 18, 9), output_size=(5, 4), kernel=(3, 2), stride=(2, 1), pad=(1, 0)),
            call((1, 6, 3), output_size=(7,), kernel=(3,), dilate=(2,)),
        ],
    },
}

DEFORMED = {
    "kernel": (3, 2),
    "num_filter": 4,
    "num_group": 2,
    "num_deformable_group": 2,
    "pad": (1, 1),
    "dilate": (1, 2),
}


def deformed_samples(fields: int) -> Any:
    """Return a function that draws calls with `fields` inputs of offsets and masks.

    Finite differences of the offsets do not cross pixels.
    """

    def samples(rng: Any) -> list[dict[str, Any]]:
        pixels, fraction = rng.integers(-2, 3, (2, 24, 5, 4)), rng.uniform(0.2, 0.8, (2, 24, 5, 4))
        offset = pixels + fraction
        inputs = [(2, 4, 5, 4), offset, rng.uniform(0, 1, (2, 12, 5, 4)), (4, 2, 3, 2), (4,)]
        return [call(*inputs[: fields + 1], *inputs[3:], **DEFORMED)]

    return samples


OPERATOR_CHECKS |= {
    "_contrib_DeformableConvolution": {
        "reference": references.deformable_convolution,
        "samples": deformed_samples(1),
    },
    "_contrib_ModulatedDeformableConvolution": {
        "reference": references.deformed,
        "samples": deformed_samples(2),
    },
}


def layer_samples(dims: int, channels: int) -> list[dict[str, Any]]:
    """Return sample calls of a layer with `dims` spatial dimensions."""
    data = (2, channels, *(5, 4, 3)[:dims])
    return [
        {"inputs": [data], "arguments": {"channels": 4, "kernel_size": 3, "padding": 1}},
        {
            "inputs": [data],
            "arguments": {
                "channels": 4,
                "kernel_size": (2,) * dims,
                "strides": 2,
                "groups": 2,
                "use_bias": False,
                "in_channels": channels,
            },
        },
    ]


LAYER_CHECKS: dict[str, dict[str, Any]] = {
    f"Conv{dims}D{kind}": {"samples": layer_samples(dims, 2)}
    for dims in (1, 2, 3)
    for kind in ("", "Transpose")
}

#: Offsets between pixels, because the layers are not differentiable at pixels.
BETWEEN = initializer.Constant(0.4)

LAYER_CHECKS |= {
    name: {
        "samples": [
            {
                "inputs": [(2, 4, 5, 4)],
                "arguments": {
                    "channels": 3,
                    "kernel_size": 3,
                    "padding": 1,
                    "use_bias": use_bias,
                    "offset_bias_initializer": BETWEEN,
                },
            }
            for use_bias in (True, False)
        ]
    }
    for name in ("DeformableConvolution", "ModulatedDeformableConvolution")
}
