"""Names that MXNet programs reach by other paths than opforge's own, as rows of text.

MXNet keeps its classes in modules (``mxnet.optimizer.optimizer``) that opforge divides otherwise,
and its modules have names that they only import (``mxnet.gluon.block.Parameter``).
"""

__all__ = ["FUNCTIONS", "MODULES", "NAMES"]

#: Module of MXNet -> the modules of opforge that have its names, the first that has one.
MODULES: dict[str, tuple[str, ...]] = {
    "gluon.contrib.cnn.conv_layers": ("gluon.contrib.cnn",),
    "gluon.contrib.nn.basic_layers": ("gluon.contrib.nn",),
    "gluon.contrib.rnn.conv_rnn_cell": ("gluon.contrib.rnn",),
    "gluon.model_zoo.vision.alexnet": ("gluon.model_zoo.vision",),
    "gluon.model_zoo.vision.densenet": ("gluon.model_zoo.vision",),
    "gluon.model_zoo.vision.inception": ("gluon.model_zoo.vision",),
    "gluon.model_zoo.vision.mobilenet": ("gluon.model_zoo.vision",),
    "gluon.model_zoo.vision.resnet": ("gluon.model_zoo.vision",),
    "gluon.model_zoo.vision.squeezenet": ("gluon.model_zoo.vision",),
    "gluon.model_zoo.vision.vgg": ("gluon.model_zoo.vision",),
    "gluon.nn.activations": ("gluon.nn",),
    "gluon.nn.basic_layers": ("gluon.nn",),
    "gluon.nn.conv_layers": ("gluon.nn",),
    "gluon.rnn.rnn_cell": ("gluon.rnn",),
    "gluon.rnn.rnn_layer": ("gluon.rnn",),
    "io.io": ("io",),
    "kvstore.kvstore": ("kvstore",),
    "ndarray.utils": ("ndarray",),
    "optimizer.contrib": ("optimizer",),
    "optimizer.optimizer": ("optimizer",),
    "rnn.rnn": ("rnn",),
    "rnn.rnn_cell": ("rnn",),
}
#: Modules with the name of a function of their package, which the attribute is.
FUNCTIONS = {"gluon.model_zoo.vision.alexnet"}

_LAYER = {
    "python:opforge_mxnet.base.value_kinds": "numeric_types string_types",
    "gluon": "Block HybridBlock Parameter block parameter",
    "python:opforge_mxnet.gluon.block_functions": "_indent tensor_types",
    "gluon.nn": "Activation HybridSequential Sequential",
    "ndarray": "NDArray",
    "symbol": "Symbol",
    "": "nd ndarray sym symbol initializer",
}
_MODEL = {
    "context": "cpu",
    "gluon": "HybridBlock nn",
    "gluon.nn": "HybridSequential",
    "": "base",
}
_ARRAY_TABLES = "_DTYPE_MX_TO_NP _DTYPE_NP_TO_MX _GRAD_REQ_MAP"
_STORAGE_TABLES = (
    "_STORAGE_TYPE_CSR _STORAGE_TYPE_DEFAULT _STORAGE_TYPE_ID_TO_STR _STORAGE_TYPE_ROW_SPARSE "
    "_STORAGE_TYPE_STR_TO_ID _STORAGE_TYPE_UNDEFINED"
)
_ARITHMETIC = (
    "add divide equal greater greater_equal lesser lesser_equal logical_and logical_or logical_xor "
    "maximum minimum modulo multiply not_equal power subtract true_divide"
)

