"""Names of blocks and parameters, with a counter per kind of child in each scope."""

import threading

from .. import name as _name
from .parameter_dict import ParameterDict

__all__ = ["BlockScope"]

_state = threading.local()


class BlockScope:
    """Context of one block, ``with block.name_scope():``.

    Blocks created in it get this block's prefix, and share parameters if this block does.

    Parameters
    ----------
    prefix : str
        Prefix of the block.
    params : ParameterDict
        Parameters of the block.
    is_open : bool
        Whether blocks in it are named as outside, because the block has an empty prefix.
    """

    def __init__(self, prefix: str, params: ParameterDict, is_open: bool) -> None:
        # A reference to the block, which owns its scope, would create a reference cycle.
        self._prefix, self._params, self._is_open = prefix, params, is_open
        self._counter: dict[str, int] = {}
        self._outer: list[tuple[BlockScope | None, _name.Prefix]] = []

    @staticmethod
    def create(
        prefix: str | None, params: ParameterDict | None, hint: str
    ) -> tuple[str, ParameterDict]:
        """Return the full prefix and the parameter dictionary of a new block.

        Parameters
        ----------
        prefix : str or None
            Prefix given by the user; None: `hint` with the next number of the scope.
        params : ParameterDict or None
            Dictionary of parameters to share.
        hint : str
            Lower-case class name.
        """
        scope: BlockScope | None = getattr(_state, "current", None)
        if scope is None:
            if prefix is None:
                prefix = _name.NameManager.current.get(None, hint) + "_"
            own = ParameterDict(prefix) if params is None else ParameterDict(params.prefix, params)
            return prefix, own
        if prefix is None:
            count = scope._counter.get(hint, 0)
            scope._counter[hint] = count + 1
            prefix = f"{hint}{count}_"
        if params is None:
            parent = scope._params
            own = ParameterDict(parent.prefix + prefix, parent._shared)
        else:
            own = ParameterDict(params.prefix, params)
        return scope._prefix + prefix, own

    def __enter__(self) -> "BlockScope":
        if not self._is_open:
            names = _name.Prefix(self._prefix)
            self._outer.append((getattr(_state, "current", None), names))
            _state.current = self
            names.__enter__()
        return self

    def __exit__(self, *exc: object) -> None:
        if not self._is_open:
            _state.current, names = self._outer.pop()
            names.__exit__(*exc)
