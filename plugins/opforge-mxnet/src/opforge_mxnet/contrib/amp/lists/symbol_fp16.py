"""Lists of operators that compute in float16 and in float32.

The names are those of operators and their aliases. Products gain from float16 if the hardware
supports it; sums, exponentials and similar operators exceed its range.
"""

from opforge.op.registry.registry import names

__all__ = [
    "CONDITIONAL_FP32_FUNCS",
    "FP16_FP32_FUNCS",
    "FP16_FUNCS",
    "FP32_FUNCS",
    "LOSS_OUTPUT_FUNCTIONS",
    "WIDEST_TYPE_CASTS",
]

#: Computed in float16.
FP16_FUNCS = ["Convolution", "Deconvolution", "FullyConnected", "RNN"]

#: Losses, whose gradients begin a backward pass.
LOSS_OUTPUT_FUNCTIONS = [
    *("SoftmaxOutput", "LinearRegressionOutput", "LogisticRegressionOutput"),
    "MAERegressionOutput",
]

_ELEMENTARY = [
    *("arccos", "arcsin", "arctanh", "cosh", "sinh", "tan", "erfinv", "gamma", "gammaln"),
    *("exp", "expm1", "log", "log10", "log2", "log1p", "square", "reciprocal", "rsqrt", "rcbrt"),
]
_POWERS = [
    *("broadcast_power", "_Power", "_power", "_PowerScalar", "_power_scalar"),
    *("_RPowerScalar", "_rpower_scalar", "_RDivScalar", "_rdiv_scalar"),
    *("broadcast_hypot", "_Hypot", "_hypot", "_HypotScalar", "_hypot_scalar"),
]
_REDUCTIONS = ["sum", "sum_axis", "nansum", "prod", "nanprod", "mean", "norm", "argsort", "topk"]
_NORMALIZATIONS = [
    *("softmax", "log_softmax", "softmin", "Softmax", "SoftmaxActivation", "LRN"),
    *("InstanceNorm", "LayerNorm", "GroupNorm", "L2Normalization", "_contrib_SyncBatchNorm"),
]
_LOSSES = [
    *LOSS_OUTPUT_FUNCTIONS,
    *("softmax_cross_entropy", "smooth_l1", "MakeLoss", "make_loss"),
    *("CTCLoss", "ctc_loss", "_contrib_CTCLoss", "_contrib_ctc_loss"),
]

#: Computed in float32.
FP32_FUNCS = [
    *(_ELEMENTARY + _POWERS + _REDUCTIONS + _NORMALIZATIONS + _LOSSES),
    *("Convolution_v1", "_contrib_DeformableConvolution", "Custom"),
]

#: Computed in float32 if an attribute has one of the given values.
CONDITIONAL_FP32_FUNCS = [
    ("Activation", "act_type", ["softrelu"]),
    ("LeakyReLU", "act_type", ["elu", "selu"]),
]

_COMPARED = ["equal", "not_equal", "greater", "greater_equal", "lesser", "lesser_equal"]
_LOGICAL = ["logical_and", "logical_or", "logical_xor"]
_BINARY = ["add", "plus", "sub", "minus", "mul", "div", "mod", "maximum", "minimum"]

#: Computed in the widest type of their inputs.
WIDEST_TYPE_CASTS = [
    *(f"broadcast_{name}" for name in _BINARY + _COMPARED + _LOGICAL),
    *(f"_{name}" for name in [*_BINARY[1:], *_COMPARED, *_LOGICAL]),
    *(f"_{name.title()}" for name in [*_BINARY[1:2], "minus", *_BINARY[4:], *_COMPARED, *_LOGICAL]),
    *(f"elemwise_{name}" for name in ("add", "sub", "mul", "div")),
    *("add_n", "ElementWiseSum", "concat", "Concat", "stack", "where", "dot", "batch_dot"),
    *(f"_contrib_interleaved_matmul_{name}_qk" for name in ("selfatt", "encdec")),
    *(f"_contrib_interleaved_matmul_{name}_valatt" for name in ("selfatt", "encdec")),
]

FP16_FP32_FUNCS: list[str]


def __getattr__(name: str) -> list[str]:
    """Return `FP16_FP32_FUNCS`: all other operators, which keep the dtype of their inputs."""
    if name != "FP16_FP32_FUNCS":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    conditional = [operator for operator, _, _ in CONDITIONAL_FP32_FUNCS]
    listed = {*FP16_FUNCS, *FP32_FUNCS, *WIDEST_TYPE_CASTS, *conditional}
    return sorted(set(names()) - listed)