#: Module -> {module that has the names, "" for opforge itself, "python:" before others: names}.
#: A name is ``name``, ``name=other`` if the module calls it `other`, or ``name=`` for the module.
NAMES: dict[str, dict[str, str]] = {
    "": {"npx": "use_np use_np_array use_np_shape"},
    "base": {
        "python:opforge_mxnet.base.c_library": "ExecutorHandle KVStoreHandle NDArrayHandle "
        "SymbolHandle _LIB=library c_array c_str c_str_array check_call mx_float mx_int mx_uint "
        "py_str",
        "python:opforge_mxnet.base.data_folder": "data_dir data_dir_default",
        "python:opforge_mxnet.base.value_kinds": "_as_list=as_list integer_types mx_real_t "
        "numeric_types string_types",
    },
    "context": {"python:opforge_mxnet.util._devices": "gpu_memory_info"},
    "contrib.amp.amp": {
        "contrib.amp": "convert_bucketing_module convert_hybrid_block convert_model convert_symbol "
        "list_conditional_fp32_ops list_fp32_ops list_loss_output_functions list_lp16_fp32_ops "
        "list_lp16_ops list_lp16_use_fp32_params list_widest_type_cast",
        "": "nd ndarray sym symbol",
    },
    "executor": {
        "executor_manager": "_check_arguments _load_data _load_label _split_input_slice",
        "": "nd ndarray NDArray",
    },
    "executor_manager": {
        "python:opforge_mxnet.device_executors": "DataParallelExecutorGroup "
        "DataParallelExecutorManager",
    },
    "gluon": {"python:opforge_mxnet.gluon.block_functions": "tensor_types"},
    "gluon.contrib.rnn.rnn_cell": {
        "python:opforge_mxnet.gluon.block_functions": "tensor_types",
    },
    "gluon.block": {
        "base.errors": "DeferredInitializationError MXNetError",
        "context": "cpu",
        "gluon": "Parameter ParameterDict",
        "python:opforge_mxnet.gluon.block_scope": "_BlockScope",
        "python:opforge_mxnet.gluon.block_functions": "_flatten _indent _regroup _brief_print_list",
        "gluon.hooks": "HookHandle",
        "ndarray": "NDArray",
        "symbol": "Symbol load_json",
        "": "initializer nd ndarray symbol",
    },
    "gluon.contrib.cnn.conv_layers": _LAYER,
    "gluon.contrib.nn.basic_layers": _LAYER,
    "gluon.contrib.rnn.conv_rnn_cell": _LAYER,
    "gluon.data.dataloader": {
        "context": "context=",
        "gluon.data": "_sampler=sampler",
        "python:opforge_mxnet.gluon.block_functions": "_as_in_context",
        "python:multiprocessing.reduction": "ForkingPickler",
        "": "nd",
    },
    "gluon.data.dataset": {"gluon.data": "RecordFileDataset", "": "ndarray recordio"},
    "gluon.data.vision.datasets": {
        "gluon.data": "dataset",
        "gluon.data.vision": "CIFAR10 CIFAR100 ImageFolderDataset ImageRecordDataset",
        "gluon.utils": "_get_repo_file_url check_sha1 download",
        "": "base image nd recordio",
    },
    "gluon.data.vision.transforms": {
        "gluon": "Block HybridBlock",
        "gluon.nn": "HybridSequential Sequential",
        "python:opforge_mxnet.base.value_kinds": "numeric_types",
        "": "image",
    },
    "gluon.loss": {
        "python:opforge_mxnet.base.value_kinds": "numeric_types",
        "gluon": "HybridBlock",
        "": "nd ndarray",
    },
    "gluon.nn.activations": _LAYER,
    "gluon.nn.basic_layers": _LAYER,
    "gluon.nn.conv_layers": _LAYER,
    "gluon.parameter": {
        "base.errors": "DeferredInitializationError MXNetError",
        "gluon": "Constant ParameterDict",
        "python:opforge_mxnet.gluon.block_functions": "_brief_print_list _indent shape_is_known "
        "tensor_types",
        "python:numpy": "mx_real_t=float32",
        "": "context ndarray symbol",
    },
    "gluon.rnn.rnn_cell": _LAYER,
    "gluon.rnn.rnn_layer": _LAYER,
    "gluon.utils": {
        "python:opforge_mxnet.gluon.block_functions": "_brief_print_list _indent shape_is_known",
        "": "nd ndarray",
    },
    "initializer": {
        "ndarray": "NDArray load",
        "python:opforge_mxnet.base.value_kinds": "string_types",
        "": "ndarray random registry",
    },
    "io": {"python:opforge_mxnet.io.mx_data_iter": "MXDataIter"},
    "io.io": {
        "python:opforge_mxnet.base.value_kinds": "numeric_types string_types",
        "ndarray": "NDArray array concat",
        "": "nd ndarray",
    },
    "kvstore.base": {
        "kvstore.factory": "create",
        "python:opforge_mxnet.base.value_kinds": "string_types",
        "python:opforge_mxnet.teststore": "TestStore",
    },
    "kvstore.kvstore": {"": "nd ndarray"},
    "metric": {
        "python:opforge_mxnet.base.value_kinds": "numeric_types string_types",
        "python:numpy": "numpy=",
        "": "ndarray registry",
    },
    "model": {
        "python:opforge_mxnet.base.value_kinds": "mx_real_t",
        "context": "Context cpu",
        "initializer": "Uniform",
        "optimizer": "get_updater",
        "": "io kvs=kvstore metric nd opt=optimizer sym",
    },
    "module.base_module": {
        "context": "cpu",
        "initializer": "Uniform",
        "io": "DataBatch DataDesc DataIter",
        "model": "BatchEndParam",
        "": "metric ndarray nd",
    },
    "module.bucketing_module": {"module": "BaseModule", "": "ctx=context"},
    "module.executor_group": {"": "ctx=context nd"},
    "module.module": {
        "initializer": "InitDesc Uniform",
        "module": "BaseModule",
        "ndarray": "zeros",
        "": "ctx=context nd opt=optimizer",
    },
    "ndarray.ndarray": {
        "python:opforge_mxnet.base.value_kinds": "integer_types numeric_types",
        "python:opforge_mxnet.base.type_tables": f"{_ARRAY_TABLES} {_STORAGE_TABLES}",
        "context": "current_context",
        "ndarray": f"{_ARITHMETIC} _internal arange array concatenate empty eye from_dlpack "
        "from_numpy full linspace moveaxis onehot_encode ones op to_dlpack_for_read "
        "to_dlpack_for_write waitall zeros",
    },
    "ndarray.utils": {"python:opforge_mxnet.base.value_kinds": "string_types"},
    "operator": {"python:opforge_mxnet.legacy.operators": "NDArrayOp NumpyOp PythonOp"},
    "profiler": {
        "python:opforge_mxnet.profiler_names": "dump_profile profiler_set_config "
        "profiler_set_state",
    },
    "optimizer.optimizer": {
        "lr_scheduler": "LRScheduler",
        "ndarray": "NDArray array",
        "python:opforge_mxnet.base.value_kinds": "string_types",
        "": "nd ndarray lr_scheduler",
    },
    **{
        path: {"python:opforge_mxnet.base.value_kinds": "numeric_types string_types"}
        for path in ("rnn", "rnn.rnn_cell", "rtc")
    },
    "registry": {"python:opforge_mxnet.base.value_kinds": "string_types"},
    "contrib.autograd": {"python:opforge_mxnet.base.value_kinds": "string_types"},
    "symbol.symbol": {
        "attribute": "AttrScope",
        "base.errors": "MXNetError NotImplementedForSymbol",
        "python:opforge_mxnet.base.type_tables": f"{_ARRAY_TABLES} {_STORAGE_TABLES}",
        "python:opforge_mxnet.base.value_kinds": "integer_types numeric_types string_types",
        "context": "Context current_context",
        "executor": "Executor",
        "ndarray": "NDArray",
        "symbol": "Group Variable _internal arange eye full hypot linspace load load_json maximum "
        "minimum ones op pow power var zeros",
    },
    "util": {"npx": "use_np use_np_array use_np_shape"},
    **{
        f"gluon.model_zoo.vision.{name}": _MODEL
        for name in (
            "alexnet",
            "densenet",
            "inception",
            "mobilenet",
            "resnet",
            "squeezenet",
            "vgg",
        )
    },
}

