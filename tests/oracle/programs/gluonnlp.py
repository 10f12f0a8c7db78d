"""A model of GluonNLP: its results, its gradients, and its results after a step.

GluonNLP's data packages are replaced by stubs in which its modules are found: its tokenizers are
compiled.
"""

import importlib
import os
import sys
import types

import numpy as np

from .ways import each_way, flat, gradients, named

WORDS, LENGTH, BATCH, UNITS = 50, 7, 3, 12


def run(mx, request, folder):
    """Write the results of each requested mode to MODE.npz; return parameters' names."""
    models = stand_in(request["root"])

    def build():
        mx.random.seed(1)
        return MODELS[request["model"]](mx, models)

    def draw(net, call):
        net.initialize(mx.init.Uniform(0.5))
        call(net)

    def look(net, call):
        return seen(mx, net, call, request["trained"])

    return each_way(mx, request, folder, build, draw, look)


def stand_in(root):
    """Make gluonnlp's models importable without the imports of its packages; return them."""
    for name in ("gluonnlp", "gluonnlp.data", "gluonnlp.vocab"):
        package = sys.modules[name] = types.ModuleType(name)
        package.__path__ = [os.path.join(root, *name.split(".")[1:])]
    return importlib.import_module("gluonnlp.model")


def seen(mx, net, call, dtype):
    """Return arrays by name: results, then loss and gradients of a step, and results after it.

    The step uses `dtype`; without a dtype it is omitted.
    """
    found = named("result", call(net))
    if not dtype:
        return found
    net.cast(dtype)
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 2**-6})
    with mx.autograd.record():
        loss = sum((y.astype("float64") ** 2).mean() for y in flat(call(net, dtype)))
    loss.backward()
    found.update({"loss": loss, **gradients(net._collect_params_with_prefix())})
    trainer.step(1, ignore_stale_grad=True)
    return {**found, **named("after", call(net, dtype))}


def words(mx, *shape):
    return mx.nd.array(np.random.RandomState(0).randint(0, WORDS, shape))


def numbers(mx, dtype, *shape, seed=0):
    return mx.nd.array(np.random.RandomState(seed).randn(*shape), dtype=dtype)


def lengths(mx, dtype="float32"):
    return mx.nd.array([LENGTH, LENGTH - 3, 1], dtype=dtype)


def standard(mode):
    def build(mx, models):
        net = models.StandardRNN(mode, WORDS, UNITS, UNITS, 2, dropout=0.0, tie_weights=True)
        return net, language(mx)

    return build


def language(mx):
    """Return a function that calls a language model, which maps words and states to both."""

    def call(net, dtype="float32"):
        states = net.begin_state(batch_size=BATCH, func=mx.nd.zeros, dtype=dtype)
        return net(words(mx, LENGTH, BATCH), states)

    return call


def averaged(weight_drop):
    def build(mx, models):
        net = models.AWDRNN(
            "lstm", WORDS, UNITS, 14, 3, True, 0.0, weight_drop, drop_h=0.0, drop_i=0.0, drop_e=0.0
        )
        return net, language(mx)

    return build


def big(mx, models):
    return models.BigRNN(WORDS, UNITS, 16, 1, 8, 0.0, 0.0), language(mx)


def bert(mx, models):
    encoder = models.BERTEncoder(
        units=UNITS, hidden_size=20, num_layers=2, num_heads=3, max_length=10, dropout=0.0
    )
    net = models.BERTModel(
        encoder, vocab_size=WORDS, token_type_vocab_size=2, units=UNITS, embed_size=UNITS
    )

    def call(net, dtype="float32"):
        masked = mx.nd.array([[0, 2], [1, 3], [0, 0]])
        kinds = mx.nd.array(np.arange(BATCH * LENGTH).reshape(BATCH, LENGTH) % 2)
        return net(words(mx, BATCH, LENGTH), kinds, lengths(mx, dtype), masked)

    return net, call


def transformer(mx, models):
    build = importlib.import_module("gluonnlp.model.transformer").get_transformer_encoder_decoder
    encoder, decoder, _ = build(
        num_layers=2, num_heads=3, units=UNITS, hidden_size=20, max_src_length=10, max_tgt_length=9
    )
    net = mx.gluon.nn.HybridSequential()
    net.add(encoder, decoder)

    def call(net, dtype="float32"):
        source = numbers(mx, dtype, BATCH, LENGTH, UNITS)
        target = numbers(mx, dtype, BATCH, LENGTH + 1, UNITS, seed=1)
        encoded, _ = encoder(source, valid_length=lengths(mx, dtype))
        states = decoder.init_state_from_encoder(encoded, lengths(mx, dtype))
        decoded, _, _ = decoder(target, states, lengths(mx, dtype))
        return encoded, decoded

    return net, call


