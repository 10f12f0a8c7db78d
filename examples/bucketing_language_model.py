"""Train a language model on sentences of many lengths with a BucketingModule.

Sentences are those of `word_language_model.py`'s text. Each is filled up to the next of a few
lengths, and the module has a graph for each of them, all with the same weights.

    python examples/bucketing_language_model.py --epochs 3
"""

import argparse
import random
from collections import Counter

import numpy as np
from word_language_model import read_words

import opforge
from opforge import init, metric, mod, rnn, sym
from opforge.contrib.text.vocab import Vocabulary
from opforge.model import BatchEndParam

BATCH = 16
LENGTHS = [15, 30, 60]
PADDING = 1  # the number of what sentences are filled up with


def main() -> None:
    """Run the example from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", metavar="FILE", help="text to learn; default: Python's reference")
    parser.add_argument("--words", type=int, help="use the first so many words of the text alone")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--units", type=int, default=128)
    parser.add_argument("--layers", type=int, default=1)
    args = parser.parse_args()

    random.seed(0)
    np.random.seed(0)
    opforge.random.seed(0)
    text = read_words(args.data)[: args.words]
    words = Vocabulary(Counter(text), min_freq=3, reserved_tokens=["<padding>"])
    ids = [words.to_indices(sentence) for sentence in read_sentences(text)]
    held_back = len(ids) // 10
    print(f"{len(ids)} sentences, {len(words)} different words")
    train(
        bucketing_module(len(words), args.units, args.layers),
        *(
            rnn.BucketSentenceIter(part, BATCH, LENGTHS, invalid_label=PADDING, layout="TN")
            for part in (ids[:-held_back], ids[-held_back:])
        ),
        args.epochs,
    )


def read_sentences(words: list[str]) -> list[list[str]]:
    """Return the words between full stops, of at most the longest bucket's length."""
    sentences: list[list[str]] = [[]]
    for word in words:
        sentences[-1].append(word)
        if word == ".":
            sentences.append([])
    return [sentence for sentence in sentences if 2 <= len(sentence) <= LENGTHS[-1]]


def bucketing_module(words: int, units: int, layers: int) -> mod.BucketingModule:
    """Return a module with a graph for each length: an LSTM, and the odds of each next word."""
    cell = rnn.FusedRNNCell(units, layers, mode="lstm", prefix="lstm_")

    def graph_of(length: int) -> tuple[sym.Symbol, list[str], list[str]]:
        data, label = sym.var("data"), sym.var("softmax_label")
        vectors = sym.Embedding(data, input_dim=words, output_dim=units, name="embedding")
        cell.reset()
        found, _ = cell.unroll(length, vectors, layout="TNC", merge_outputs=True)
        scores = sym.FullyConnected(
            sym.reshape(found, shape=(-1, units)), num_hidden=words, name="scores"
        )
        odds = sym.SoftmaxOutput(
            scores,
            sym.reshape(label, shape=(-1,)),
            use_ignore=True,
            ignore_label=PADDING,
            normalization="valid",
            name="softmax",
        )
        return odds, ["data"], ["softmax_label"]

    return mod.BucketingModule(graph_of, default_bucket_key=LENGTHS[-1])


def train(
    module: mod.BucketingModule,
    data: rnn.BucketSentenceIter,
    held_back: rnn.BucketSentenceIter,
    epochs: int,
) -> None:
    """Fit the module, printing the perplexity of what is held back after each epoch."""

    def report(param: BatchEndParam) -> None:
        print(f"epoch {param.epoch + 1}: perplexity {param.eval_metric.get()[1]:.2f}")

    module.fit(
        data,
        held_back,
        eval_metric=metric.Perplexity(PADDING),
        eval_end_callback=report,
        optimizer="adam",
        optimizer_params={"learning_rate": 0.01, "rescale_grad": 1.0},
        initializer=init.Xavier(),
        num_epoch=epochs,
    )


if __name__ == "__main__":
    main()
