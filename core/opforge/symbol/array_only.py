"""Methods of arrays that symbols do not support, with errors that name the alternative."""

from collections.abc import Callable
from typing import Any

from ..base.errors import NotImplementedForSymbol

__all__ = ["ArrayOnly"]


class ArrayOnly:
    """Methods of arrays that need values, which a symbol does not have."""

    __slots__ = ()

    def __bool__(self) -> bool:
        raise NotImplementedForSymbol(
            f"{self!r} has no truth value because it has no values yet. Choose with sym.where, or "
            "decide by shapes and attributes"
        )


def _in_place(name: str, sign: str) -> Callable[[Any, Any], Any]:
    def method(self: Any, other: Any) -> Any:
        raise NotImplementedForSymbol(
            f"a symbol cannot be changed: write x = x {sign} y instead of x {sign}= y"
        )

    return _name_method(method, name, f"Reject ``{sign}=``: a symbol cannot be changed.")


def _needs_values(name: str, remedy: str) -> Callable[..., Any]:
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedForSymbol(
            f"{self!r} has no {name}() because it has no values yet. {remedy}"
        )

    return _name_method(method, name, "Raise NotImplementedForSymbol: only arrays have values.")


def _name_method(method: Callable[..., Any], name: str, doc: str) -> Callable[..., Any]:
    method.__name__ = name
    method.__qualname__ = f"ArrayOnly.{name}"
    method.__doc__ = doc
    return method


_SIGNS = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "mod": "%", "pow": "**"}
_EVALUATE = "eval() and bind() compute them"
_VALUES = {
    "__array__": _EVALUATE,
    "as_in_context": "Name the context in bind()",
    "asnumpy": _EVALUATE,
    "asscalar": _EVALUATE,
    "attach_grad": "Request gradients with grad_req in bind()",
    "backward": "Bind the symbol and call the executor's backward()",
    "gradient": "Bind the symbol with grad_req and call the executor's backward()",
    "wait_to_read": _EVALUATE,
}

for _what, _sign in _SIGNS.items():
    setattr(ArrayOnly, f"__i{_what}__", _in_place(f"__i{_what}__", _sign))
for _what, _remedy in _VALUES.items():
    setattr(ArrayOnly, _what, _needs_values(_what, _remedy))
