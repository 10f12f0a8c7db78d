"""Train a language model on sentences of many lengths with a BucketingModule.

Sentences are those of `word_language_model.py`'s text. Each is filled up to the next of a few
lengths, and the module has a graph for each of them, all with the same weights. With --checkpoints
an interrupted training goes on where it was, to the same numbers.

    python examples/bucketing_language_model.py --checkpoints /tmp/model
"""

import argparse
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from word_language_model import read_words

import opforge
from opforge import callback, init, metric, mod, rnn, sym
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
    parser.add_argument("--dropout", type=float, default=0.2)
    parser.add_argument(
        "--checkpoints", metavar="DIR", type=Path, help="save to, and go on from, this folder"
    )
    args = parser.parse_args()

    seed(0)
    text = read_words(args.data)[: args.words]
    words = Vocabulary(Counter(text), min_freq=3, reserved_tokens=["<padding>"])
    ids = [words.to_indices(sentence) for sentence in read_sentences(text)]
    held_back = len(ids) // 10
    print(f"{len(ids)} sentences, {len(words)} different words")
    graph_of = graphs(len(words), args.units, args.layers, args.dropout)
    data, validation = (
        rnn.BucketSentenceIter(part, BATCH, LENGTHS, invalid_label=PADDING, layout="TN")
        for part in (ids[:-held_back], ids[-held_back:])
    )
    train(graph_of, data, validation, args.epochs, args.checkpoints)


def seed(epoch: int) -> None:
    """Let an epoch's random numbers begin: dropout's, and those that the next order comes from."""
    for draw in (random, np.random, opforge.random):
        draw.seed(epoch)


def read_sentences(words: list[str]) -> list[list[str]]:
    """Return the words between full stops, of at most the longest bucket's length."""
    sentences: list[list[str]] = [[]]
    for word in words:
        sentences[-1].append(word)
        if word == ".":
            sentences.append([])
    return [sentence for sentence in sentences if 2 <= len(sentence) <= LENGTHS[-1]]


def graphs(words: int, units: int, layers: int, dropout: float) -> Callable[[int], Any]:
    """Return what makes a graph for a length: an LSTM, and the odds of each next word."""
    cell = rnn.FusedRNNCell(units, layers, mode="lstm", dropout=dropout, prefix="lstm_")

    def graph_of(length: int) -> tuple[sym.Symbol, list[str], list[str]]:
        data, label = sym.var("data"), sym.var("softmax_label")
        vectors = sym.Embedding(data, input_dim=words, output_dim=units, name="embedding")
        cell.reset()
        found, _ = cell.unroll(
            length, sym.Dropout(vectors, p=dropout), layout="TNC", merge_outputs=True
        )
        found = sym.reshape(sym.Dropout(found, p=dropout), shape=(-1, units))
        odds = sym.SoftmaxOutput(
            sym.FullyConnected(found, num_hidden=words, name="scores"),
            sym.reshape(label, shape=(-1,)),
            use_ignore=True,
            ignore_label=PADDING,
            normalization="valid",
            name="softmax",
        )
        return odds, ["data"], ["softmax_label"]

    return graph_of


def begin(graph_of: Callable[[int], Any], folder: Path | None) -> tuple[mod.BucketingModule, int]:
    """Return a module and how many epochs it was trained: that of the latest checkpoint, or new."""
    saved = sorted(folder.glob("model-*.states")) if folder else []  # written last
    if not saved:
        return mod.BucketingModule(graph_of, LENGTHS[-1]), 0
    prefix, _, epochs = str(saved[-1].with_suffix("")).rpartition("-")
    module = mod.BucketingModule.load(
        prefix, int(epochs), graph_of, LENGTHS[-1], load_optimizer_states=True
    )
    return module, int(epochs)


def train(
    graph_of: Callable[[int], Any],
    data: rnn.BucketSentenceIter,
    held_back: rnn.BucketSentenceIter,
    epochs: int,
    folder: Path | None,
) -> None:
    """Fit a module, or go on with the one of which there are checkpoints in a folder.

    The perplexity of what is held back is printed after each epoch.
    """
    module, done = begin(graph_of, folder)
    after_epoch = [lambda epoch, *_: seed(epoch + 1)]
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
        after_epoch.append(callback.module_checkpoint(module, str(folder / "model"), 1, True))
    for epoch in range(done):  # each order is a change of the one before
        seed(epoch + 1)
        held_back.reset()
        data.reset()

    def report(param: BatchEndParam) -> None:
        print(f"epoch {param.epoch + 1}: perplexity {param.eval_metric.get()[1]:.2f}")

    module.fit(
        data,
        held_back,
        eval_metric=metric.Perplexity(PADDING),
        epoch_end_callback=after_epoch,
        eval_end_callback=report,
        optimizer="adam",
        optimizer_params={"learning_rate": 0.01, "rescale_grad": 1.0},
        initializer=init.Xavier(),
        begin_epoch=done,
        num_epoch=epochs,
    )


if __name__ == "__main__":
    main()
