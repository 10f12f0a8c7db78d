"""Embedding layers."""

from operator import index
from typing import Any

from opforge.plugin_api import Block, F, HybridBlock


class Embedding(HybridBlock):
    """Map indices to rows of a learned table.

    Parameters
    ----------
    input_dim : int
        Number of rows, such as the size of a vocabulary.
    output_dim : int
        Length of a row.
    dtype : str or type, default "float32"
        Type of the table.
    weight_initializer : Initializer or str, optional
        Default: the initializer passed to ``initialize()``.
    sparse_grad : bool, default False
        Use a row-sparse gradient, with which optimizers with `lazy_update` skip rows that were not
        read. In a hybridized network the gradient is dense.

    Examples
    --------
    >>> from opforge import gluon, nd
    >>> layer = gluon.nn.Embedding(10, 4)
    >>> layer.initialize()
    >>> layer(nd.array([[1, 2, 9]])).shape
    (1, 3, 4)
    """

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        dtype: Any = "float32",
        weight_initializer: Any = None,
        sparse_grad: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._kwargs = _operator_attributes(type(self), input_dim, output_dim, dtype)
        self._kwargs["sparse_grad"] = sparse_grad
        self.weight = self.params.get(
            "weight",
            shape=(input_dim, output_dim),
            init=weight_initializer,
            dtype=dtype,
            allow_deferred_init=True,
            grad_stype="row_sparse" if sparse_grad else "default",
        )

    def hybrid_forward(self, F: Any, x: Any, weight: Any) -> Any:
        """Return a row for each index in `x`."""
        return F.Embedding(x, weight, name="fwd", **self._kwargs)

    def __repr__(self) -> str:
        return _repr(self)


class SparseEmbedding(Block):
    """`Embedding` with a row-sparse table and gradient; a batch pulls only the rows that it reads.

    The store of a `Trainer` holds the table, so create the `Trainer` before the first call. The
    layer runs imperatively, even in a hybridized network.

    Parameters
    ----------
    input_dim, output_dim, dtype, weight_initializer
        As for `Embedding`.

    Examples
    --------
    >>> from opforge import gluon, nd
    >>> layer = gluon.contrib.nn.SparseEmbedding(10, 4)
    >>> layer
    SparseEmbedding(10 -> 4, float32)
    >>> layer.initialize()
    >>> trainer = gluon.Trainer(layer.collect_params(), "sgd")
    >>> layer(nd.array([1, 2])).shape
    (2, 4)
    """

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        dtype: Any = "float32",
        weight_initializer: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._kwargs = _operator_attributes(type(self), input_dim, output_dim, dtype)
        self.weight = self.params.get(
            "weight",
            shape=(input_dim, output_dim),
            init=weight_initializer,
            dtype=dtype,
            grad_stype="row_sparse",
            stype="row_sparse",
        )

    def forward(self, x: Any) -> Any:
        """Return a row for each index in `x`."""
        weight = self.weight.row_sparse_data(x)
        return F.Embedding(x, weight, name="fwd", sparse_grad=True, **self._kwargs)

    def __repr__(self) -> str:
        return _repr(self)


def _operator_attributes(
    layer: type, input_dim: int, output_dim: int, dtype: Any
) -> dict[str, Any]:
    """Return the operator's attributes, or raise if the sizes are not positive."""
    if index(input_dim) < 1 or index(output_dim) < 1:
        raise ValueError(
            f"{layer.__name__}: input_dim is {input_dim!r} and output_dim is {output_dim!r}; "
            "expected the number of rows and their length, both at least 1"
        )
    return {"input_dim": input_dim, "output_dim": output_dim, "dtype": dtype}


def _repr(layer: Any) -> str:
    values = layer._kwargs
    dtype = getattr(values["dtype"], "__name__", values["dtype"])
    name = type(layer).__name__
    return f"{name}({values['input_dim']} -> {values['output_dim']}, {dtype})"
