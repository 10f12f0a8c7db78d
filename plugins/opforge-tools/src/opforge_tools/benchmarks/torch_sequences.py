"""The models of `opforge_sequences` in idiomatic PyTorch code."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from .programs import Names, shuffled
from .torch_networks import faster

__all__ = ["PROGRAMS", "both_ways"]


def both_ways(leaves: Iterable[Any]) -> Callable[[Callable[[], Any]], None]:
    """Return a program that calls a function and computes gradients into new memory."""
    leaves, heads = list(leaves), {}

    def both(function: Callable[[], Any]) -> None:
        for leaf in leaves:
            leaf.grad = None
        y = function()
        if y.shape not in heads:
            heads[y.shape] = torch.ones_like(y)
        y.backward(heads[y.shape])

    return both


def _inference_and_training(net: nn.Module, x: Any, run: Callable[[Any], Any]) -> Names:
    """Return an inference call and a forward-backward call."""
    both = both_ways([x, *net.parameters()])
    return {"forward": lambda: run(x), "both": partial(both, lambda: run(x))}


def _layer(kind: type[nn.RNNBase], names: Mapping[str, Any]) -> Names:
    torch.manual_seed(0)
    net = kind(names["inputs"], names["units"])
    return _inference_and_training(net, names["x"], lambda x: net(x)[0])


def _cell(names: Mapping[str, Any]) -> Names:
    torch.manual_seed(0)
    cell = nn.LSTMCell(names["inputs"], names["units"])

    def run(x: Any) -> Any:
        states, found = None, []
        for step in x:
            states = cell(step, states)
            found.append(states[0])
        return torch.stack(found)

    return _inference_and_training(cell, names["x"], run)


def _lengths(names: Mapping[str, Any]) -> Names:
    """Return a program that runs a layer on sequences of each length in turn."""
    torch.manual_seed(0)
    x, units = names["x"], names["units"]
    net = nn.LSTM(units, units)
    ways = [
        _inference_and_training(
            net, x[:length].detach().clone().requires_grad_(x.requires_grad), lambda x: net(x)[0]
        )
        for length in shuffled(names["lengths"])
    ]

    def each(way: str) -> None:
        for way_of in ways:
            way_of[way]()

    return {way: partial(each, way) for way in ("forward", "both")}


class _Encoder(nn.Module):
    """Pre-norm encoder layer; attention is two matrix products and a softmax."""

    def __init__(self, units: int, heads: int) -> None:
        super().__init__()
        self.heads, self.scale = heads, (units // heads) ** -0.5
        self.before_attention = nn.LayerNorm(units)
        self.parts, self.out = nn.Linear(units, 3 * units), nn.Linear(units, units)
        self.dense = _dense_part(units)

    def forward(self, x: Any) -> Any:
        parts = self.parts(self.before_attention(x)).unflatten(-1, (3 * self.heads, -1))
        query, key, value = parts.transpose(1, 2).split(self.heads, 1)
        weights = torch.softmax(query @ key.transpose(2, 3) * self.scale, -1)
        x = x + self.out((weights @ value).transpose(1, 2).flatten(2))
        return x + self.dense(x)


def _dense_part(units: int) -> nn.Module:
    """Return the feed-forward part of a layer: a norm and two dense layers."""
    dense = nn.Linear(units, 4 * units), nn.ReLU(), nn.Linear(4 * units, units)
    return nn.Sequential(nn.LayerNorm(units), *dense)


def _encoder(names: Mapping[str, Any]) -> Names:
    torch.manual_seed(0)
    net = _Encoder(names["units"], names["heads"])
    return _inference_and_training(net, names["x"], net)


def _better_encoder(names: Mapping[str, Any]) -> Names:
    """Return the faster version of each program, eager or compiled."""
    torch.manual_seed(0)
    net = _Encoder(names["units"], names["heads"])
    eager, compiled = (
        _inference_and_training(net, names["x"], run) for run in (net, torch.compile(net))
    )
    return {way: faster(eager[way], compiled[way]) for way in eager}


class _WordLSTM(nn.Module):
    """Word embedding, one LSTM step, and a score for each next word."""

    def __init__(self, words: int, units: int) -> None:
        super().__init__()
        self.embedding, self.lstm = nn.Embedding(words, units), nn.LSTM(units, units)
        self.scores = nn.Linear(units, words)

    def forward(self, word: Any, states: Any) -> tuple[Any, Any]:
        found, states = self.lstm(self.embedding(word), states)
        return self.scores(found).argmax(-1), states


def _generating_lstm(names: Mapping[str, Any]) -> Names:
    torch.manual_seed(0)
    net = _WordLSTM(names["words"], names["units"]).eval()

    @torch.inference_mode()
    def generate() -> Any:
        word, states = torch.zeros((1, 1), dtype=torch.long), None
        for _ in range(names["count"]):
            word, states = net(word, states)
        return word

    return {"generate": generate}


class _CachedLayer(nn.Module):
    """Encoder layer for incremental decoding with preallocated keys and values."""

    def __init__(self, units: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.before_attention = nn.LayerNorm(units)
        self.parts, self.out = nn.Linear(units, 3 * units), nn.Linear(units, units)
        self.dense = _dense_part(units)

    def forward(self, x: Any, keys: Any, values: Any, at: int) -> Any:
        parts = self.parts(self.before_attention(x)).unflatten(-1, (3 * self.heads, -1))
        query, keys[:, :, at : at + 1], values[:, :, at : at + 1] = parts.transpose(1, 2).split(
            self.heads, 1
        )
        found = functional.scaled_dot_product_attention(
            query, keys[:, :, : at + 1], values[:, :, : at + 1]
        )
        x = x + self.out(found.transpose(1, 2).flatten(2))
        return x + self.dense(x)


def _generating_encoder(names: Mapping[str, Any]) -> Names:
    torch.manual_seed(0)
    words, units, heads, count = (names[key] for key in ("words", "units", "heads", "count"))
    embedding, scores = nn.Embedding(words, units), nn.Linear(units, words)
    layers = [_CachedLayer(units, heads).eval() for _ in range(names["layers"])]

    @torch.inference_mode()
    def generate() -> Any:
        word = torch.zeros((1, 1), dtype=torch.long)
        rooms = torch.zeros((len(layers), 2, 1, heads, count, units // heads))
        for at in range(count):
            x = embedding(word)
            for layer, (keys, values) in zip(layers, rooms, strict=True):
                x = layer(x, keys, values, at)
            word = scores(x).argmax(-1)
        return word

    return {"generate": generate}


def _adam(names: Mapping[str, Any]) -> Names:
    shape = (names["rows"], names["columns"])
    parameters = [nn.Parameter(torch.randn(shape)) for _ in range(names["parameters"])]
    for parameter in parameters:
        parameter.grad = torch.full(shape, 0.01)
    return {"step": torch.optim.Adam(parameters, lr=1e-4, fused=True).step}


PROGRAMS: dict[str, Callable[[Mapping[str, Any]], Names]] = {
    "adam": _adam,
    "compiled_encoder": _better_encoder,
    "encoder": _encoder,
    "generating_encoder": _generating_encoder,
    "generating_lstm": _generating_lstm,
    "gru": partial(_layer, nn.GRU),
    "lengths": _lengths,
    "looped_cell": _cell,
    "lstm": partial(_layer, nn.LSTM),
    "unrolled_cell": _cell,
}
