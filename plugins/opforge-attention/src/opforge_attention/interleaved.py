"""Declarations of MXNet's interleaved products, whose inputs hold several projections.

A projection of width 3 * heads * depth holds query, key and value of each head side by side, one of
width 2 * heads * depth key and value. ``native/interleaved.c`` reads them in place, without copies.
"""

from typing import Any

from opforge.plugin_api import Attribute, ShapeError, native

LIBRARY = native.load(f"{__package__}._native")

PROJECTIONS = {2: "keys and values", 3: "queries, keys and values"}


class _Interleaved(native.NativeOperator):
    """Base class of the four operators: the number of heads and shape checks."""

    category = "linear"
    dtypes = ("floating", "bfloat16")
    heads = Attribute(int, ge=1, le=2147483647, doc="Number of heads.")

    def _projection(self, name: str, shape: Any, parts: int) -> tuple[int, int, int]:
        """Return the length, batch size and head depth of an array of `parts` projections."""
        if len(shape) != 3 or shape[2] % (parts * self.heads):
            holding = PROJECTIONS.get(parts, name)
            raise ShapeError(
                f"operator '{self.name}': {name} has shape {tuple(shape)}; expected (length, "
                f"batch, {parts} * heads * depth) with heads={self.heads} and {holding} of each "
                "head side by side. Change heads or the width of the projection"
            )
        length, batch, width = shape
        return length, batch, width // (parts * self.heads)

    def _expect(self, name: str, got: Any, expected: tuple[int, ...], source: str) -> None:
        """Raise ShapeError unless `got` matches the shape that `source` implies; 0 is unknown."""
        fits = len(got) == len(expected)
        if not fits or any(a and b and a != b for a, b in zip(got, expected, strict=True)):
            raise ShapeError(
                f"operator '{self.name}': {name} has shape {tuple(got)}; expected {expected} "
                f"because of the shape of {source}"
            )


class SelfScores(_Interleaved):
    """Multiply each head's queries by its keys and divide by the square root of the depth.

    Examples
    --------
    >>> from opforge import nd
    >>> x = nd.ones((5, 2, 3 * 8))  # length, batch, heads * (query, key, value)
    >>> nd.contrib.interleaved_matmul_selfatt_qk(x, heads=4).shape  # batch * heads, length, length
    (8, 5, 5)
    """

    name = "_contrib_interleaved_matmul_selfatt_qk"
    library = LIBRARY
    arguments = ("queries_keys_values",)
    argument_docs = {"queries_keys_values": "(length, batch, heads * 3 * depth), floating"}
    saves = ("inputs",)

    def infer_shape(self, in_shape: Any) -> Any:
        """Return (batch * heads, length, length)."""
        (data,) = in_shape
        if not data:
            return in_shape, [None], []
        length, batch, _ = self._projection("queries_keys_values", data, 3)
        return in_shape, [(batch * self.heads, length, length)], []


class SelfValues(_Interleaved):
    """Multiply attention weights by each head's values.

    Examples
    --------
    >>> from opforge import nd
    >>> x, weights = nd.ones((5, 2, 3 * 8)), nd.ones((8, 5, 5))
    >>> nd.contrib.interleaved_matmul_selfatt_valatt(x, weights, heads=4).shape
    (5, 2, 8)
    """

    name = "_contrib_interleaved_matmul_selfatt_valatt"
    library = LIBRARY
    arguments = ("queries_keys_values", "attention")
    argument_docs = {
        "queries_keys_values": "(length, batch, heads * 3 * depth), floating",
        "attention": "(batch * heads, length, length)",
    }
    saves = ("inputs",)

    def infer_shape(self, in_shape: Any) -> Any:
        """Return (length, batch, heads * depth)."""
        data, attention = in_shape
        if not data:
            return in_shape, [None], []
        length, batch, depth = self._projection("queries_keys_values", data, 3)
        wanted = (batch * self.heads, length, length)
        if attention:
            self._expect("attention", attention, wanted, "queries_keys_values")
        return [data, wanted], [(length, batch, self.heads * depth)], []


class CrossScores(_Interleaved):
    """Multiply each head's queries by another sequence's keys, divided by the root of the depth.

    Examples
    --------
    >>> from opforge import nd
    >>> queries, keys_values = nd.ones((3, 2, 8)), nd.ones((5, 2, 2 * 8))
    >>> nd.contrib.interleaved_matmul_encdec_qk(queries, keys_values, heads=4).shape
    (8, 3, 5)
    """

    name = "_contrib_interleaved_matmul_encdec_qk"
    library = LIBRARY
    arguments = ("queries", "keys_values")
    argument_docs = {
        "queries": "(query length, batch, heads * depth), floating",
        "keys_values": "(key length, batch, heads * 2 * depth)",
    }
    saves = ("inputs",)

    def infer_shape(self, in_shape: Any) -> Any:
        """Return (batch * heads, query length, key length)."""
        queries, keys_values = in_shape
        if not queries or not keys_values:
            return in_shape, [None], []
        length, batch, depth = self._projection("queries", queries, 1)
        memory, *_ = self._projection("keys_values", keys_values, 2)
        wanted = (memory, batch, 2 * self.heads * depth)
        self._expect("keys_values", keys_values, wanted, "queries")
        return [queries, wanted], [(batch * self.heads, length, memory)], []


class CrossValues(_Interleaved):
    """Multiply attention weights by the values of another sequence.

    Examples
    --------
    >>> from opforge import nd
    >>> keys_values, weights = nd.ones((5, 2, 2 * 8)), nd.ones((8, 3, 5))
    >>> nd.contrib.interleaved_matmul_encdec_valatt(keys_values, weights, heads=4).shape
    (3, 2, 8)
    """

    name = "_contrib_interleaved_matmul_encdec_valatt"
    library = LIBRARY
    arguments = ("keys_values", "attention")
    argument_docs = {
        "keys_values": "(key length, batch, heads * 2 * depth), floating",
        "attention": "(batch * heads, query length, key length)",
    }
    saves = ("inputs",)

    def infer_shape(self, in_shape: Any) -> Any:
        """Return (query length, batch, heads * depth)."""
        keys_values, attention = in_shape
        if not keys_values or not attention:
            return in_shape, [None], []
        memory, batch, depth = self._projection("keys_values", keys_values, 2)
        queries = attention[1] if len(attention) == 3 else 0
        wanted = (batch * self.heads, queries, memory)
        self._expect("attention", attention, wanted, "keys_values")
        return [keys_values, wanted], [(queries, batch, self.heads * depth)], []
