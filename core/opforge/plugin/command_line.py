"""Contributions of plugins to commands: benchmarks, and examinations by `opforge doctor`.

Each is a function under an entry point, or a module, which MXNet's programs import. It has nothing
to do with the plugin's operators, so that it is neither registered nor loaded with them.
"""

from importlib.metadata import EntryPoint, entry_points

from ..op.registry.naming import normalise
from .resolver import RESOLVER

__all__ = ["BENCHMARKS", "EXAMINATIONS", "functions_of"]

#: ``opforge bench <name>``: a function of the arguments behind it that returns an exit status, or
#: sheets to print.
BENCHMARKS = "opforge.benchmarks"
#: ``opforge doctor``: a function that yields what is wrong, each with what mends it; a text
#: without a remedy is a fact worth knowing.
EXAMINATIONS = "opforge.examinations"


def functions_of(group: str, provider: str = "") -> dict[str, EntryPoint]:
    """Return what installed plugins bring, by name; those that are switched off bring nothing.

    Parameters
    ----------
    group : str
        `BENCHMARKS`, `EXAMINATIONS` or, of modules, `opforge.mxnet`'s `COMPANIONS`.
    provider : str, optional
        Only of this distribution.
    """
    states = RESOLVER.states()
    found = {}
    for point in entry_points(group=group):
        key = normalise(point.dist.name) if point.dist is not None else ""
        is_asked = not provider or key == normalise(provider)
        if is_asked and key in states and states[key].state != "disabled":
            found[point.name] = point
    return found
