"""`prefer`: one installed distribution provides short names inside a block."""

from collections.abc import Iterator
from contextlib import contextmanager

from ..base.errors import PluginError
from ..base.spelling import close_names
from ..op.registry.entry import CORE
from ..op.registry.naming import normalise
from ..op.registry.preference import preferring
from ..op.registry.table import TABLES
from .resolver import RESOLVER

__all__ = ["prefer"]


@contextmanager
def prefer(distribution: str) -> Iterator[None]:
    """Let a distribution provide every short name that it has, inside the block.

    It goes before pins and before the primitive set, in this thread or task alone; names that it
    does not have mean what they always mean. Graphs and hybridized blocks that were made before
    keep the operators that they have.

    Parameters
    ----------
    distribution : str
        ``"opforge"`` for the primitive set.

    Raises
    ------
    PluginError
        The distribution is not installed or disabled.

    Examples
    --------
    >>> import opforge
    >>> with opforge.prefer("opforge-softmax"):
    ...     opforge.nd.softmax(opforge.nd.zeros((2,))).asnumpy().tolist()
    [0.5, 0.5]
    """
    # Here: who lists what is installed calls none of it, and needs no NumPy.
    from ..op.calling.functions import contested

    key = normalise(distribution)
    names = {e.name for e in TABLES["operator"].entries() if normalise(e.provider) == key}
    if key != CORE:
        states = RESOLVER.states()
        if key not in states:
            close = close_names(key, states, count=1)
            hint = f"; did you mean {close[0]}?" if close else f": pip install {distribution}"
            raise PluginError(f"prefer: the plugin {distribution!r} is not installed{hint}")
        state = states[key]
        if state.state == "disabled":
            raise PluginError(
                f"prefer: the plugin {distribution!r} is {state.refusal}: {state.remedy}"
            )
        names.update(state.provider.names("operator"))
    with contested(names), preferring(distribution):
        yield
