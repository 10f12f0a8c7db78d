"""Values of context variables, set where memory may end.

CPython 3.11 to 3.13 end the process in ``ContextVar.set`` if there is no memory for the token that
it returns, nor for the new value's place.
"""

from contextvars import ContextVar, Token, copy_context
from sys import getsizeof
from typing import TypeVar

__all__ = ["TOKEN_BYTES", "assign"]

Value = TypeVar("Value")

_PROBE: ContextVar[None] = ContextVar("opforge_probe")
#: Elements of a bytes object that is as large as a token.
TOKEN_BYTES = getsizeof(copy_context().run(_PROBE.set, None)) - getsizeof(b"")


def assign(variable: ContextVar[Value], value: Value) -> Token[Value]:
    """Set a context variable, or raise MemoryError and leave it as it is.

    Parameters
    ----------
    variable : ContextVar
    value : object

    Returns
    -------
    Token
        For the variable's ``reset``.
    """
    bytes(TOKEN_BYTES)  # freed at once, for the token
    return variable.set(value)
