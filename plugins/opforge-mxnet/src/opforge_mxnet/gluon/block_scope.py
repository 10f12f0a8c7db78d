"""`_BlockScope`: the scope of a block, as MXNet's `gluon.block` names it."""

from typing import Any

from opforge.gluon import ParameterDict
from opforge.gluon.block_scope import BlockScope

__all__ = ["_BlockScope"]


class _BlockScope(BlockScope):
    """Context in which blocks and parameters get the prefix of `block`; see `Block.name_scope`.

    Parameters
    ----------
    block : Block or None
        Object with a ``prefix``, and ``params`` that blocks created in the scope share.
    """

    def __init__(self, block: Any) -> None:
        prefix = getattr(block, "prefix", "")
        is_open = block is None or getattr(block, "_empty_prefix", False)
        super().__init__(prefix, getattr(block, "params", ParameterDict(prefix)), is_open)
