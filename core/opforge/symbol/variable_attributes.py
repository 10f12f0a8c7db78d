"""Declared attributes of a variable: shape, element and storage type, update multipliers.

Programs and files store them as text. It is parsed here; invalid text raises an error that names
the variable and the attribute.
"""

from collections.abc import Callable
from typing import Any

from ..base.dtypes import TYPES, code_of, code_of_mxnet
from ..base.errors import AttributeValueError
from ..base.storage_types import STORAGE_TYPES
from ..op.declaring.validation import UNKNOWN_TYPE
from ..op.declaring.values import KINDS
from ..op.declaring.values import Shape as ShapeText
from .node import Node, Type

_MXNET_CODES = ", ".join([str(row.mxnet_code) for row in TYPES])

__all__ = [
    "FACTORS",
    "check_declared",
    "declared_factor",
    "declared_shape",
    "declared_storage",
    "declared_type",
]

#: Sizes are 64-bit numbers in every kernel.
_MOST = 2**63
#: Multipliers of the learning rate and of weight decay.
FACTORS = ("__lr_mult__", "__wd_mult__")


def declared_type(node: Node) -> Type:
    """Return the shape and element type that a variable's attributes declare.

    Raises
    ------
    AttributeValueError
        ``__shape__`` or ``__dtype__`` is invalid.

    Examples
    --------
    >>> declared_type(Node("x", attrs={"__shape__": "(2, -1)", "__dtype__": "1"}))
    Type(shape=(2, 0), code=1)
    """
    code = node.attrs.get("__dtype__")
    return Type(
        tuple(max(size, 0) for size in declared_shape(node) or ()),
        UNKNOWN_TYPE
        if code is None
        else _read(
            node.name, "__dtype__", code, _code, f"-1, one of {_MXNET_CODES}, or a name of a type"
        ),
    )


def declared_shape(node: Node) -> tuple[int, ...] | None:
    """Return the shape that a variable's attributes declare, with their numbers below 0.

    Raises
    ------
    AttributeValueError
        ``__shape__`` is invalid.

    Examples
    --------
    >>> declared_shape(Node("x", attrs={"__shape__": "(2, -1)"}))
    (2, -1)
    >>> declared_shape(Node("x", attrs={"__shape__": "None"})) is None
    True
    """
    text = node.attrs.get("__shape__")
    if not text or text == "None":
        return None
    shape: tuple[int, ...] = _read(node.name, "__shape__", text, _shape, "a shape such as (2, 3)")
    return shape


def declared_storage(node: Node) -> str:
    """Return the storage type that a variable's attributes declare, by default ``"default"``.

    Raises
    ------
    AttributeValueError
        ``__storage_type__`` is invalid.

    Examples
    --------
    >>> declared_storage(Node("x", attrs={"__storage_type__": "2"}))
    'csr'
    """
    text = node.attrs.get("__storage_type__")
    if text is None:
        return "default"
    found: str = _read(node.name, "__storage_type__", text, _storage, "a number from -1 to 2")
    return found


def declared_factor(name: str, key: str, text: Any) -> float:
    """Return the multiplier that the attribute `key` of the variable `name` declares.

    Raises
    ------
    AttributeValueError
        The value is not a number.
    """
    factor: float = _read(name, key, text, float, "a number")
    return factor


def check_declared(node: Node) -> None:
    """Validate all declared attributes of a variable; see the other functions here."""
    if not node.attrs:
        return
    declared_type(node)
    declared_storage(node)
    for key in FACTORS:
        if key in node.attrs:
            declared_factor(node.name, key, node.attrs[key])


def _read(name: str, key: str, text: Any, parse: Callable[[Any], Any], expected: str) -> Any:
    try:
        return parse(text)
    except (ValueError, TypeError, OverflowError):
        raise AttributeValueError(
            f"variable {name!r}: attribute {key} is {text!r:.60}; expected {expected}"
        ) from None


def _shape(text: Any) -> tuple[int, ...]:
    shape: tuple[int, ...] = KINDS[ShapeText].parse(text)
    if any(size >= _MOST for size in shape):
        raise ValueError("size is out of range")
    return shape


def _code(text: Any) -> int:
    try:
        number = int(text)
    except ValueError:
        return code_of(text)
    if number == UNKNOWN_TYPE:
        return UNKNOWN_TYPE
    code = code_of_mxnet(number)
    if code < 0:
        raise ValueError("no element type has this code")
    return code


def _storage(text: Any) -> str:
    index = int(text)
    if not -1 <= index < len(STORAGE_TYPES):
        raise ValueError("no storage type has this number")
    return STORAGE_TYPES[max(index, 0)]
