"""Names that MXNet programs reach by other paths than opforge's own.

MXNet's packages keep their classes in modules (``mxnet.optimizer.optimizer``) that opforge divides
otherwise, and its modules have names that they only import (``mxnet.gluon.block.Parameter``). Both
are rows here, and `add_mxnet_names` makes them attributes that are looked up when they are used:
nothing is imported for them. Layer 0; the rows are text.
"""

import sys
from collections.abc import Callable
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

__all__ = ["add_mxnet_names"]

_PACKAGE = __name__.partition(".")[0]

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
#: Modules that a package has under a name which, as an attribute, is something else.
NO_ATTRIBUTES = {"gluon.model_zoo.vision.alexnet"}

_LAYER = {
    "base.value_kinds": "numeric_types string_types",
    "gluon": "Block HybridBlock Parameter block parameter",
    "gluon.mxnet_helpers": "_indent tensor_types",
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
NAMES: dict[str, dict[str, str]] = {
    "contrib.amp.amp": {
        "contrib.amp": "convert_hybrid_block convert_model convert_symbol "
        "list_conditional_fp32_ops list_fp32_ops list_loss_output_functions list_lp16_fp32_ops "
        "list_lp16_ops list_lp16_use_fp32_params list_widest_type_cast",
        "": "nd ndarray sym symbol",
    },
    "executor": {
        "executor_manager": "_check_arguments _load_data _load_label _split_input_slice",
        "": "nd ndarray NDArray",
    },
    "gluon.block": {
        "base.errors": "DeferredInitializationError MXNetError",
        "context": "cpu",
        "gluon": "Parameter ParameterDict",
        "gluon.mxnet_helpers": "_flatten _indent _regroup _brief_print_list",
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
        "gluon.mxnet_helpers": "_as_in_context",
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
        "base.value_kinds": "numeric_types",
        "": "image",
    },
    "gluon.loss": {
        "base.value_kinds": "numeric_types",
        "gluon": "HybridBlock",
        "": "nd ndarray",
    },
    "gluon.nn.activations": _LAYER,
    "gluon.nn.basic_layers": _LAYER,
    "gluon.nn.conv_layers": _LAYER,
    "gluon.parameter": {
        "base.errors": "DeferredInitializationError MXNetError",
        "gluon": "Constant ParameterDict",
        "gluon.mxnet_helpers": "_brief_print_list _indent shape_is_known tensor_types",
        "python:numpy": "mx_real_t=float32",
        "": "context ndarray symbol",
    },
    "gluon.rnn.rnn_cell": _LAYER,
    "gluon.rnn.rnn_layer": _LAYER,
    "gluon.utils": {
        "gluon.mxnet_helpers": "_brief_print_list _indent shape_is_known",
        "": "nd ndarray",
    },
    "initializer": {"ndarray": "NDArray load", "": "ndarray random registry"},
    "io.io": {
        "base.value_kinds": "numeric_types string_types",
        "ndarray": "NDArray array concat",
        "": "nd ndarray",
    },
    "kvstore.base": {"kvstore.creating": "create", "kvstore.teststore": "TestStore"},
    "kvstore.kvstore": {"": "nd ndarray"},
    "metric": {
        "base.value_kinds": "numeric_types string_types",
        "python:numpy": "numpy=",
        "": "ndarray registry",
    },
    "model": {
        "base.value_kinds": "mx_real_t",
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
        "base.value_kinds": "integer_types numeric_types",
        "base.type_tables": f"{_ARRAY_TABLES} {_STORAGE_TABLES}",
        "context": "current_context",
        "ndarray": f"{_ARITHMETIC} _internal arange array concatenate empty eye from_dlpack "
        "from_numpy full linspace moveaxis onehot_encode ones op to_dlpack_for_read "
        "to_dlpack_for_write waitall zeros",
    },
    "ndarray.utils": {"base.value_kinds": "string_types"},
    "optimizer.optimizer": {
        "lr_scheduler": "LRScheduler",
        "ndarray": "NDArray array",
        "base.value_kinds": "string_types",
        "": "nd ndarray lr_scheduler",
    },
    "symbol.symbol": {
        "attribute": "AttrScope",
        "base.errors": "MXNetError NotImplementedForSymbol",
        "base.type_tables": f"{_ARRAY_TABLES} {_STORAGE_TABLES}",
        "base.value_kinds": "integer_types numeric_types string_types",
        "context": "Context current_context",
        "executor": "Executor",
        "ndarray": "NDArray",
        "symbol": "Group Variable _internal arange eye full hypot linspace load load_json maximum "
        "minimum ones op pow power var zeros",
    },
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


def add_mxnet_names(name: str) -> None:
    """Give a module of opforge the names and the modules that MXNet's programs find in it.

    Call it where the module ends. What the module has goes before.

    Parameters
    ----------
    name : str
        The module's ``__name__``.
    """
    path = name.partition(".")[2]
    module = sys.modules[name]
    if path in NAMES:
        vars(module)["__getattr__"] = _attribute(path, vars(module).get("__getattr__"))
    for alias in MODULES:
        parent, _, leaf = alias.rpartition(".")
        if parent == path:
            made = _alias_module(alias)
            # What is imported from below a module that is a file needs one.
            vars(module).setdefault("__path__", [])
            if alias not in NO_ATTRIBUTES:
                vars(module)[leaf] = made


def _alias_module(path: str) -> ModuleType:
    """Make and register a module that has no file: its names are those of other modules."""
    name = f"{_PACKAGE}.{path}"
    module = ModuleType(name, f"MXNet's module of this name; its names are {_words(path)}'s.")
    module.__spec__ = ModuleSpec(name, None)
    vars(module)["__getattr__"] = _attribute(path, lambda attribute: _of_sources(path, attribute))
    vars(module)["__dir__"] = lambda: _names_of_sources(path)
    sys.modules[name] = module
    return module


def _words(path: str) -> str:
    return " and ".join(f"{_PACKAGE}.{source}" for source in MODULES[path])


def _of_sources(path: str, name: str) -> Any:
    """Return a name of an alias module."""
    if name == "__all__":
        return _names_of_sources(path)
    if name.startswith("__"):
        raise AttributeError(f"module '{_PACKAGE}.{path}' has no attribute {name!r}")
    sources = MODULES[path]
    for source in sources[:-1]:
        module = import_module(f"{_PACKAGE}.{source}")
        if hasattr(module, name):
            return getattr(module, name)
    return getattr(import_module(f"{_PACKAGE}.{sources[-1]}"), name)


def _names_of_sources(path: str) -> list[str]:
    """Return the public names of an alias module; its sources' own modules are none of them."""
    found: set[str] = set()
    for source in MODULES[path]:
        module = import_module(f"{_PACKAGE}.{source}")
        loaded = vars(module)
        found.update(n for n in dir(module) if not isinstance(loaded.get(n), ModuleType))
    return sorted(name for name in found if not name.startswith("_"))


def _attribute(path: str, inner: Callable[[str], Any] | None) -> Callable[[str], Any]:
    """Return a module's ``__getattr__``: the names of the table, then what `inner` returns."""
    rows = {
        part.partition("=")[0]: (source, part)
        for source, names in NAMES.get(path, {}).items()
        for part in names.split()
    }

    def attribute(name: str) -> Any:
        row = rows.get(name)
        if row is not None:
            return _find(*row)
        if inner is not None:
            return inner(name)
        raise AttributeError(f"module '{_PACKAGE}.{path}' has no attribute {name!r}")

    return attribute


def _find(source: str, part: str) -> Any:
    """Return what a row means: ``name``, ``name=there``, or ``name=`` for the module itself."""
    module = import_module(
        source.removeprefix("python:")
        if source.startswith("python:")
        else f"{_PACKAGE}.{source}".rstrip(".")
    )
    name, renamed, there = part.partition("=")
    if renamed and not there:
        return module
    return getattr(module, there or name)
