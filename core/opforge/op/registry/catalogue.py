"""Which distribution provides an operator, a layer or another thing that is not installed.

Read only for "not found" errors, since metadata cannot tell what is *not* installed. First-party
ones stand here, and a test compares them with what the plugins declare; others come from the index
of a catalogue (``opforge catalogue build``) that `OPFORGE_CATALOGUE` names.
"""

from ...base import config
from .kinds import KINDS
from .naming import is_distribution_name

__all__ = ["FIRST_PARTY", "providers"]

_OPERATORS: dict[str, tuple[str, ...]] = {
    "opforge-sigmoid": ("sigmoid", "relu", "softrelu", "softsign", "hard_sigmoid", "Activation"),
    "opforge-dense": ("dense",),
    "opforge-embedding": ("Embedding", "_contrib_SparseEmbedding"),
    "opforge-softmax": (
        "softmax",
        "log_softmax",
        "softmin",
        "SoftmaxActivation",
        "softmax_cross_entropy",
        "SoftmaxOutput",
        "Softmax",
    ),
    "opforge-attention": (
        "scaled_dot_product_attention",
        "_contrib_interleaved_matmul_selfatt_qk",
        "_contrib_interleaved_matmul_selfatt_valatt",
        "_contrib_interleaved_matmul_encdec_qk",
        "_contrib_interleaved_matmul_encdec_valatt",
    ),
    "opforge-tile": ("tile", "repeat"),
    "opforge-normalization": (
        "LayerNorm",
        "BatchNorm",
        "BatchNorm_v1",
        "InstanceNorm",
        "GroupNorm",
        "LRN",
        "L2Normalization",
        "_contrib_BatchNormWithReLU",
        "_contrib_SyncBatchNorm",
        "min_max_norm",
        "center",
    ),
    "opforge-dropout": ("Dropout",),
    "opforge-regression": (
        "LinearRegressionOutput",
        "LogisticRegressionOutput",
        "MAERegressionOutput",
        "MakeLoss",
    ),
    "opforge-rectifier": ("LeakyReLU",),
    "opforge-convolution": (
        "Convolution",
        "Convolution_v1",
        "Deconvolution",
        "im2col",
        "col2im",
        "_contrib_DeformableConvolution",
        "_contrib_ModulatedDeformableConvolution",
    ),
    "opforge-detection": (
        "_contrib_box_iou",
        "_contrib_box_nms",
        "_contrib_box_non_maximum_suppression",
        "_contrib_bipartite_matching",
        "_contrib_box_encode",
        "_contrib_box_decode",
        "_contrib_Proposal",
        "_contrib_MultiProposal",
        "_contrib_MultiBoxPrior",
        "_contrib_MultiBoxTarget",
        "_contrib_MultiBoxDetection",
        "Correlation",
        "ROIPooling",
        "_contrib_DeformablePSROIPooling",
        "_contrib_PSROIPooling",
        "_contrib_ROIAlign",
        "_contrib_RROIAlign",
    ),
    "opforge-pooling": ("Pooling", "Pooling_v1", "_contrib_AdaptiveAvgPooling2D"),
    "opforge-image": (
        "_image_resize",
        "_image_to_tensor",
        "_image_normalize",
        "_image_crop",
        "_image_flip_left_right",
        "_image_flip_top_bottom",
        "_image_random_flip_left_right",
        "_image_random_flip_top_bottom",
        "_image_random_brightness",
        "_image_random_contrast",
        "_image_random_saturation",
        "_image_random_hue",
        "_image_random_color_jitter",
        "_image_adjust_lighting",
        "_image_random_lighting",
    ),
    "opforge-recurrent": ("RNN",),
    "opforge-resize": (
        "Pad",
        "pad",
        "Crop",
        "UpSampling",
        "_contrib_BilinearResize2D",
        "depth_to_space",
        "space_to_depth",
        "GridGenerator",
        "BilinearSampler",
        "SpatialTransformer",
    ),
    "opforge-sequence": (
        "SequenceMask",
        "SequenceLast",
        "SequenceReverse",
        "CTCLoss",
        "ctc_loss",
        "_contrib_CTCLoss",
        "_contrib_ctc_loss",
        "_contrib_arange_like",
        "_contrib_index_array",
        "_contrib_boolean_mask",
        "_contrib_index_copy",
        "_contrib_div_sqrt_dim",
    ),
}

