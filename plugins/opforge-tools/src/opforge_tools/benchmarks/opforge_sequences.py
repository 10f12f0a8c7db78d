"""Sequence models and an optimizer in idiomatic opforge code.

`torch_sequences` contains the PyTorch equivalents.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from opforge import autograd, gluon, ndarray, optimizer, random
from opforge.initializer import Xavier

from .programs import Names, shuffled

__all__ = ["PROGRAMS", "both"]

nn, rnn = gluon.nn, gluon.rnn


def both(function: Callable[[], Any]) -> None:
    """Call a function and compute the gradients of its result."""
    with autograd.record():
        y = function()
    y.backward()


def _inference_and_training(net: Any, x: Any, hybridized: bool) -> Names:
    """Return an inference call and a forward-backward call."""
    random.seed(0)
    net.initialize(Xavier())
    net.hybridize(hybridized, static_alloc=True, static_shape=True)
    return {"forward": lambda: net(x), "both": partial(both, lambda: net(x))}


def _layer(kind: str, names: Mapping[str, Any]) -> Names:
    net = getattr(rnn, kind)(names["units"], input_size=names["inputs"])
    return _inference_and_training(net, names["x"], hybridized=False)


class _Steps(gluon.HybridBlock):
    """Block that applies a cell to each step, unrolled or in a loop operator."""

    def __init__(self, names: Mapping[str, Any], loops: bool) -> None:
        super().__init__()
        self._steps, self._loops = names["steps"], loops
        self._state = (names["batch"], names["units"])
        with self.name_scope():
            self.cell = rnn.LSTMCell(names["units"], input_size=names["inputs"])

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        if self._loops:
            begin = [F.zeros(self._state) for _ in range(2)]
            return F.contrib.foreach(self.cell, x, begin)[0]
        return self.cell.unroll(self._steps, x, layout="TNC", merge_outputs=True)[0]


def _cell(loops: bool, names: Mapping[str, Any]) -> Names:
    return _inference_and_training(_Steps(names, loops), names["x"], hybridized=True)


def _lengths(names: Mapping[str, Any]) -> Names:
    """Return a program that runs a hybridized layer on sequences of each length in turn."""
    x, units = names["x"], names["units"]
    random.seed(0)
    net = rnn.LSTM(units, input_size=units)
    net.initialize(Xavier())
    net.hybridize()
    parts = [x[:length].copy() for length in shuffled(names["lengths"])]
    for part in parts:
        part.attach_grad()

    def forward() -> None:
        for part in parts:
            net(part)

    def forward_and_backward() -> None:
        for part in parts:
            both(lambda part=part: net(part))  # type: ignore[misc]

    return {"forward": forward, "both": forward_and_backward}


class _Encoder(gluon.HybridBlock):
    """Pre-norm encoder layer; attention is two matrix products and a softmax."""

    def __init__(self, units: int, heads: int) -> None:
        super().__init__()
        self._heads, self._scale = heads, (units // heads) ** -0.5
        with self.name_scope():
            self.before_attention = nn.LayerNorm(in_channels=units)
            self.parts = nn.Dense(3 * units, flatten=False, in_units=units)
            self.out = nn.Dense(units, flatten=False, in_units=units)
            self.dense = _dense_part(units)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        parts = F.reshape(self.parts(self.before_attention(x)), shape=(0, 0, 3 * self._heads, -1))
        parts = F.split(F.transpose(parts, axes=(0, 2, 1, 3)), num_outputs=3, axis=1)
        query, key, value = (F.reshape(part, shape=(-3, 0, 0)) for part in parts)
        weights = F.softmax(F.batch_dot(query, key, transpose_b=True) * self._scale)
        found = F.reshape(F.batch_dot(weights, value), shape=(-4, -1, self._heads, 0, 0))
        found = F.reshape(F.transpose(found, axes=(0, 2, 1, 3)), shape=(0, 0, -3))
        x = x + self.out(found)
        return x + self.dense(x)


def _dense_part(units: int) -> Any:
    """Return the feed-forward part of a layer: a norm and two dense layers."""
    net = nn.HybridSequential()
    net.add(
        nn.LayerNorm(in_channels=units),
        nn.Dense(4 * units, activation="relu", flatten=False, in_units=units),
        nn.Dense(units, flatten=False, in_units=4 * units),
    )
    return net


def _encoder(hybridized: bool, names: Mapping[str, Any]) -> Names:
    return _inference_and_training(_Encoder(names["units"], names["heads"]), names["x"], hybridized)


class _WordLSTM(gluon.HybridBlock):
    """Word embedding, one LSTM step, and a score for each next word."""

    def __init__(self, words: int, units: int) -> None:
        super().__init__()
        with self.name_scope():
            self.embedding = nn.Embedding(words, units)
            self.lstm = rnn.LSTM(units, input_size=units)
            self.scores = nn.Dense(words, flatten=False, in_units=units)

    def hybrid_forward(self, F: Any, word: Any, *states: Any) -> tuple[Any, Any]:
        found, states = self.lstm(self.embedding(word), list(states))
        return F.argmax(self.scores(found), axis=-1), states


def _generating_lstm(names: Mapping[str, Any]) -> Names:
    random.seed(0)
    net = _WordLSTM(names["words"], names["units"])
    net.initialize(Xavier())
    net.hybridize()

    def generate() -> Any:
        word, states = ndarray.zeros((1, 1)), net.lstm.begin_state(1)
        for _ in range(names["count"]):
            word, states = net(word, *states)
        return word

    return {"generate": generate}


class _CachedLayer(gluon.HybridBlock):
    """Encoder layer for incremental decoding, one position per call."""

    def __init__(self, units: int, heads: int) -> None:
        super().__init__()
        with self.name_scope():
            self.before_attention = nn.LayerNorm(in_channels=units)
            self.attention = nn.MultiHeadAttention(units, heads, causal=True, query_units=units,
                                                   key_units=units, value_units=units)  # fmt: skip
            self.dense = _dense_part(units)

    def step(self, x: Any, cache: Any) -> Any:
        x = x + self.attention.step(self.before_attention(x), cache)
        return x + self.dense(x)


def _generating_encoder(names: Mapping[str, Any]) -> Names:
    random.seed(0)
    words, units, count = names["words"], names["units"], names["count"]
    net = nn.HybridSequential()
    net.add(nn.Embedding(words, units), nn.Dense(words, flatten=False, in_units=units))
    for _ in range(names["layers"]):
        net.add(_CachedLayer(units, names["heads"]))
    net.initialize(Xavier())
    embedding, scores, *layers = net
    for part in (embedding, scores, *(layer.dense for layer in layers)):
        part.hybridize()

    def generate() -> Any:
        word = ndarray.zeros((1, 1))
        caches = [layer.attention.begin_cache(1, count) for layer in layers]
        for _ in range(count):
            x = embedding(word)
            for layer, cache in zip(layers, caches, strict=True):
                x = layer.step(x, cache)
            word = ndarray.argmax(scores(x), axis=-1)
        return word

    return {"generate": generate}


def _adam(names: Mapping[str, Any]) -> Names:
    shape = (names["rows"], names["columns"])
    indices = list(range(names["parameters"]))
    weights = [ndarray.random.normal(shape=shape) for _ in indices]
    grads = [ndarray.full(shape, 0.01) for _ in indices]
    update = optimizer.get_updater(optimizer.Adam(learning_rate=1e-4))
    return {"step": lambda: update(indices, grads, weights)}


PROGRAMS: dict[str, Callable[[Mapping[str, Any]], Names]] = {
    "adam": _adam,
    "compiled_encoder": partial(_encoder, True),
    "encoder": partial(_encoder, False),
    "generating_encoder": _generating_encoder,
    "generating_lstm": _generating_lstm,
    "gru": partial(_layer, "GRU"),
    "lengths": _lengths,
    "looped_cell": partial(_cell, True),
    "lstm": partial(_layer, "LSTM"),
    "unrolled_cell": partial(_cell, False),
}
