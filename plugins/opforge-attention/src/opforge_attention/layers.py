"""Multi-head attention layer."""

from typing import Any

import numpy as np

from opforge.plugin_api import F as nd
from opforge.plugin_api import HybridBlock, autograd, nn

from .cache import KeyValueCache


class MultiHeadAttention(HybridBlock):
    """Multi-head attention with projections of queries, keys, values and output.

    Inputs are ``(query, key, value, mask, valid_length)``, of which all but the first are optional:
    `key` defaults to the query and `value` to the key. The first three have shape (batch, length,
    features), the others are those of the operator ``scaled_dot_product_attention``: a mask is
    broadcast to (batch, heads, query length, key length) and is bool or added to the scores;
    valid_length is the number of visible keys of each sample. The projections are the Dense layers
    `query`, `key`, `value` and `out`.

    Parameters
    ----------
    units : int
        Width of the projections and of the output; a multiple of `num_heads`.
    num_heads : int
    dropout : float, default 0.0
        Fraction of the attention weights dropped in training.
    use_bias : bool, default True
    causal : bool, default False
        Whether query i sees only keys 0 to i.
    weight_initializer, bias_initializer : Initializer or str, optional
        Default: the one given to ``initialize()``, and zeros for biases.
    query_units, key_units, value_units : int, default 0
        Sizes of the inputs; 0: taken from the first ones.

    Examples
    --------
    >>> from opforge import gluon, nd
    >>> layer = gluon.nn.MultiHeadAttention(8, num_heads=2)
    >>> layer.initialize()
    >>> layer(nd.ones((4, 5, 3))).shape
    (4, 5, 8)
    """

    def __init__(
        self,
        units: int,
        num_heads: int,
        dropout: float = 0.0,
        use_bias: bool = True,
        causal: bool = False,
        weight_initializer: Any = None,
        bias_initializer: Any = "zeros",
        query_units: int = 0,
        key_units: int = 0,
        value_units: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if num_heads < 1 or units < 1 or units % num_heads:
            raise ValueError(
                f"{type(self).__name__}: units is {units!r} and num_heads {num_heads!r}; expected "
                "positive integers, with units a multiple of num_heads"
            )
        self._units = units
        self._num_heads = num_heads
        self._attention = {"num_heads": num_heads, "causal": causal, "dropout": dropout}
        widths = {"query": query_units, "key": key_units, "value": value_units, "out": units}
        with self.name_scope():
            self.query, self.key, self.value, self.out = (
                nn.Dense(
                    units,
                    use_bias=use_bias,
                    flatten=False,
                    weight_initializer=weight_initializer,
                    bias_initializer=bias_initializer,
                    in_units=width,
                    prefix=f"{part}_",
                )
                for part, width in widths.items()
            )

    def hybrid_forward(
        self,
        F: Any,
        x: Any,
        key: Any = None,
        value: Any = None,
        mask: Any = None,
        valid_length: Any = None,
    ) -> Any:
        """Return the layer's output, (batch, query length, units)."""
        key = x if key is None else key
        value = key if value is None else value
        found = F.scaled_dot_product_attention(
            self.query(x),
            self.key(key),
            self.value(value),
            mask,
            valid_length,
            use_mask=mask is not None,
            use_length=valid_length is not None,
            name="fwd",
            **self._attention,
        )
        return self.out(found)

    def begin_cache(self, batch_size: int, capacity: int = 64) -> KeyValueCache:
        """Return an empty key-value cache for `step`.

        Parameters
        ----------
        batch_size : int
        capacity : int, default 64
            Initial capacity in positions; it grows as needed.
        """
        weight = self.key.weight
        # Layers with quantized weights, which are integers, return float32.
        dtype = np.float32 if np.dtype(weight.dtype).kind in "iu" else weight.dtype
        shape = (batch_size, capacity, self._units)
        return KeyValueCache(shape, dtype, weight.list_ctx()[0])

    def step(self, x: Any, cache: KeyValueCache) -> Any:
        """Append new positions to a cache and attend to all positions so far.

        This generates a sequence incrementally. Each position sees itself and those before it,
        whether the layer is causal or not. No gradient is recorded and no dropout applied.

        Parameters
        ----------
        x : NDArray, shape (batch, new positions, features)
        cache : KeyValueCache
            From `begin_cache`; the keys and values of `x` are appended to it.

        Returns
        -------
        NDArray, shape (batch, new positions, units)

        Examples
        --------
        >>> from opforge import gluon, nd
        >>> layer = gluon.nn.MultiHeadAttention(8, num_heads=2, causal=True)
        >>> layer.initialize()
        >>> x = nd.random.normal(shape=(1, 3, 8))
        >>> cache = layer.begin_cache(batch_size=1)
        >>> parts = [layer.step(x[:, i : i + 1], cache) for i in range(3)]
        >>> abs(nd.concat(*parts, dim=1) - layer(x)).max().asscalar() < 1e-6
        True
        """
        with autograd.pause(train_mode=False):
            visible = cache.append(self.key(x), self.value(x))
            found = nd.scaled_dot_product_attention(
                self.query(x),
                cache.keys,
                cache.values,
                None,
                visible,
                num_heads=self._num_heads,
                use_length=True,
            )
            return self.out(found)

    def __repr__(self) -> str:
        causal = ", causal" if self._attention["causal"] else ""
        return f"{type(self).__name__}({self._units}, {self._num_heads} heads{causal})"
