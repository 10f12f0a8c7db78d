"""The plugin of opforge: modules of this distribution below `opforge`."""

from collections.abc import Mapping

from opforge.plugin_api import hookimpl


@hookimpl
def opforge_things() -> Mapping[str, Mapping[str, object]]:
    """Return the modules of this plugin."""
    return {"module": {name: f"{__package__}.{name}" for name in ("benchmarks", "testing")}}
