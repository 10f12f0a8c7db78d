"""Random sparse arrays under MXNet's names: arrays of opforge are dense, and these say so."""

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from ..base.errors import OpforgeError

__all__ = [
    "create_sparse_array",
    "create_sparse_array_zd",
    "expect_dense",
    "rand_sparse_ndarray",
    "shuffle_csr_column_indices",
]


def rand_sparse_ndarray(shape: Sequence[int], stype: str, **options: Any) -> NoReturn:
    """Raise OpforgeError: there are no sparse arrays."""
    raise _no_sparse(f"rand_sparse_ndarray: a random array of shape {tuple(shape)}", stype)


def create_sparse_array(shape: Sequence[int], stype: str, **options: Any) -> NoReturn:
    """Raise OpforgeError: there are no sparse arrays."""
    raise _no_sparse(f"create_sparse_array: an array of shape {tuple(shape)}", stype)


def create_sparse_array_zd(
    shape: Sequence[int], stype: str, density: float, **options: Any
) -> NoReturn:
    """Raise OpforgeError: there are no sparse arrays."""
    raise _no_sparse(f"create_sparse_array_zd: an array of shape {tuple(shape)}", stype)


def expect_dense(caller: str, stypes: Mapping[str, str | None] | None) -> None:
    """Raise OpforgeError where a storage type that was asked for is not the dense one.

    Parameters
    ----------
    caller : str
        Whose argument it is.
    stypes : dict of str to (str or None), or None
    """
    for name, stype in (stypes or {}).items():
        if stype not in (None, "default"):
            raise _no_sparse(f"{caller}: the gradient of {name!r}", stype)


def shuffle_csr_column_indices(csr: Any) -> None:
    """Shuffle the column indices within each row of a CSR matrix, such as SciPy's, in place."""
    for begin, end in zip(csr.indptr[:-1], csr.indptr[1:], strict=True):
        csr.indices[begin:end] = np.random.permutation(csr.indices[begin:end])


def _no_sparse(what: str, stype: str | None) -> OpforgeError:
    return OpforgeError(
        f"{what} cannot have stype {stype!r}: arrays of opforge are dense. Use stype 'default'"
    )
