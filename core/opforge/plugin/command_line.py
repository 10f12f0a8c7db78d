"""Entry points that extend commands: benchmarks, and examinations of `opforge doctor`.

Each is a function, or a module that MXNet programs import. They are independent of the plugin's
operators, and neither registered nor loaded with them.
"""

from importlib.metadata import EntryPoint, entry_points

from ..op.registry.naming import normalize
from .resolver import RESOLVER

__all__ = ["BENCHMARKS", "EXAMINATIONS", "functions_of"]

#: ``opforge bench <name>``: a function that takes the remaining arguments and returns an exit
#: status, or sheets to print.
BENCHMARKS = "opforge.benchmarks"
#: ``opforge doctor``: a function that yields problems, each with its remedy; a text without a
#: remedy is for information only.
EXAMINATIONS = "opforge.examinations"


def functions_of(group: str, provider: str = "") -> dict[str, EntryPoint]:
    """Return the entry points of a group by name, without those of disabled plugins.

    Parameters
    ----------
    group : str
        `BENCHMARKS`, `EXAMINATIONS`, or `COMPANIONS` of `opforge.mxnet` for modules.
    provider : str, optional
        Distribution to which to restrict the result.
    """
    states = RESOLVER.states()
    found = {}
    for point in entry_points(group=group):
        key = normalize(point.dist.name) if point.dist is not None else ""
        is_wanted = not provider or key == normalize(provider)
        if is_wanted and key in states and states[key].state != "disabled":
            found[point.name] = point
    return found
