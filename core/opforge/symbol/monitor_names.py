"""Names of operators' inputs and outputs in monitors and hooks, following MXNet.

MXNet's monitors use the names with which an operator was registered. Most operators of one array
were registered without names: their input is ``input0``, and a hook of a block calls their output
``0``.
"""

from .node import Node, Operation

__all__ = ["input_names", "numbered_outputs"]

#: Operators of one array that MXNet registers without input names, besides elementwise kernels.
_UNNAMED_INPUT = frozenset(
    {
        *("Activation", "BlockGrad", "Cast", "Flatten", "Reshape", "SoftmaxActivation"),
        *("_contrib_AdaptiveAvgPooling2D", "_contrib_arange_like", "_contrib_box_nms"),
        *("_contrib_bipartite_matching", "_contrib_div_sqrt_dim", "_contrib_gradientmultiplier"),
        *("_contrib_round_ste", "_contrib_sign_ste", "_image_flip_left_right"),
        *("_image_flip_top_bottom", "_image_random_flip_left_right", "_image_resize"),
        *("_image_random_flip_top_bottom", "_image_random_lighting", "_random_uniform_like"),
        *("_sample_multinomial", "_shuffle", "amp_cast", "argmax", "argmax_channel", "argmin"),
        *("argsort", "broadcast_axis", "broadcast_to", "cast_storage", "clip", "expand_dims"),
        *("hard_sigmoid", "make_loss", "max", "mean", "min", "nanprod", "nansum", "norm"),
        *("ones_like", "prod", "relu", "shape_array", "sigmoid", "size_array", "slice"),
        *("slice_axis", "smooth_l1", "softmin", "softsign", "sort", "sum", "topk", "transpose"),
        "zeros_like",
    }
)
#: Operators that MXNet registers with output names.
_NAMED_OUTPUTS = frozenset(
    {
        *("Activation", "BatchNorm", "BatchNorm_v1", "BilinearSampler", "Concat", "Convolution"),
        *("Correlation", "Crop", "Deconvolution", "Dropout", "FullyConnected", "GridGenerator"),
        *("GroupNorm", "IdentityAttachKLSparseReg", "InstanceNorm", "L2Normalization", "LRN"),
        *("LayerNorm", "LeakyReLU", "MakeLoss", "Pad", "Pooling", "Pooling_v1", "RNN"),
        *("ROIPooling", "SVMOutput", "SequenceLast", "SequenceMask", "SequenceReverse"),
        *("SliceChannel", "SoftmaxActivation", "SoftmaxOutput", "SpatialTransformer", "SwapAxis"),
        *("UpSampling", "_contrib_BatchNormWithReLU", "_contrib_DeformableConvolution"),
        *("_contrib_DeformablePSROIPooling", "_contrib_MultiBoxDetection"),
        *("_contrib_MultiBoxPrior", "_contrib_PSROIPooling", "_contrib_ROIAlign"),
        *("_contrib_SyncBatchNorm", "_contrib_count_sketch", "_contrib_fft", "_contrib_ifft"),
        *("_contrib_index_array", "_contrib_interleaved_matmul_encdec_qk"),
        *("_contrib_interleaved_matmul_encdec_valatt", "_contrib_interleaved_matmul_selfatt_qk"),
        *("_contrib_interleaved_matmul_selfatt_valatt", "_rnn_param_concat", "col2im"),
        *("elemwise_add", "im2col", "make_loss", "softmax", "softmin"),
    }
)


def input_names(operation: Operation) -> list[str]:
    """Return the names of an operator's inputs, auxiliary states last."""
    prop = operation.prop
    names = [*prop.list_arguments(), *prop.list_auxiliary_states()]
    if names == ["data"] and (_is_of_one_kernel(operation) or operation.name in _UNNAMED_INPUT):
        return ["input0"]
    return [str(name) for name in names]


def numbered_outputs(node: Node) -> list[str]:
    """Return the names of a node's outputs as used in MXNet's hooks of blocks.

    Examples
    --------
    >>> from opforge import sym
    >>> numbered_outputs(sym.exp(sym.var("x"), name="e").edges[0][0])
    ['e_0']
    """
    assert node.operation is not None
    names = node.operation.output_names()
    is_named = any(name.rstrip("0123456789") != "output" for name in names)
    if node.operation.name in _NAMED_OUTPUTS or is_named:
        return node.output_names()
    return [f"{node.name}_{index}" for index in range(len(names))]


def _is_of_one_kernel(operation: Operation) -> bool:
    kernel = getattr(operation.prop, "elementwise_kernel", None)
    return kernel is not None and kernel[0] in {"unary", "scalar"}
