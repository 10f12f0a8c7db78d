"""MXNet 1.x interfaces that only programs written for MXNet use, as modules below `opforge`.

A plugin of opforge: `opforge.mod`, `opforge.rnn`, `opforge.model`, `opforge.test_utils` and others,
and ``python -m opforge.mxnet``, which runs a program in which ``import mxnet`` means opforge.
"""

from collections.abc import Mapping

from opforge.plugin_api import hookimpl

#: Module below `opforge` -> module of this package; a program imports those that it uses.
_MODULES = {
    "callback": "callback",
    "contrib": "contrib",
    "executor_manager": "executor_manager",
    "gluon.contrib.cnn": "gluon.contrib.cnn",
    "gluon.contrib.data": "gluon.contrib.data",
    "gluon.contrib.estimator.utils": "gluon.contrib.estimator_checks",
    "gluon.contrib.nn": "gluon.contrib.nn",
    "gluon.contrib.rnn": "gluon.contrib.rnn",
    "libinfo": "libinfo",
    "library": "library",
    "log": "log",
    "mod": "module",
    "model": "model",
    "module": "module",
    "mon": "monitor",
    "monitor": "monitor",
    "mxnet": "mxnet",
    "notebook": "notebook",
    "op.nnvm": "nnvm",
    "registry": "registry",
    "rnn": "rnn",
    "rtc": "rtc",
    "runtime": "runtime",
    "test_utils": "test_utils",
    "util": "util",
    "visualization": "visualization",
    "viz": "visualization",
}


@hookimpl
def opforge_contributions() -> Mapping[str, Mapping[str, object]]:
    """Return the contributions of this plugin by kind."""
    from .gluon.loss.poisson import PoissonNLLLoss
    from .gluon.loss.similarity import CosineEmbeddingLoss, SDMLLoss
    from .initializer.fused_rnn import FusedRNN
    from .io.csv_iter import CSVIter
    from .io.libsvm_iter import LibSVMIter
    from .io.prefetching_iter import PrefetchingIter
    from .io.resize_iter import ResizeIter
    from .metric.losses import Caffe, Torch
    from .names import alias_modules
    from .optimizer.gradient_sum import Test
    from .teststore import TestStore

    own = {name: f"{__name__}.{module}" for name, module in _MODULES.items()}
    return {
        "module": {**own, **alias_modules()},
        "iterator": {
            "CSVIter": CSVIter,
            "LibSVMIter": LibSVMIter,
            "PrefetchingIter": PrefetchingIter,
            "ResizeIter": ResizeIter,
        },
        "initializer": {"FusedRNN": FusedRNN},
        "kvstore": {"teststore": TestStore},
        "loss": {
            "CosineEmbeddingLoss": CosineEmbeddingLoss,
            "PoissonNLLLoss": PoissonNLLLoss,
            "SDMLLoss": SDMLLoss,
        },
        "metric": {"Caffe": Caffe, "Torch": Torch},
        "optimizer": {"Test": Test},
    }