_LAYERS: dict[str, tuple[str, ...]] = {
    "opforge-sigmoid": ("Activation",),
    "opforge-dense": ("Dense",),
    "opforge-embedding": ("Embedding", "SparseEmbedding"),
    "opforge-normalization": (
        "MinMaxNormalization",
        "Centering",
        "LayerNorm",
        "BatchNorm",
        "BatchNormReLU",
        "SyncBatchNorm",
        "InstanceNorm",
        "GroupNorm",
    ),
    "opforge-attention": ("MultiHeadAttention",),
    "opforge-dropout": ("Dropout",),
    "opforge-rectifier": ("LeakyReLU", "PReLU", "ELU", "SELU", "GELU", "Swish"),
    "opforge-convolution": (
        "Conv1D",
        "Conv2D",
        "Conv3D",
        "Conv1DTranspose",
        "Conv2DTranspose",
        "Conv3DTranspose",
        "DeformableConvolution",
        "ModulatedDeformableConvolution",
    ),
    "opforge-pooling": (
        "MaxPool1D",
        "MaxPool2D",
        "MaxPool3D",
        "AvgPool1D",
        "AvgPool2D",
        "AvgPool3D",
        "GlobalMaxPool1D",
        "GlobalMaxPool2D",
        "GlobalMaxPool3D",
        "GlobalAvgPool1D",
        "GlobalAvgPool2D",
        "GlobalAvgPool3D",
    ),
    "opforge-recurrent": (
        "RNN",
        "LSTM",
        "GRU",
        "RecurrentCell",
        "HybridRecurrentCell",
        "RNNCell",
        "LSTMCell",
        "GRUCell",
        "SequentialRNNCell",
        "HybridSequentialRNNCell",
        "BidirectionalCell",
        "DropoutCell",
        "ModifierCell",
        "ZoneoutCell",
        "ResidualCell",
        "VariationalDropoutCell",
        "LSTMPCell",
        "Conv1DRNNCell",
        "Conv2DRNNCell",
        "Conv3DRNNCell",
        "Conv1DLSTMCell",
        "Conv2DLSTMCell",
        "Conv3DLSTMCell",
        "Conv1DGRUCell",
        "Conv2DGRUCell",
        "Conv3DGRUCell",
    ),
    "opforge-resize": ("ReflectionPad2D", "PixelShuffle1D", "PixelShuffle2D", "PixelShuffle3D"),
}

_MODELS: dict[str, tuple[str, ...]] = {
    "opforge-models": (
        "AlexNet",
        "alexnet",
        "BasicBlockV1",
        "BasicBlockV2",
        "BottleneckV1",
        "BottleneckV2",
        "DenseNet",
        "densenet121",
        "densenet161",
        "densenet169",
        "densenet201",
        "get_densenet",
        "get_mobilenet",
        "get_mobilenet_v2",
        "get_resnet",
        "get_squeezenet",
        "get_vgg",
        "Inception3",
        "inception_v3",
        "inceptionv3",
        "LinearBottleneck",
        "MobileNet",
        "mobilenet0.25",
        "mobilenet0.5",
        "mobilenet0.75",
        "mobilenet0_25",
        "mobilenet0_5",
        "mobilenet0_75",
        "mobilenet1.0",
        "mobilenet1_0",
        "mobilenet_v2_0_25",
        "mobilenet_v2_0_5",
        "mobilenet_v2_0_75",
        "mobilenet_v2_1_0",
        "MobileNetV2",
        "mobilenetv2_0.25",
        "mobilenetv2_0.5",
        "mobilenetv2_0.75",
        "mobilenetv2_1.0",
        "RELU6",
        "resnet101_v1",
        "resnet101_v2",
        "resnet152_v1",
        "resnet152_v2",
        "resnet18_v1",
        "resnet18_v2",
        "resnet34_v1",
        "resnet34_v2",
        "resnet50_v1",
        "resnet50_v2",
        "ResNetV1",
        "ResNetV2",
        "SqueezeNet",
        "squeezenet1.0",
        "squeezenet1.1",
        "squeezenet1_0",
        "squeezenet1_1",
        "VGG",
        "vgg11",
        "vgg11_bn",
        "vgg13",
        "vgg13_bn",
        "vgg16",
        "vgg16_bn",
        "vgg19",
        "vgg19_bn",
    ),
}

