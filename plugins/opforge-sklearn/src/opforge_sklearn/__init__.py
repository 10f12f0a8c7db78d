"""`opforge.sklearn`: scikit-learn estimators that train Gluon networks.

A plugin of opforge; the module, which imports scikit-learn, is imported on first use.
"""

from collections.abc import Mapping

from opforge.plugin_api import hookimpl


@hookimpl
def opforge_contributions() -> Mapping[str, Mapping[str, object]]:
    """Return the module of this plugin."""
    return {"module": {"sklearn": f"{__name__}.estimators"}}
