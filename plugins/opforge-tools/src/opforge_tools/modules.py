"""Plugin that provides this distribution's modules below `opforge`."""

from collections.abc import Mapping

from opforge.plugin_api import hookimpl


@hookimpl
def opforge_contributions() -> Mapping[str, Mapping[str, object]]:
    """Return the modules of this plugin."""
    return {"module": {name: f"{__package__}.{name}" for name in ("benchmarks", "testing")}}
