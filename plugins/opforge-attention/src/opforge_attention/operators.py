"""The declaration of fused attention; `native/fused.c` and `kernels/` compute it."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from opforge.plugin_api import Attribute, DTypeError, ShapeError, native

LIBRARY = native.load(f"{__package__}._native")


def agree(got: Sequence[int], wanted: Sequence[int]) -> bool:
    """Tell whether two shapes can be one; 0 is not known."""
    if len(got) != len(wanted):
        return False
    return all(a == b or 0 in (a, b) for a, b in zip(got, wanted, strict=True))


class ScaledDotProductAttention(native.NativeOperator):
    r"""Average values, weighted by the softmax of query . key * scale over the keys that are seen.

    .. math:: y = \mathrm{softmax}(s \, Q K^\top) \, V

    A query that sees no key gets zeros. Neither pass keeps the scores: memory grows with the
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
    num_visible_outputs = 1
    argument_docs = {
        "query": "(..., query length, depth), or (batch, query length, num_heads * depth); "
        "floating",
        "key": "(..., key length, depth), or (batch, key length, num_heads * depth)",
        "value": "(..., key length, value depth), or (batch, key length, num_heads * value depth)",
        "mask": "with use_mask; broadcast to (..., query length, key length), or with num_heads to "
        "(batch, num_heads, query length, key length). bool and uint8: whether the query sees the "
        "key; query's type: added to the scores",
        "valid_length": "with use_length; (batch,) or (batch, query length), int32 or int64: how "
        "many keys, counted from the first, a sample or a query sees",
    }
    num_heads = Attribute(
        int,
        default=None,
        ge=1,
        le=2147483647,
        optional=True,
        doc="Heads side by side in the last axis; None: none.",
    )
    causal = Attribute(bool, default=False, doc="Query i sees keys 0 to i alone.")
    scale = Attribute(
        float, default=None, optional=True, doc="Factor of scores; None: 1 / sqrt(depth)."
    )
    dropout = Attribute(
        float, default=0.0, ge=0, le=1, doc="Fraction of the weights that training drops."
    )
    use_mask = Attribute(bool, default=False, doc="Whether there is a mask.")
    use_length = Attribute(bool, default=False, doc="Whether there is a valid_length.")

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.saves = tuple(self.list_arguments() + self.list_outputs())

    def list_arguments(self) -> list[str]:
        """Return the names; mask and lengths are inputs where they are used."""
        options = {"mask": self.use_mask, "valid_length": self.use_length}
        return [name for name in self.arguments if options.get(name, True)]

    def list_outputs(self) -> list[str]:
        """Return the names: backward computes weights again from the logarithm of their sum."""
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
        """Return the query's type; what backward needs of sums has at least float32."""
        types = dict(zip(self.list_arguments(), in_type, strict=True))
        floating = [types[name] for name in ("query", "key", "value") if types[name] is not None]
        if not floating:
            return in_type, [None] * len(self.list_outputs()), []
        kind = np.dtype(floating[0])
        for name in ("query", "key", "value"):
            self._expect_type(name, types[name], kind.name, [kind])
            types[name] = kind.type
        if kind.kind != "f":
            raise DTypeError(
                f"operator '{self.name}': query is {kind}, expected float16, float32 or float64; "
                "convert it with query.astype('float32')"
            )
        if "mask" in types:
            allowed = [np.dtype("bool"), np.dtype("uint8"), kind]
            self._expect_type("mask", types["mask"], f"bool, uint8 or {kind}", allowed)
            types["mask"] = types["mask"] or kind.type
        if "valid_length" in types:
            allowed = [np.dtype("int32"), np.dtype("int64")]
            self._expect_type("valid_length", types["valid_length"], "int32 or int64", allowed)
            types["valid_length"] = types["valid_length"] or np.int32
        sums = np.float64 if kind == np.float64 else np.float32
        extra = [np.int64] if self.dropout else []
        return [types[name] for name in self.list_arguments()], [kind.type, sums, *extra], []

    def _expect_type(self, name: str, got: Any, wanted: str, allowed: list[Any]) -> None:
        if got is not None and np.dtype(got) not in allowed:
            raise DTypeError(
                f"operator '{self.name}': {name} is {np.dtype(got)}, expected {wanted}; convert it "
                f"with {name}.astype('{allowed[0]}')"
            )

    def _check_rows(self, query: Any, key: Any, value: Any) -> None:
        """Refuse queries, keys and values that do not belong together."""
        least = 2 if self.num_heads is None else 3
        heads = self.num_heads or 1
        for name, shape in (("query", query), ("key", key), ("value", value)):
            if len(shape) < least or (self.num_heads is not None and len(shape) != 3):
                wanted = (
                    "(..., length, depth)"
                    if self.num_heads is None
                    else "(batch, length, num_heads * depth)"
                )
                raise self._error(name, shape, wanted)
            if shape[-1] % heads:
                raise self._error(name, shape, f"a last axis that num_heads = {heads} divides")
        like_query = (*query[:-2], key[-2], query[-1])
        if not agree(key, like_query):
            raise self._error("key", key, f"{like_query} because query has shape {query}")
        like_key = (*key[:-1], value[-1])
        if not agree(value, like_key):
            raise self._error("value", value, f"{like_key} because key has shape {key}")

    def _check_mask(self, mask: Any, wanted: tuple[int, ...]) -> None:
        """Refuse a mask that is not broadcast to all pairs."""
        ends = wanted[len(wanted) - len(mask) :] if len(mask) <= len(wanted) else ()
        if not ends or not agree([0 if got == 1 else got for got in mask], ends):
            raise self._error(
                "mask", mask, f"{wanted} or what is broadcast to it; reshape the mask"
            )

    def _check_lengths(self, lengths: Any, query: Any) -> None:
        """Refuse lengths that are neither those of samples nor of queries."""
        allowed = [(query[0],), (query[0], query[-2])] if len(query) > 2 else []
        if not any(agree(lengths, shape) for shape in allowed):
            wanted = " or ".join(map(str, allowed)) or "queries with a batch axis"
            raise self._error("valid_length", lengths, f"{wanted} because query has shape {query}")

    def _error(self, name: str, got: Any, wanted: str) -> ShapeError:
        return ShapeError(f"operator '{self.name}': {name} has shape {got}, expected {wanted}")
