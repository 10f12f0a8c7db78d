"""`prefer`: use one distribution for all names that it provides, inside a block."""

from collections.abc import Iterator
from contextlib import contextmanager

from ..base.errors import PluginError
from ..base.spelling import close_names
from ..op.registry.entry import CORE
from ..op.registry.naming import normalize
from ..op.registry.preference import preferring
from ..op.registry.table import TABLES
from .resolver import RESOLVER

__all__ = ["prefer"]

#: What namespaces cache by name.
_NOUNS = ("operator", "module")


@contextmanager
def prefer(distribution: str) -> Iterator[None]:
    """Use a distribution for every short name that it provides, inside the block.

    It takes precedence over pins and the primitive set, in this thread or task only. Names that it
    does not provide are unaffected, as are graphs and hybridized blocks that were created before.

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
    # Imported here, because listing plugins does not need NumPy.
    from ..op.calling.functions import contested

    key = normalize(distribution)
    names = {
        entry.name
        for noun in _NOUNS
        for entry in TABLES[noun].entries()
        if normalize(entry.provider) == key
    }
    if key != CORE:
        states = RESOLVER.states()
        if key not in states:
            close = close_names(key, states, count=1)
            hint = f"; did you mean {close[0]}?" if close else f": pip install {distribution}"
            raise PluginError(f"prefer: the plugin {distribution!r} is not installed{hint}")
        state = states[key]
        if state.state == "disabled":
            raise PluginError(
                f"prefer: the plugin {distribution!r} is {state.reason}: {state.remedy}"
            )
        names.update(*map(state.provider.names, _NOUNS))
    with contested(names), preferring(distribution):
        yield
