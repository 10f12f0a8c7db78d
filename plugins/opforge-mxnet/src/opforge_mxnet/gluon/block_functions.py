"""Private functions of MXNet's Gluon that packages built on it import.

opforge does not call them.
"""

from typing import Any

from opforge import symbol as sym
from opforge.base.context import Context
from opforge.gluon.parameter import is_known as shape_is_known
from opforge.native.array import Array
from opforge.ndarray import NDArray

__all__ = ["shape_is_known", "tensor_types"]

#: Types that a recurrent layer accepts as a single tensor.
tensor_types = (sym.Symbol, NDArray)


def _flatten(args: Any, inout_str: str) -> tuple[list[Any], Any]:
    """Flatten nested lists of arrays or symbols; return the values and the nesting.

    Parameters
    ----------
    args : NDArray, Symbol, None, or nested lists of them
    inout_str : str
        Name in error messages, "input" or "output".

    Examples
    --------
    >>> x = sym.var("x")
    >>> _flatten([x, [None, x]], "input")
    ([<Symbol x>, None, <Symbol x>], [0, [-1, 0]])
    """
    if isinstance(args, NDArray):
        return [args], 0
    if isinstance(args, sym.Symbol):
        count = len(args.list_outputs())
        return [args], count if count > 1 else 0
    if args is None:
        return [None], -1
    if not isinstance(args, list | tuple):
        raise ValueError(
            f"{inout_str} of a HybridBlock must be an NDArray, a Symbol, None, or nested lists of "
            f"them; got {type(args).__name__}"
        )
    parts = [_flatten(item, inout_str) for item in args]
    return [value for flat, _ in parts for value in flat], [form for _, form in parts]


def _regroup(args: Any, fmt: Any) -> tuple[Any, Any]:
    """Restore the nesting from `_flatten`; return the nested and the remaining values.

    Examples
    --------
    >>> _regroup([1, None, 2, 3], [0, [-1, 0]])
    ([1, [None, 2]], [3])
    """
    if isinstance(fmt, int):
        if fmt < -1:
            raise ValueError(f"{fmt} describes no nesting; expected -1 or more")
        if fmt == -1 and args[0] is not None:
            raise ValueError(f"expected None where it was None before, got {args[0]!r}")
        return (args[:fmt], args[fmt:]) if fmt > 0 else (args[0], args[1:])
    found = []
    for form in fmt:
        value, args = _regroup(args, form)
        found.append(value)
    return found, args


def _as_in_context(data: Any, ctx: Context) -> Any:
    """Return nested lists with each array in a context.

    Examples
    --------
    >>> from opforge import cpu, nd
    >>> [array.context for array in _as_in_context([nd.ones(2), 3], cpu(1))[:1]]
    [cpu(1)]
    """
    if isinstance(data, list | tuple):
        return [_as_in_context(item, ctx) for item in data]
    return data.as_in_context(ctx) if isinstance(data, Array) else data


def _indent(text: str, count: int) -> str:
    r"""Indent all lines of a text except the first by `count` spaces.

    Examples
    --------
    >>> _indent("a\nb", 2)
    'a\n  b'
    """
    return text.replace("\n", "\n" + " " * count)


def _brief_print_list(words: list[str], limit: int = 7) -> str:
    """Return a list as text, with the middle omitted if it is longer than `limit`.

    Examples
    --------
    >>> _brief_print_list(list("abcd"), 2)
    "'a', ..., 'd'"
    """
    if len(words) > limit:
        first, last = words[: limit // 2], words[-limit // 2 :]
        return f"{_brief_print_list(first, limit)}, ..., {_brief_print_list(last, limit)}"
    return ", ".join(f"'{word}'" for word in words)
