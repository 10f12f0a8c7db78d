"""`var`: inputs of a graph, with declared attributes."""

from typing import Any

from ..attribute import AttrScope, stored
from ..base.dtypes import TYPES, code_of
from ..base.node_attributes import is_private
from ..base.storage_types import STORAGE_TYPES
from ..op.declaring.custom import stringify
from .node import Node, Type
from .symbol import Symbol

__all__ = ["Variable", "typed_variable", "var"]


def var(
    name: str,
    attr: dict[str, Any] | None = None,
    shape: Any = None,
    lr_mult: float | None = None,
    wd_mult: float | None = None,
    dtype: Any = None,
    init: Any = None,
    stype: str | None = None,
    **kwargs: str,
) -> Symbol:
    """Return a variable: an input of a graph.

    Parameters
    ----------
    name : str
    attr : dict, optional
        Attributes to attach: texts, initializers and numbers.
    shape : tuple of int, optional
        Declared shape; 0 for unknown dimensions.
    lr_mult, wd_mult : float, optional
        Multipliers of learning rate and weight decay.
    dtype : str or numpy.dtype, optional
    init : Initializer or str, optional
        Initializer of the parameter.
    stype : {"default", "row_sparse", "csr"}, optional
        Storage type of the array that `Symbol.simple_bind` creates for it.
    **kwargs : str
        Further attributes, whose names begin and end with two underscores.

    Examples
    --------
    >>> var("data", shape=(2, 3)).attr("__shape__")
    '(2, 3)'
    """
    if not isinstance(name, str):
        raise TypeError("Expect a string for variable `name`")
    attrs = stored(AttrScope.current.get(attr))
    if shape is not None:
        attrs["__shape__"] = stringify(shape)
    if lr_mult is not None:
        attrs["__lr_mult__"] = str(lr_mult)
    if wd_mult is not None:
        attrs["__wd_mult__"] = str(wd_mult)
    if dtype is not None:
        attrs["__dtype__"] = str(TYPES[code_of(dtype)].mxnet_code)
    if init is not None:
        attrs["__init__"] = init if isinstance(init, str) else init.dumps()
    if stype is not None:
        if stype not in STORAGE_TYPES:
            known = ", ".join(STORAGE_TYPES)
            raise ValueError(f"var: stype is {stype!r}, expected one of {known}")
        attrs["__storage_type__"] = str(STORAGE_TYPES.index(stype))
    for key, value in kwargs.items():
        if not is_private(key):
            raise ValueError(
                f"Attribute name={key} is not supported. Additional attributes must start and end "
                "with double underscores, e.g, __yourattr__"
            )
        attrs[key] = str(value)
    return Symbol([(Node(name, attrs=attrs), 0)])


Variable = var


def typed_variable(name: str, shape: tuple[int, ...], code: int) -> Symbol:
    """Return a variable whose shape and element type are (partially) known.

    Operators on such variables infer immediately; see `composition`.

    Parameters
    ----------
    name : str
    shape : tuple of int
        0 for dimensions that an operator is to infer.
    code : int
        Type code.
    """
    return Symbol([(Node(name, types=[Type(tuple(shape), code)]), 0)])
