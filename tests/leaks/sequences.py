"""One step of each kind of program on sequences, whose lengths differ from step to step.

A step trains or generates; it keeps only states for the next one, detached from its graph.
"""

from itertools import cycle

import numpy as np

from opforge import gluon, nd
from opforge.autograd import record
from opforge.gluon import nn, rnn

BATCH, WORDS, UNITS = 2, 11, 4
LENGTHS = (5, 2, 7, 1, 4)


class LanguageModel(gluon.HybridBlock):
    """Language model: embedding, two LSTM layers, scores of words."""

    def __init__(self):
        super().__init__()
        with self.name_scope():
            self.embedding = nn.Embedding(WORDS, UNITS)
            self.lstm = rnn.LSTM(UNITS, num_layers=2, dropout=0.2, input_size=UNITS)
            self.scores = nn.Dense(WORDS, flatten=False, in_units=UNITS)

    def hybrid_forward(self, F, words, states):
        y, states = self.lstm(self.embedding(words), states)
        return self.scores(y), states

    def begin(self):
        """Return the initial states."""
        return self.lstm.begin_state(BATCH)


class Looping(gluon.HybridBlock):
    """The same with a custom step in `foreach`, or in `while_loop` after a branch."""

    def __init__(self, kind):
        super().__init__()
        self.kind = kind
        with self.name_scope():
            self.embedding = nn.Embedding(WORDS, UNITS)
            self.cell = rnn.GRUCell(UNITS, input_size=UNITS)
            self.scores = nn.Dense(WORDS, flatten=False, in_units=UNITS)

    def hybrid_forward(self, F, words, states):
        x = self.embedding(words)
        y, states = getattr(self, self.kind)(F, x, states)
        return self.scores(y), states

    def foreach(self, F, x, states):
        """Take the rows in order."""
        return F.contrib.foreach(self.cell, x, states)

    def while_loop(self, F, x, states):
        """Take the first row repeatedly, while the states are small."""
        row = F.reshape(F.slice_axis(x, axis=0, begin=0, end=1), shape=(-3, 0))
        start = F.contrib.cond(F.sum(row) > 0, lambda: row, lambda: row * 2)
        _, (_, state) = F.contrib.while_loop(
            lambda r, s: F.sum(F.abs(s)) < 100,
            lambda r, s: (s, [r, self.cell(r, [s])[0]]),
            [start, states[0]],
            max_iterations=3,
        )
        return F.broadcast_add(x, F.expand_dims(state, axis=0)), [state]

    def begin(self):
        """Return the initial states."""
        return self.cell.begin_state(BATCH)


def training(model, hybridized):
    """Return a training step on the next words."""
    model.initialize()
    model.hybridize(hybridized)
    trainer = gluon.Trainer(model.collect_params(), "adam", {"learning_rate": 0.01})
    loss_of = gluon.loss.SoftmaxCrossEntropyLoss()
    states, lengths = model.begin(), cycle(LENGTHS)
    rng = np.random.default_rng(0)

    def step():
        nonlocal states
        words = nd.array(rng.integers(0, WORDS, (next(lengths), BATCH)))
        with record():
            scores, states = model(words, [state.detach() for state in states])
            loss = loss_of(scores, words).mean()
        loss.backward()
        trainer.step(1)

    return step


def generating():
    """Return a step that generates a sequence with a growing cache, and frees it."""
    widths = dict.fromkeys(("query_units", "key_units", "value_units"), UNITS)
    layer = nn.MultiHeadAttention(UNITS, num_heads=2, **widths)
    layer.initialize()
    x, lengths = nd.ones((BATCH, 1, UNITS)), cycle(LENGTHS)

    def step():
        cache = layer.begin_cache(BATCH, capacity=1)
        y = x
        for _ in range(next(lengths)):
            y = layer.step(y, cache)

    return step


KINDS = {
    "LSTM": lambda: training(LanguageModel(), False),
    "LSTM, hybridized": lambda: training(LanguageModel(), True),
    "foreach": lambda: training(Looping("foreach"), False),
    "foreach, hybridized": lambda: training(Looping("foreach"), True),
    "while_loop, hybridized": lambda: training(Looping("while_loop"), True),
    "cached keys": generating,
}
