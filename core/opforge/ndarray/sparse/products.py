"""`dot` with a csr matrix: native, and differentiable in the dense factor."""

from typing import Any

import numpy as np

from ...base.dtypes import code_of
from ...base.errors import DTypeError, OpforgeError, ShapeError
from ...native import calls
from ...native.array import Array, from_numpy, numpy_alias, zeros
from ...native.dispatch import tape
from .._operators import operators
from .csr import CSRNDArray
from .row_sparse import RowSparseNDArray
from .validation import csr_indices, row_indices

__all__ = ["dot"]

#: Parts of a matrix: values, column indices and row boundaries.
Compressed = tuple[Any, Any, Any]
_INT64 = code_of("int64")


def dot(prop: Any, lhs: Any, rhs: Any) -> Any:
    """Return the product, with MXNet's storage type or the one set by `forward_stype`.

    A csr matrix times a dense one is dense, a transposed csr matrix times a dense one is row_sparse
    (dense if gradients are recorded), and a dense matrix times a csr one is csr.
    """
    if lhs.ndim > 2 or rhs.ndim > 2 or lhs.dtype not in (np.float32, np.float64):
        return NotImplemented
    try:
        return _dot(prop, lhs, rhs)
    except OpforgeError:  # native code validates indices; find the array that is malformed
        for array in (lhs, rhs):
            if isinstance(array, CSRNDArray):
                csr_indices(array)
        raise


def _dot(prop: Any, lhs: Any, rhs: Any) -> Any:
    if isinstance(lhs, CSRNDArray) and not isinstance(rhs, CSRNDArray):
        if tape.recording() and tape.leads(lhs):
            return NotImplemented
        result, stype = _matrix_first(lhs, rhs, prop)
    elif isinstance(rhs, CSRNDArray) and isinstance(lhs, Array) and lhs.ndim == 2:
        if tape.recording() and (tape.leads(lhs) or tape.leads(rhs)):
            return NotImplemented
        result, stype = _matrix_last(lhs, rhs, prop)
    else:
        return NotImplemented
    wanted = prop.forward_stype or stype
    if wanted == result.stype or result.ndim != 2:
        return result
    return result.tostype("default").tostype(wanted)


def _matrix_first(matrix: Any, other: Any, prop: Any) -> tuple[Any, str]:
    """Return the product with a matrix on the left, and the storage type that it should have."""
    is_transposed = prop.transpose_b and other.ndim == 2
    source = operators().transpose(other) if is_transposed else other
    _expect_factors(matrix, source, prop.transpose_a)
    parts = _transpose(matrix) if prop.transpose_a else _parts(matrix)
    rows = matrix.shape[1 if prop.transpose_a else 0]
    parts, dense = _on_stored_rows(parts, matrix, source)
    if tape.recording() and tape.leads(source):
        result = _product(parts, rows, dense)
        _record(result, matrix, source, prop.transpose_a)
        return result, "default"
    keeps_rows = prop.transpose_a and not prop.transpose_b and source.ndim == 2
    if keeps_rows and prop.forward_stype != "default":
        return _product_rows(parts, rows, dense), "row_sparse"
    return _product(parts, rows, dense), "default"


def _matrix_last(dense: Any, matrix: Any, prop: Any) -> tuple[Any, str]:
    """Return ``dense x matrix``, computed from the product of the transposed factors."""
    nd = operators()
    transposed = dense if prop.transpose_a else nd.transpose(dense)
    _expect_factors(matrix, transposed, not prop.transpose_b)
    if prop.transpose_b:
        product = _product(_parts(matrix), matrix.shape[0], transposed)
    else:
        product = _product(_transpose(matrix), matrix.shape[1], transposed)
    return nd.transpose(product), "default" if prop.transpose_a else "csr"


