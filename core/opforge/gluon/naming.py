"""Names of blocks and parameters: one counter for each kind of child in each scope."""

import threading

from .. import name as _name
from .parameter_dict import ParameterDict

__all__ = ["BlockScope"]

_state = threading.local()


class BlockScope:
    """The ``with block.name_scope():`` of one block.

    Blocks made inside get this block's prefix, and share parameters where this block does.

    Parameters
    ----------
    prefix : str
        The block's.
    params : ParameterDict
        Its own parameters.
    is_open : bool
        Whether blocks made inside are named as outside: the block was given an empty prefix.
    """

    def __init__(self, prefix: str, params: ParameterDict, is_open: bool) -> None:
        # Not the block, which has its scope: a circle would leave it to the cycle collector.
        self._prefix, self._params, self._is_open = prefix, params, is_open
        self._counter: dict[str, int] = {}
        self._outer: list[tuple[BlockScope | None, _name.Prefix]] = []

    @staticmethod
    def create(
        prefix: str | None, params: ParameterDict | None, hint: str
    ) -> tuple[str, ParameterDict]:
        """Return the full prefix and the parameter dictionary of a block that is being made.

        Parameters
        ----------
        prefix : str or None
            What the user asked for; None: `hint` with the scope's next number.
        params : ParameterDict or None
            Dictionary whose parameters the block shares.
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
