"""Declaration of fused attention, which `native/fused.c` and `kernels/` implement."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from opforge.plugin_api import Attribute, DTypeError, ShapeError, native

LIBRARY = native.load(f"{__package__}._native")


def compatible(got: Sequence[int], expected: Sequence[int]) -> bool:
    """Return whether two shapes can be equal; 0 is an unknown length."""
    if len(got) != len(expected):
        return False
    return all(a == b or 0 in (a, b) for a, b in zip(got, expected, strict=True))


class ScaledDotProductAttention(native.NativeOperator):
    r"""Average values, weighted by the softmax of query . key * scale over the visible keys.

    .. math:: y = \mathrm{softmax}(s \, Q K^\top) \, V

    A query without visible keys gets zeros. Neither pass stores the scores: memory grows with the
    number of queries and keys, not with their product.

    Examples
    --------
    >>> from opforge import nd
    >>> x = nd.array([[[1.0, 0.0], [0.0, 2.0]]])
    >>> nd.scaled_dot_product_attention(x, x, x, causal=True).asnumpy()[0, 0].tolist()
    [1.0, 0.0]
    """

    name = "scaled_dot_product_attention"
    category = "linear"
    library = LIBRARY
    arguments = ("query", "key", "value", "mask", "valid_length")
    dtypes = ("floating", "bfloat16")
    argument_dtypes = {
        "mask": ("bool", "uint8", "floating", "bfloat16"),
        "valid_length": ("int32", "int64"),
    }
    output_dtypes = {
        "logsumexp": {"float16": "float32", "bfloat16": "float32"},
        "random_key": "int64",
    }
    num_visible_outputs = 1
    argument_docs = {
        "query": "(..., query length, depth), or (batch, query length, num_heads * depth); "
        "floating",
        "key": "(..., key length, depth), or (batch, key length, num_heads * depth)",
        "value": "(..., key length, value depth), or (batch, key length, num_heads * value depth)",
        "mask": "with use_mask; broadcast to (..., query length, key length), or with num_heads to "
        "(batch, num_heads, query length, key length). bool and uint8: whether the key is visible "
        "to the query; the query's dtype: added to the scores",
        "valid_length": "with use_length; (batch,) or (batch, query length), int32 or int64: the "
        "number of keys, counted from the first, visible to a sample or a query",
    }
    num_heads = Attribute(
        int,
        default=None,
        ge=1,
        le=2147483647,
        optional=True,
        doc="Number of heads side by side in the last axis; None: heads are leading axes.",
    )
    causal = Attribute(bool, default=False, doc="Whether query i sees only keys 0 to i.")
    scale = Attribute(
        float, default=None, optional=True, doc="Factor of scores; None: 1 / sqrt(depth)."
    )
    dropout = Attribute(
        float, default=0.0, ge=0, le=1, doc="Fraction of the weights dropped in training."
    )
    use_mask = Attribute(bool, default=False, doc="Whether `mask` is an input.")
    use_length = Attribute(bool, default=False, doc="Whether `valid_length` is an input.")

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.saves = tuple(self.list_arguments() + self.list_outputs())

    def list_arguments(self) -> list[str]:
        """Return the names of the inputs, with mask and lengths if they are used."""
        options = {"mask": self.use_mask, "valid_length": self.use_length}
        return [name for name in self.arguments if options.get(name, True)]

    def list_outputs(self) -> list[str]:
        """Return the names of the outputs; backward recomputes weights from the log-sum-exp."""
        return ["output", "logsumexp", *(["random_key"] if self.dropout else [])]

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the query's shape with the value's depth."""
        shapes = dict(zip(self.list_arguments(), map(tuple, in_shape), strict=True))
        query, key, value = (shapes[name] for name in ("query", "key", "value"))
        if not query or not key or not value:
            return in_shape, [None] * len(self.list_outputs()), []
        self._check_rows(query, key, value)
        *leading, queries, _ = query
        depth = value[-1] // (self.num_heads or 1)
        if self.num_heads is not None:
            leading = [*leading, self.num_heads]
        if shapes.get("mask"):
            self._check_mask(shapes["mask"], (*leading, queries, key[-2]))
        if shapes.get("valid_length"):
            self._check_lengths(shapes["valid_length"], query)
        out = (*query[:-1], depth * (self.num_heads or 1))
        extra = [(1,)] if self.dropout else []
        return in_shape, [out, (*leading, queries), *extra], []

    def infer_type(self, in_type: Any) -> Any:
        """Return the query's dtype; a mask to add must have it too."""
        types, outputs, states = super().infer_type(in_type)
        if self.use_mask and None not in types[:4]:
            mask, query = np.dtype(types[3]), np.dtype(types[0])
            if mask.kind == "f" and mask != query:
                raise DTypeError(
                    f"operator '{self.name}': mask has dtype {mask}; expected bool, uint8 or "
                    f"{query}. Convert it with mask.astype('{query}')"
                )
        return types, outputs, states

    def _check_rows(self, query: Any, key: Any, value: Any) -> None:
        """Raise ShapeError unless the shapes of query, key and value match."""
        min_ndim = 2 if self.num_heads is None else 3
        heads = self.num_heads or 1
        for name, shape in (("query", query), ("key", key), ("value", value)):
            if len(shape) < min_ndim or (self.num_heads is not None and len(shape) != 3):
                expected = (
                    "(..., length, depth)"
                    if self.num_heads is None
                    else "(batch, length, num_heads * depth)"
                )
                raise self._error(name, shape, expected)
            if shape[-1] % heads:
                raise self._error(name, shape, f"a last axis divisible by num_heads={heads}")
        like_query = (*query[:-2], key[-2], query[-1])
        if not compatible(key, like_query):
            raise self._error("key", key, f"{like_query} because query has shape {query}")
        like_key = (*key[:-1], value[-1])
        if not compatible(value, like_key):
            raise self._error("value", value, f"{like_key} because key has shape {key}")

    def _check_mask(self, mask: Any, scores: tuple[int, ...]) -> None:
        """Raise ShapeError unless the mask broadcasts to the shape of the scores."""
        ends = scores[len(scores) - len(mask) :] if len(mask) <= len(scores) else ()
        if not ends or not compatible([0 if got == 1 else got for got in mask], ends):
            raise self._error(
                "mask", mask, f"a shape that broadcasts to {scores}. Reshape the mask"
            )

    def _check_lengths(self, lengths: Any, query: Any) -> None:
        """Raise ShapeError unless there is one length per sample or per query."""
        allowed = [(query[0],), (query[0], query[-2])] if len(query) > 2 else []
        if not any(compatible(lengths, shape) for shape in allowed):
            expected = " or ".join(map(str, allowed)) or "queries with a batch axis"
            raise self._error(
                "valid_length", lengths, f"{expected} because query has shape {query}"
            )

    def _error(self, name: str, got: Any, expected: str) -> ShapeError:
        return ShapeError(f"operator '{self.name}': {name} has shape {got}; expected {expected}")