def _on_stored_rows(parts: Compressed, matrix: Any, other: Any) -> tuple[Compressed, Any]:
    """Return two factors that give the product of a matrix, with these parts, and `other`.

    The second one is dense. For a row_sparse table, it has the stored rows only, and elements of
    the matrix that are multiplied by other rows are left out of the parts.
    """
    if isinstance(other, Array):
        return parts, other
    if not isinstance(other, RowSparseNDArray) or other.has_all_rows():
        return parts, other.data if isinstance(other, RowSparseNDArray) else other._dense()
    stored = row_indices(other)
    if not len(stored) or (stored[1:] <= stored[:-1]).any():
        return parts, other._dense()
    csr_indices(matrix)
    data, columns, bounds = map(numpy_alias, parts)
    at = np.searchsorted(stored, columns).clip(max=len(stored) - 1)
    is_stored = stored[at] == columns
    kept = np.append(0, np.cumsum(is_stored))[bounds]
    ctx = other.context
    return (
        from_numpy(data[is_stored], parts[0].dtype_code, ctx),
        from_numpy(at[is_stored], _INT64, ctx),
        from_numpy(kept, _INT64, ctx),
    ), other.data


def _record(result: Any, matrix: Any, source: Any, is_transposed: bool) -> None:
    """Record a product in the graph of `source`, its second factor."""
    rows = matrix.shape[0 if is_transposed else 1]
    parts = _parts(matrix) if is_transposed else _transpose(matrix)

    def gradient(grads: Any) -> Any:
        wanted = source.grad  # None if it is not a variable itself
        if wanted is not None and wanted.stype == "row_sparse" and source.ndim == 2:
            return [_product_rows(parts, rows, grads[0])]
        return [_product(parts, rows, grads[0])]

    known = source if isinstance(source, Array) else source.stand_in
    tape.record_callback((known,), [result], gradient)


def _product(parts: Compressed, rows: int, dense: Any) -> Any:
    """Return the product of a matrix with `rows` rows, given by its parts, and a dense array."""
    data, indices, indptr = parts
    width = dense.shape[1:] or (1,)
    result = zeros((rows, *width), data.dtype_code, dense.context)
    calls.csr_dot(data, indices, indptr, dense._view(0, (dense.shape[0], *width)), result)
    return result if dense.ndim == 2 else result._view(0, (rows,))


def _product_rows(parts: Compressed, rows: int, dense: Any) -> Any:
    """Return the nonzero rows of the product of a matrix with `rows` rows and a dense one."""
    data, indices, indptr = parts
    bounds = numpy_alias(indptr)
    rows_stored = np.flatnonzero(np.diff(bounds))
    ctx = dense.context
    kept = from_numpy(np.append(bounds[rows_stored], bounds[-1]), _INT64, ctx)
    values = _product((data, indices, kept), len(rows_stored), dense)
    return RowSparseNDArray(values, from_numpy(rows_stored, _INT64, ctx), (rows, dense.shape[1]))


def _parts(matrix: Any) -> Compressed:
    """Return the parts of a matrix, with matching lengths; native code validates the indices."""
    if matrix.indptr.size != matrix.shape[0] + 1 or matrix.data.shape != matrix.indices.shape:
        csr_indices(matrix)  # raises an error that names the part
    return matrix.data, matrix.indices, matrix.indptr


def _transpose(matrix: Any) -> Compressed:
    data, indices, indptr = _parts(matrix)
    indices, indptr, order = calls.csr_transpose(indices, indptr, matrix.shape[1])
    values = numpy_alias(data)[numpy_alias(order)]
    return from_numpy(values, data.dtype_code, data.context), indices, indptr


def _expect_factors(matrix: Any, dense: Any, is_transposed: bool) -> None:
    inner = matrix.shape[0 if is_transposed else 1]
    if dense.ndim == 0 or dense.shape[0] != inner:
        raise ShapeError(
            f"operator 'dot': a csr matrix of shape {matrix.shape}, transpose={is_transposed}, "
            f"and {dense.shape} have axes of {inner} and {(dense.shape or (0,))[0]} elements"
        )
    if dense.dtype_code != matrix.dtype_code:
        raise DTypeError(
            f"operator 'dot': inputs have dtypes {np.dtype(matrix.dtype)} and "
            f"{np.dtype(dense.dtype)}: convert one with astype() first"
        )