_C_LIBRARY = "python:opforge_mxnet.base.c_library"
_CACHED_OP = "python:opforge_mxnet.cached_op"
_KINDS = "python:opforge_mxnet.base.value_kinds"
_MODELS = "python:opforge_models"

#: Source and names as in `NAMES` -> modules that have these names, besides those in `NAMES`.
_SHARED: dict[tuple[str, str], str] = {
    (_C_LIBRARY, "_LIB=library check_call"): "autograd context contrib.amp.amp contrib.autograd "
    "executor io.io kvstore.base kvstore.kvstore ndarray.ndarray ndarray.sparse ndarray.utils "
    "operator profiler random recordio rtc symbol.contrib symbol.symbol util",
    (_C_LIBRARY, "c_str"): "kvstore.base kvstore.kvstore ndarray.ndarray ndarray.utils operator "
    "profiler recordio rtc symbol.symbol util",
    (_C_LIBRARY, "py_str"): "executor io.io kvstore.kvstore ndarray.utils operator "
    "optimizer.optimizer profiler symbol.symbol util",
    (_C_LIBRARY, "c_array c_str_array"): "kvstore.base ndarray.utils rtc symbol.symbol",
    (_C_LIBRARY, "NDArrayHandle"): "autograd contrib.autograd executor io.io kvstore.kvstore "
    "ndarray.ndarray ndarray.sparse ndarray.utils symbol.symbol",
    (_C_LIBRARY, "SymbolHandle"): "autograd contrib.amp.amp executor symbol.contrib symbol.symbol",
    (_CACHED_OP, "CachedOp"): "ndarray ndarray._internal ndarray.op",
    (_CACHED_OP, "_CachedOp=call_symbol"): "ndarray._internal",
    (_CACHED_OP, "_CachedOp=compose_symbol"): "symbol._internal",
    (_KINDS, "string_types"): "attribute autograd",
    (_KINDS, "numeric_types"): "image image.detection image.image ndarray.random ndarray.sparse "
    "symbol.random",
    (_KINDS, "integer_types"): "ndarray.sparse random",
    (_KINDS, "py_slice"): "ndarray.ndarray ndarray.sparse",
    (f"{_MODELS}.densenet", "densenet_spec"): "gluon.model_zoo.vision.densenet",
    (f"{_MODELS}.resnet", "resnet_block_versions resnet_net_versions resnet_spec"): (
        "gluon.model_zoo.vision.resnet"
    ),
    (f"{_MODELS}.vgg", "vgg_spec"): "gluon.model_zoo.vision.vgg",
    ("base.numpy_semantics", "is_np_array"): "gluon.block gluon.data.dataloader "
    "gluon.data.vision.datasets gluon.data.vision.transforms gluon.loss "
    "gluon.model_zoo.vision.resnet gluon.nn.activations gluon.nn.basic_layers gluon.nn.conv_layers "
    "gluon.parameter gluon.rnn.rnn_layer gluon.utils image image.detection image.image initializer "
    "ndarray.ndarray operator optimizer.optimizer",
    ("ndarray", "histogram split_v2"): "ndarray.ndarray",
    ("symbol", "histogram split_v2"): "symbol.symbol",
    ("python:cv2", "cv2="): "image image.image recordio",
    ("python:math", "cos pi"): "lr_scheduler",
}
for (_source, _names), _paths in _SHARED.items():
    for _path in _paths.split():
        _row = NAMES.get(_path, {})
        NAMES[_path] = {**_row, _source: f"{_row.get(_source, '')} {_names}"}
