"""Networks of GluonNLP's model zoo, by their names there, with a small vocabulary."""

import functools
from unittest import mock

import gluonnlp
import numpy as np
from checking import Network
from mxnet import gluon
from weights import draw

WORDS = 1000
LENGTH = 12
#: Names of networks -> layers and hidden units of their states.
LANGUAGE_MODELS = {
    "standard_lstm_lm_200": (2, [200]),
    "standard_lstm_lm_650": (2, [650]),
    "standard_lstm_lm_1500": (2, [1500]),
    "awd_lstm_lm_600": (1, [600, 600, 200]),
    "awd_lstm_lm_1150": (1, [1150, 1150, 400]),
}
BERTS = "bert_12_768_12", "bert_24_1024_16", "ernie_12_768_12"
ROBERTAS = "roberta_12_768_12", "roberta_24_1024_16"
#: Names of networks -> layers, and sizes of the two states of each.
ELMOS = {
    "elmo_2x1024_128_2048cnn_1xhighway": (2, [128, 1024]),
    "elmo_2x2048_256_2048cnn_1xhighway": (2, [256, 2048]),
    "elmo_2x4096_512_2048cnn_2xhighway": (2, [512, 4096]),
}
#: Reasons why networks are not built.
LEFT_OUT = {"big_rnn_lm_2048_512": "a Block that MXNet cannot hybridize either"}


def networks(checkout):
    """Return a function for each name that builds the network."""
    builders = {
        **dict.fromkeys(BERTS, bert),
        **dict.fromkeys(ROBERTAS, roberta),
        "distilbert_6_768_12": distilbert,
        "transformer_en_de_512": transformer,
        **dict.fromkeys(LANGUAGE_MODELS, language_model),
        **dict.fromkeys(ELMOS, elmo),
    }
    return {name: functools.partial(build, name) for name, build in builders.items()}


