"""Sums and products of sparse arrays, and the functions behind Python's operators.

The sum or difference of two arrays of one storage type has that type, and so has a product with any
factor that is finite where nothing is stored; all other results are dense.
"""

from typing import Any

import numpy as np

from ...base.dtypes import code_of
from ...base.errors import DTypeError, ShapeError
from ...native import calls
from ...native.array import Array, StoredArray, from_numpy, numpy_alias, zeros
from .._operators import operators
from .csr import CSRNDArray
from .row_sparse import RowSparseNDArray
from .validation import csr_indices, row_indices

__all__ = [
    "add",
    "add_n",
    "csr_by_dense",
    "divide",
    "elementwise_product",
    "elementwise_sum",
    "function_of_pairs",
    "multiply",
    "stored_quotient",
    "subtract",
    "summed_rows",
]

# Functions of nd.sparse


def add(lhs: Any, rhs: Any) -> Any:
    """Return ``lhs + rhs``, sparse if both have the same storage type and shape.

    Parameters
    ----------
    lhs, rhs : NDArray of any storage type, or number

    Examples
    --------
    >>> from opforge import nd
    >>> x = nd.ones((2, 2)).tostype("csr")
    >>> add(x, x).stype
    'csr'
    """
    return _between(lhs, rhs, "elemwise_add", "add")


def subtract(lhs: Any, rhs: Any) -> Any:
    """Return ``lhs - rhs``, sparse if both have the same storage type and shape."""
    return _between(lhs, rhs, "elemwise_sub", "subtract")


def multiply(lhs: Any, rhs: Any) -> Any:
    """Return ``lhs * rhs``; sparse if one is and shapes are equal, or if a number is finite."""
    return _between(lhs, rhs, "elemwise_mul", "multiply")


def divide(lhs: Any, rhs: Any) -> Any:
    """Return ``lhs / rhs``, sparse if `lhs` is csr and `rhs` a dense array or a number."""
    return operators().divide(lhs, rhs)


def _between(lhs: Any, rhs: Any, elementwise: str, function: str) -> Any:
    nd = operators()
    kinds = (Array, StoredArray)
    if isinstance(lhs, kinds) and isinstance(rhs, kinds) and lhs.shape == rhs.shape:
        return getattr(nd, elementwise)(lhs, rhs)
    return getattr(nd, function)(lhs, rhs)


# Implementations of operators


def elementwise_sum(prop: Any, lhs: Any, rhs: Any) -> Any:
    """Return the sum or difference of two arrays of one storage type."""
    _expect_alike(prop.name, lhs, rhs)
    sign = -1 if prop.name == "elemwise_sub" else 1
    if isinstance(lhs, RowSparseNDArray) and isinstance(rhs, RowSparseNDArray):
        return summed_rows([lhs, rhs if sign == 1 else -rhs])
    if isinstance(lhs, CSRNDArray) and isinstance(rhs, CSRNDArray):
        keys = np.concatenate([lhs._keys(), rhs._keys()])
        values = np.concatenate([numpy_alias(lhs.data), sign * numpy_alias(rhs.data)])
        return _summed_keys(keys, values, lhs)
    return NotImplemented


def add_n(prop: Any, *arrays: Any) -> Any:
    """Return the sum of row_sparse arrays."""
    for array in arrays:
        if not isinstance(array, RowSparseNDArray):
            return NotImplemented
        _expect_alike(prop.name, arrays[0], array)
    total = summed_rows(arrays)
    return total.copy() if total is arrays[0] else total


def elementwise_product(prop: Any, lhs: Any, rhs: Any) -> Any:
    """Return the product of a sparse array and one of the same type or a dense one."""
    _expect_alike(prop.name, lhs, rhs)
    if isinstance(lhs, Array):
        lhs, rhs = rhs, lhs
    if isinstance(lhs, RowSparseNDArray) and isinstance(rhs, (Array, RowSparseNDArray)):
        return _product_of_rows(lhs, rhs)
    if isinstance(lhs, CSRNDArray) and isinstance(rhs, (Array, CSRNDArray)):
        return _product_of_keys(lhs, rhs)
    return NotImplemented


def function_of_pairs(prop: Any, lhs: Any, rhs: Any) -> Any:
    """Return a function that maps two zeros to zero, of two arrays of one sparse type."""
    _expect_alike(prop.name, lhs, rhs)
    if isinstance(lhs, RowSparseNDArray) and isinstance(rhs, RowSparseNDArray):
        left, right = (
            summed_rows([one, other._with_data(operators().zeros_like(other.data))])
            for one, other in ((lhs, rhs), (rhs, lhs))
        )
    elif isinstance(lhs, CSRNDArray) and isinstance(rhs, CSRNDArray):
        keys = np.concatenate([lhs._keys(), rhs._keys()])
        values = numpy_alias(lhs.data), numpy_alias(rhs.data)
        left = _summed_keys(keys, np.append(values[0], np.zeros_like(values[1])), lhs)
        right = _summed_keys(keys, np.append(np.zeros_like(values[0]), values[1]), rhs)
    else:
        return NotImplemented
    function = getattr(operators()._internal, prop.name)
    return left._with_data(function(left.data, right.data))


