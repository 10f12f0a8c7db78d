"""`RowSparseCopies`: values of parameters whose storage type is row_sparse.

The full value is in the key-value store of the trainer, which updates it there. The copies hold the
rows that were last requested.
"""

from typing import Any

from .. import autograd
from .. import ndarray as nd
from ..base.context import cpu
from ..kvstore.reduction import averaged
from ..ndarray import NDArray
from .parameter_copies import ParameterCopies

__all__ = ["RowSparseCopies"]


class RowSparseCopies(ParameterCopies):
    """Copies of a value; if it is row_sparse, they hold the rows that a batch needs."""

    #: Trainer whose store has the full sparse value; it lives as long as the parameter.
    _keeper: Any = None

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        if self._keeper is not None:
            del state["_keeper"]
            full = self._reduce()
            state["_data"] = [full.copyto(ctx) for ctx in self.list_ctx()]
        return state

    def row_sparse_data(self, row_id: NDArray) -> Any:
        """Return the copy on the context of `row_id`, with these rows of the store's value.

        Parameters
        ----------
        row_id : NDArray
            Row indices of any shape and in any order, such as a batch of words.

        Returns
        -------
        RowSparseNDArray
            The same array in each call, with different rows.

        Raises
        ------
        RuntimeError
            The parameter's storage type is not ``"row_sparse"``, it has no value on that context,
            or no `Trainer`, whose store would have the rows.
        TypeError
            `row_id` is not an NDArray.

        Examples
        --------
        >>> from opforge import gluon, nd
        >>> table = gluon.Parameter("table", shape=(9, 2), init="ones", stype="row_sparse")
        >>> table.initialize()
        >>> trainer = gluon.Trainer([table], "sgd")
        >>> table.row_sparse_data(nd.array([7, 3])).indices.asnumpy().tolist()
        [3, 7]
        """
        self._expect_rows("row_sparse_data", row_id)
        found = self._check_and_get(self._data, row_id.context)
        self._trainer._row_sparse_pull(self, found, row_id)
        return found

    def list_row_sparse_data(self, row_id: NDArray) -> list[Any]:
        """Return the copies on all contexts, each with the same rows; see `row_sparse_data`."""
        self._expect_rows("list_row_sparse_data", row_id)
        found = self._values()
        self._trainer._row_sparse_pull(self, found, row_id)
        return found

    def _expect_rows(self, method: str, row_id: Any) -> None:
        if self._stype != "row_sparse":
            raise RuntimeError(
                f"Cannot return a copy of Parameter '{self.name}' via {method}() because its "
                f"storage type is {self._stype}. Please use data() instead."
            )
        if not isinstance(row_id, NDArray):
            raise TypeError(
                f"Parameter '{self.name}': row_id is {type(row_id).__name__}, expected an NDArray"
            )
        if self._trainer is None:
            raise RuntimeError(
                f"Cannot get row_sparse data for Parameter '{self.name}' when no Trainer is "
                "created with it."
            )

    def _set_trainer(self, trainer: Any) -> None:
        if self._stype != "default":
            if trainer is not None and self._keeper not in (None, trainer):
                raise RuntimeError(
                    f"Failed to set the trainer for Parameter '{self.name}' because it was already "
                    "set. More than one trainers for a sparse Parameter is not supported."
                )
            self._keeper = trainer
        super()._set_trainer(trainer)

    def _reduce(self) -> NDArray:
        """Return the full value on ``cpu(0)``; for dense copies, their mean."""
        copies = self._values()
        with autograd.pause():
            if self._keeper is None or self._stype != "row_sparse":
                return averaged(copies, cpu())
            full = nd.zeros(copies[0].shape, cpu(), copies[0].dtype, self._stype)
            rows = nd.arange(full.shape[0], dtype="int64", ctx=cpu())
            self._keeper._row_sparse_pull(self, full, rows)
        return full
