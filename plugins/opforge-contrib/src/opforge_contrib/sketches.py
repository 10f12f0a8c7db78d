"""Operator count_sketch."""

from typing import Any

import numpy as np

from opforge.plugin_api import Attribute, F, OperatorProp, ShapeError, kernels


class CountSketch(OperatorProp):
    r"""Project the last axis to `out_dim` elements: add each element, with a sign, to one of them.

    .. math:: y_k = \sum_{i: h_i = k} s_i x_i

    The gradient is that of `data`; `h` and `s` have none.

    Examples
    --------
    >>> from opforge import nd
    >>> x = nd.array([[1, 2, 3], [4, 5, 6]])
    >>> h, s = nd.array([[0, 3, 3]]), nd.array([[1, -1, 1]])
    >>> nd.contrib.count_sketch(x, h, s, out_dim=4).asnumpy().tolist()
    [[1.0, 0.0, 0.0, 1.0], [4.0, 0.0, 0.0, 1.0]]
    """

    name = "_contrib_count_sketch"
    category = "linear"
    arguments = ("data", "h", "s")
    dtypes = ("floating",)
    argument_dtypes = {"h": ("floating", "integer")}
    argument_docs = {
        "data": "shape (..., d)",
        "h": "shape (1, d), indices from 0 to out_dim - 1; rows after the first are ignored",
        "s": "shape (1, d), signs; rows after the first are ignored",
    }
    saves = ("h", "s")
    attrs = {"IsPure": True}
    out_dim = Attribute(int, ge=1, doc="Length of the last axis of the output.")
    processing_batch_size = Attribute(
        int, default=32, doc="Ignored; accepted for compatibility with MXNet."
    )

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the data's shape with a last axis of out_dim elements."""
        data, *hashes = map(tuple, in_shape)
        if not data:
            return in_shape, [None], []
        expected = (1, data[-1])
        for name, shape in zip(self.arguments[1:], hashes, strict=True):
            if shape and (
                len(shape) != 2 or (shape[1] != data[-1] and 0 not in (data[-1], shape[1]))
            ):
                raise ShapeError(
                    f"operator '{self.name}': '{name}' has shape {shape}; expected {expected} "
                    f"because data has shape {data}"
                )
        completed = [
            (shape[0] or 1, shape[1] or data[-1]) if shape else expected for shape in hashes
        ]
        return [data, *completed], [(*data[:-1], self.out_dim)], []

    def infer_inputs(self, in_shapes: Any, out_shapes: Any) -> list[Any]:
        """Return the output's leading lengths, and the last length of any input."""
        data, h, s = map(tuple, in_shapes)
        out = tuple(out_shapes[0])
        lasts = [shape[-1] for shape in (data, h, s) if shape]
        if out and not data:
            data = (*out[:-1], max(lasts, default=0))
        return [data, h, s]

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Multiply by the signs and add what has the same index."""
        data, h, s = in_data
        self._check_indices(np.asarray(h)[0])
        signed = F.empty(data.shape, data.context, data.dtype)
        kernels.binary("multiply", data, s[:1].reshape((-1,)), signed)
        kernels.take_grad(signed, h[:1].reshape((-1,)), out_data[0], axis=data.ndim - 1, req=req[0])

    def _check_indices(self, h: np.ndarray) -> None:
        """Reject indices, truncated, that the output does not have."""
        outside = ~((h > -1) & (h < self.out_dim))
        if outside.any():
            raise ValueError(
                f"'h' has the index {h[outside][0]}; expected 0 to {self.out_dim - 1} because "
                f"out_dim={self.out_dim}. Pass a larger out_dim or smaller indices"
            )

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return for each element the gradient at its index, with its sign."""
        h, s = (
            F.reshape(F.slice_axis(array, axis=0, begin=0, end=1), shape=(-1,))
            for array in in_data[1:]
        )
        return [F.broadcast_mul(F.take(out_grad[0], h, axis=-1), s), None, None]
