"""`opforge.gluon.contrib.estimator`: a training loop that event handlers extend; more metrics.

A plugin of opforge; nothing is imported before one of its names is used.
"""

from collections.abc import Mapping

from opforge.plugin_api import hookimpl


@hookimpl
def opforge_contributions() -> Mapping[str, Mapping[str, object]]:
    """Return the modules and the metrics of this plugin."""
    from .metrics import AUC, MCC, PCC, ConfusionMatrix

    return {
        "module": {
            "gluon.contrib.estimator": f"{__name__}.estimator",
            "tensorboard": f"{__name__}.tensorboard",
        },
        "metric": {"AUC": AUC, "ConfusionMatrix": ConfusionMatrix, "MCC": MCC, "PCC": PCC},
    }