def attention(name, *arguments, **keywords):
    def build(mx, models):
        net = getattr(models, name)(*arguments, **keywords)

        def call(net, dtype="float32"):
            query = numbers(mx, dtype, BATCH, 5, UNITS)
            key = numbers(mx, dtype, BATCH, LENGTH, UNITS, seed=1)
            mask = np.arange(LENGTH) < np.array([LENGTH, LENGTH - 3, 1])[:, None, None]
            mask = mx.nd.array(np.broadcast_to(mask, (BATCH, 5, LENGTH)), dtype=dtype)
            return net(query, key, key * 2, mask)

        return net, call

    return build


def multi_head(mx, models):
    cell = models.DotProductAttentionCell(scaled=True)
    return attention("MultiHeadAttentionCell", cell, UNITS, UNITS, UNITS, 3)(mx, models)


def elmo(mx, models):
    net = models.BiLMEncoder("lstmpc", 2, UNITS, 16, 0.0, True, UNITS, 3.0, 3.0)

    def call(net, dtype="float32"):
        mask = np.arange(LENGTH) < np.array([LENGTH, LENGTH - 3, 1])[:, None]
        states = net.begin_state(mx.nd.zeros, batch_size=BATCH, dtype=dtype)
        return net(numbers(mx, dtype, LENGTH, BATCH, UNITS), states, mx.nd.array(mask, dtype=dtype))

    return net, call


def highway(mx, models):
    net = models.ConvolutionalEncoder(UNITS, (4, 6), (2, 3), num_highway=1, output_size=5)
    return net, lambda net, dtype="float32": net(numbers(mx, dtype, LENGTH, BATCH, UNITS))


def beam_search(mx, models):
    net = models.StandardRNN("lstm", WORDS, UNITS, UNITS, 1, dropout=0.0, tie_weights=True)

    def decode(step, states):
        results, states = net(step.expand_dims(0), [s.swapaxes(0, 1) for s in states])
        return results[0].log_softmax(), [s.swapaxes(0, 1) for s in states]

    def call(net, dtype="float32"):
        states = [s.swapaxes(0, 1) for s in net.begin_state(batch_size=BATCH, func=mx.nd.zeros)]
        sampler = models.BeamSearchSampler(4, decode, eos_id=1, max_length=6)
        return sampler(mx.nd.array([3, 7, 11]), states)

    return net, call


def hybrid_beam_search(mx, models):
    class Decoder(mx.gluon.HybridBlock):
        """The next word's probabilities; hybridized, as is the sampler around it."""

        def __init__(self):
            super().__init__()
            with self.name_scope():
                self.embedding = mx.gluon.nn.Embedding(WORDS, UNITS)
                self.cell = mx.gluon.rnn.LSTMCell(UNITS, input_size=UNITS)
                self.scores = mx.gluon.nn.Dense(WORDS, in_units=UNITS)

        def state_info(self, batch_size=0):
            return self.cell.state_info(batch_size)

        def hybrid_forward(self, F, step, states):
            output, states = self.cell(self.embedding(step), states)
            return F.log_softmax(self.scores(output)), states

    net = models.HybridBeamSearchSampler(
        BATCH, 4, Decoder(), eos_id=1, max_length=6, vocab_size=WORDS
    )
    net.register_child(net._decoder)

    def call(net, dtype="float32"):
        states = [numbers(mx, dtype, BATCH, UNITS, seed=seed) for seed in (1, 2)]
        return net(mx.nd.array([3, 7, 11]), states)

    return net, call


MODELS = {
    "standard lstm": standard("lstm"),
    "standard gru": standard("gru"),
    "standard rnn_tanh": standard("rnn_tanh"),
    "standard rnn_relu": standard("rnn_relu"),
    "awd lstm": averaged(0.0),
    "awd lstm, weights dropped": averaged(0.5),
    "big": big,
    "bert": bert,
    "transformer": transformer,
    "multi-head attention": multi_head,
    "mlp attention": attention("MLPAttentionCell", UNITS),
    "elmo": elmo,
    "convolutional": highway,
    "beam search": beam_search,
    "beam search in a graph": hybrid_beam_search,
}