_LOSSES: dict[str, tuple[str, ...]] = {"opforge-sequence": ("CTCLoss",)}

_STORES: dict[str, tuple[str, ...]] = {
    "opforge-mpi": (
        "dist",
        "dist_async",
        "dist_device_sync",
        "dist_sync",
        "dist_sync_device",
        "horovod",
    )
}

_MODULES: dict[str, tuple[str, ...]] = {
    "opforge-image": ("image", "img", "recordio"),
    "opforge-mxnet": (
        "contrib",
        "executor_manager",
        "mod",
        "model",
        "module",
        "mxnet",
        "rnn",
        "rtc",
        "test_utils",
    ),
    "opforge-tools": ("benchmarks", "testing"),
}
_DATASETS: dict[str, tuple[str, ...]] = {
    "opforge-image": ("ImageFolderDataset", "ImageRecordDataset", "RecordFileDataset")
}
_ITERATORS: dict[str, tuple[str, ...]] = {
    "opforge-image": (
        "ImageDetRecordIter",
        "ImageRecordInt8Iter",
        "ImageRecordIter",
        "ImageRecordIter_v1",
        "ImageRecordUInt8Iter",
        "ImageRecordUInt8Iter_v1",
    )
}

_COMMANDS: dict[str, tuple[str, ...]] = {
    "opforge-tools": ("check", "bench", "profile", "new", "docs", "stubs", "catalogue")
}

#: Noun -> name -> distribution of this repository.
FIRST_PARTY: dict[str, dict[str, str]] = {
    noun: {name: distribution for distribution, names in table.items() for name in names}
    for noun, table in {
        "operator": _OPERATORS,
        "layer": _LAYERS,
        "model": _MODELS,
        "loss": _LOSSES,
        "kvstore": _STORES,
        "module": _MODULES,
        "dataset": _DATASETS,
        "iterator": _ITERATORS,
        "command": _COMMANDS,
    }.items()
}


def providers(noun: str) -> tuple[dict[str, str], str]:
    """Return name -> distribution of what may be installed, and what is wrong with the index.

    Parameters
    ----------
    noun : str
        Of `op.registry.kinds`, or "custom operator", which is looked for among operators.

    Examples
    --------
    >>> providers("operator")[0]["softmax"]
    'opforge-softmax'
    """
    kind = KINDS.get(noun, KINDS["operator"])
    first_party = FIRST_PARTY.get(kind.noun, {})
    path = config.get("OPFORGE_CATALOGUE")
    if not path:
        return first_party, ""
    import json

    try:
        with open(path, encoding="utf-8") as file:
            table = json.load(file).get(kind.plural, {})
        indexed = {str(name): _distribution(rows) for name, rows in table.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        problem = f"OPFORGE_CATALOGUE={path} cannot be read ({type(error).__name__}: {error})"
        return first_party, problem
    return {**{name: text for name, text in indexed.items() if text}, **first_party}, ""


def _distribution(rows: list[dict[str, str]]) -> str:
    """Return the first distribution of a row that may stand in a line for pip."""
    names = sorted(str(row["distribution"]) for row in rows)
    return next((name for name in names if is_distribution_name(name)), "")
