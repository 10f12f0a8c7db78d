"""Interfaces that only programs written for MXNet 1.x use, as modules below `opforge`.

A plugin of opforge: `opforge.mod`, `opforge.rnn`, `opforge.model`, `opforge.test_utils` and others,
and ``python -m opforge.mxnet``, which runs a program in which ``import mxnet`` means opforge.
"""

from collections.abc import Mapping

from opforge.plugin_api import hookimpl

#: Module below `opforge` -> module of this package; a program imports those that it uses.
_MODULES = {
    "contrib": "contrib",
    "executor_manager": "executor_manager",
    "mod": "module",
    "model": "model",
    "module": "module",
    "mxnet": "mxnet",
    "rnn": "rnn",
    "rtc": "rtc",
    "test_utils": "test_utils",
}


@hookimpl
def opforge_things() -> Mapping[str, Mapping[str, object]]:
    """Return the modules of this plugin."""
    return {"module": {name: f"{__name__}.{place}" for name, place in _MODULES.items()}}