def bert(name):
    """Return a BERT with all its outputs."""
    net, _ = zoo(name, vocab=vocabulary(gluonnlp.vocab.BERTVocab), pretrained=False)
    segments = (np.arange(LENGTH) >= LENGTH // 2).astype("float32")[None].repeat(2, 0)
    inputs = [words(), segments, lengths(), np.array([[1, 3], [4, 0]], "float32")]
    length = ("batch", "length")
    return random_network(net, inputs, [length, length, ("batch",), ("batch", "masked")])


def roberta(name):
    """Return a RoBERTa with its decoder."""
    net, _ = zoo(name, vocab=vocabulary(), pretrained=False)
    inputs = [words(), lengths(), np.array([[1, 3], [4, 0]], "float32")]
    sizes = [("batch", "length"), ("batch",), ("batch", "masked")]
    return random_network(net, inputs, sizes)


def distilbert(name):
    """Return a DistilBERT."""
    net, _ = zoo(name, dataset_name=None, vocab=vocabulary(), pretrained=False)
    return random_network(net, [words(), lengths()], [("batch", "length"), ("batch",)])


def transformer(name):
    """Return a translator as it is trained, which sees the whole translation."""
    given = {"src_vocab": vocabulary(), "tgt_vocab": vocabulary(), "dataset_name": ""}
    net, _, _ = zoo(name, **given)
    inputs = [words(), words()[:, ::-1].copy(), lengths(), lengths()]
    sizes = [("batch", "source"), ("batch", "target"), ("batch",), ("batch",)]
    return random_network(Translator(net), inputs, sizes)


def language_model(name):
    """Return a language model; its states are inputs and outputs."""
    # With dropout StandardRNN calls nd.Dropout, which fails in a hybridized network.
    net, _ = zoo(name, vocab=vocabulary(), dropout=0)
    layers, hidden = LANGUAGE_MODELS[name]
    shapes = [(layers, 2, units) for units in hidden for _ in ("h", "c")]
    sizes = [("length", "batch")] + [(layers, "batch", shape[2]) for shape in shapes]
    call = predict_words if len(hidden) == 1 else predict_words_layer_by_layer
    return random_network(Call(net, call), [words().T.copy(), *noise(shapes)], sizes)


def elmo(name):
    """Return an ELMo, which reads characters and loops in both directions."""
    net, _ = zoo(name)
    layers, units = ELMOS[name]
    shapes = [(2, size) for _ in range(2 * layers) for size in units]
    characters = np.random.default_rng(1).integers(1, 262, (2, LENGTH, 50)).astype("float32")
    sizes = [("batch", "length", 50)] + [("batch", size) for _, size in shapes]
    return random_network(Call(net, embed), [characters, *noise(shapes)], sizes)


class Call(gluon.HybridBlock):
    """Block that calls a network by a function of its inputs, without lists among them."""

    def __init__(self, net, function):
        super().__init__()
        self.net, self.function = net, function

    def hybrid_forward(self, F, *inputs):  # noqa: D102
        return self.function(F, self.net, *inputs)


class Translator(gluon.HybridBlock):
    """Scores of a translation's words by a network of GluonNLP, which is not hybrid as a whole."""

    def __init__(self, net):
        super().__init__()
        self.source_embedding, self.encoder = net.src_embed, net.encoder
        self.target_embedding, self.decoder = net.tgt_embed, net.decoder
        self.scores = net.tgt_proj

    def hybrid_forward(self, F, source, target, source_length, target_length):  # noqa: D102
        encoded, _ = self.encoder(self.source_embedding(source), None, source_length)
        steps = F.contrib.arange_like(encoded, axis=1)
        mask = F.broadcast_lesser(steps.reshape((1, -1)), source_length.reshape((-1, 1)))
        decoded = self.decoder(self.target_embedding(target), [encoded, mask], target_length)
        return self.scores(decoded[0])


def predict_words(F, net, text, *states):
    """Return scores of the next words, and states."""
    scores, states = net(text, list(states))
    return [scores, *states]


def predict_words_layer_by_layer(F, net, text, *states):
    """Return scores of the next words, and states, which the network wants layer by layer."""
    scores, states = net(text, pairs(states))
    return [scores, *(state for layer in states for state in layer)]


def embed(F, net, characters, *states):
    """Return the embeddings of each layer; with a mask the network fails hybridized."""
    layers = pairs(states)
    half = len(layers) // 2
    return net(characters, (layers[:half], layers[half:]))[0]


def pairs(states):
    """Return the two states of each layer."""
    return [list(states[start : start + 2]) for start in range(0, len(states), 2)]


def zoo(name, **arguments):
    """Return a network of the zoo, and its vocabularies, which are not downloaded."""
    with mock.patch.object(gluonnlp.model.transformer, "_load_vocab", lambda _, vocab, root: vocab):
        return gluonnlp.model.get_model(name, **{"dataset_name": None, **arguments})


def vocabulary(kind=gluonnlp.Vocab):
    """Return a vocabulary of about `WORDS` words."""
    return kind(gluonnlp.data.count_tokens(map(str, range(WORDS))))


def words():
    """Return two texts as numbers of words."""
    return np.random.default_rng(1).integers(0, WORDS, (2, LENGTH)).astype("float32")


def lengths():
    """Return how many words of each text count."""
    return np.array([LENGTH, LENGTH - 5], "float32")


def noise(shapes):
    """Return random arrays."""
    generator = np.random.default_rng(2)
    return [generator.standard_normal(shape).astype("float32") for shape in shapes]


def random_network(net, inputs, sizes):
    """Return a network with random weights."""
    draw(net, *inputs)
    return Network(net, inputs, dynamic=[sizes, only_batch(inputs, sizes)])


def only_batch(inputs, sizes):
    """Return sizes of which the batch alone may change."""
    return [
        tuple(
            name if name in ("batch", size) else size
            for name, size in zip(shape, array.shape, strict=True)
        )
        for array, shape in zip(inputs, sizes, strict=True)
    ]