def csr_by_dense(prop: Any, lhs: Any, rhs: Any) -> Any:
    """Return a csr matrix multiplied or divided by a dense array that broadcasts to it."""
    if not isinstance(lhs, CSRNDArray) or not isinstance(rhs, Array) or rhs.ndim > lhs.ndim:
        return NotImplemented
    if any(size not in (1, length) for size, length in zip(rhs.shape[::-1], lhs.shape[::-1])):  # noqa: B905 - as many as the shorter has
        return NotImplemented
    _expect_one_type(prop.name, lhs, rhs)
    columns, bounds = csr_indices(lhs)
    rows = np.repeat(np.arange(lhs.shape[0]), np.diff(bounds))
    factors = np.broadcast_to(numpy_alias(rhs), lhs.shape)[rows, columns]
    factors = from_numpy(factors, rhs.dtype_code, rhs.context)
    data = lhs.data * factors if prop.name == "broadcast_mul" else lhs.data / factors
    return lhs._with_data(data)


def stored_quotient(prop: Any, lhs: Any, rhs: Any) -> Any:
    """Return the quotients of the rows that a row_sparse array stores; other rows stay zero."""
    _expect_alike(prop.name, lhs, rhs)
    if not isinstance(lhs, RowSparseNDArray):
        return NotImplemented
    divisors = operators().take(rhs.tostype("default"), lhs.indices)
    return lhs._with_data(lhs.data / divisors)


def summed_rows(arrays: Any) -> Any:
    """Return the sum of row_sparse arrays of one shape and type, with ascending rows.

    A single array whose rows ascend is returned unchanged.
    """
    first = arrays[0]
    indices = np.concatenate([row_indices(array) for array in arrays])
    if len(arrays) == 1 and (indices[1:] > indices[:-1]).all():
        return first
    rows, inverse = np.unique(indices, return_inverse=True)
    kind, ctx = first.dtype_code, first.context
    data = zeros((len(rows), *first.shape[1:]), kind, ctx)
    if len(rows):
        values = operators().concat(*(array.data for array in arrays if array.data.size), dim=0)
        slots = from_numpy(inverse.reshape(-1), code_of("int64"), ctx)
        calls.take_grad(values, slots, data)
    return RowSparseNDArray(data, from_numpy(rows, code_of("int64"), ctx), first.shape)


def _summed_keys(keys: Any, values: Any, like: Any) -> Any:
    found, inverse = np.unique(keys, return_inverse=True)
    sums = np.zeros(len(found), values.dtype)
    np.add.at(sums, inverse.reshape(-1), values)
    return CSRNDArray._of_keys(found, sums, like.shape, like.context)


def _product_of_rows(lhs: Any, rhs: Any) -> Any:
    if isinstance(rhs, Array):
        lhs = summed_rows([lhs])
        return lhs._with_data(lhs.data * operators().take(rhs, lhs.indices))
    left, right = summed_rows([lhs]), summed_rows([rhs])
    rows, mine, others = np.intersect1d(
        row_indices(left), row_indices(right), assume_unique=True, return_indices=True
    )
    data = numpy_alias(left.data)[mine] * numpy_alias(right.data)[others]
    ctx = lhs.context
    indices = from_numpy(rows, code_of("int64"), ctx)
    return RowSparseNDArray(from_numpy(data, lhs.dtype_code, ctx), indices, lhs.shape)


def _product_of_keys(lhs: Any, rhs: Any) -> Any:
    if isinstance(rhs, Array):
        factors = numpy_alias(rhs).reshape(-1)[lhs._keys()]
        return lhs._with_data(lhs.data * from_numpy(factors, rhs.dtype_code, rhs.context))
    left, right = (_summed_keys(one._keys(), numpy_alias(one.data), one) for one in (lhs, rhs))
    keys, mine, others = np.intersect1d(
        left._keys(), right._keys(), assume_unique=True, return_indices=True
    )
    values = numpy_alias(left.data)[mine] * numpy_alias(right.data)[others]
    return CSRNDArray._of_keys(keys, values, lhs.shape, lhs.context)


def _expect_alike(name: str, lhs: Any, rhs: Any) -> None:
    if lhs.shape != rhs.shape:
        raise ShapeError(
            f"operator '{name}': inputs have shapes {lhs.shape} and {rhs.shape}, expected equal "
            "ones; the broadcast_ operators accept different shapes"
        )
    _expect_one_type(name, lhs, rhs)


def _expect_one_type(name: str, lhs: Any, rhs: Any) -> None:
    if lhs.dtype_code != rhs.dtype_code:
        raise DTypeError(
            f"operator '{name}': inputs have dtypes {np.dtype(lhs.dtype)} and "
            f"{np.dtype(rhs.dtype)}: convert one with astype() first"
        )
