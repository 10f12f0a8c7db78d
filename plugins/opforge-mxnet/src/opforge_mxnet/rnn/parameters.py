"""`RNNParams`: variables of a cell, which several cells may share."""

from typing import Any

from opforge import symbol as sym

__all__ = ["RNNParams"]


class RNNParams:
    """Variables by name; cells that get the same container share their weights.

    Parameters
    ----------
    prefix : str
        Prefix of all variable names.

    Examples
    --------
    >>> params = RNNParams("rnn_")
    >>> params.get("weight").name, params.get("weight") is params.get("weight")
    ('rnn_weight', True)
    """

    def __init__(self, prefix: str = "") -> None:
        self._prefix = prefix
        self._params: dict[str, Any] = {}

    def get(self, name: str, **kwargs: Any) -> Any:
        """Return the variable ``prefix + name``; `kwargs` are passed to `sym.var` if it is new."""
        name = self._prefix + name
        if name not in self._params:
            self._params[name] = sym.var(name, **kwargs)
        return self._params[name]
