"""Names of blocks and parameters: one counter for each kind of child in each scope."""

import threading
from typing import TYPE_CHECKING

from .. import name as _name
from .parameter_dict import ParameterDict

if TYPE_CHECKING:
    from .block import Block

__all__ = ["BlockScope"]

_state = threading.local()


class BlockScope:
    """The ``with block.name_scope():`` of one block.

    Blocks made inside get this block's prefix, and share parameters where this block does.

    Parameters
    ----------
    block : Block
    """

    def __init__(self, block: "Block") -> None:
        self._block = block
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
                prefix = _name.current().get(None, hint) + "_"
            own = ParameterDict(prefix) if params is None else ParameterDict(params.prefix, params)
            return prefix, own
        if prefix is None:
            count = scope._counter.get(hint, 0)
            scope._counter[hint] = count + 1
            prefix = f"{hint}{count}_"
        if params is None:
            parent = scope._block.params
            own = ParameterDict(parent.prefix + prefix, parent._shared)
        else:
            own = ParameterDict(params.prefix, params)
        return scope._block.prefix + prefix, own

    def __enter__(self) -> "BlockScope":
        if not self._block._empty_prefix:
            names = _name.Prefix(self._block.prefix)
            self._outer.append((getattr(_state, "current", None), names))
            _state.current = self
            names.__enter__()
        return self

    def __exit__(self, *exc: object) -> None:
        if not self._block._empty_prefix:
            _state.current, names = self._outer.pop()
            names.__exit__(*exc)
