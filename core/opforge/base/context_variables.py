"""Assignment of context variables that is safe when memory runs out.

CPython 3.11 to 3.13 crash in ``ContextVar.set`` if they cannot allocate the returned token or the
slot of the new value.
"""

from contextvars import ContextVar, Token, copy_context
from sys import getsizeof
from typing import TypeVar

__all__ = ["TOKEN_BYTES", "assign"]

Value = TypeVar("Value")

_PROBE: ContextVar[None] = ContextVar("opforge_probe")
#: Length of a bytes object that occupies as much memory as a token.
TOKEN_BYTES = getsizeof(copy_context().run(_PROBE.set, None)) - getsizeof(b"")


def assign(variable: ContextVar[Value], value: Value) -> Token[Value]:
    """Set a context variable, or raise MemoryError and leave it unchanged.

    Parameters
    ----------
    variable : ContextVar
    value : object

    Returns
    -------
    Token
        Argument of the variable's ``reset``.
    """
    bytes(TOKEN_BYTES)  # freed immediately, leaving memory for the token
    return variable.set(value)
