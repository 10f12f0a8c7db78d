"""`opforge.gluon.contrib.estimator`: a training loop that event handlers extend.

A plugin of opforge; the module is imported on first use.
"""

from collections.abc import Mapping

from opforge.plugin_api import hookimpl


@hookimpl
def opforge_contributions() -> Mapping[str, Mapping[str, object]]:
    """Return the module of this plugin."""
    return {"module": {"gluon.contrib.estimator": f"{__name__}.estimator"}}
