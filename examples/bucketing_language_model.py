"""Train a language model on sentences of different lengths with a BucketingModule.

The sentences come from the text of `word_language_model.py`. Each is padded to the next of a few
bucket lengths; the module has one graph per bucket, and all graphs share the weights. With
--checkpoints, an interrupted training resumes and reaches exactly the same result.

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
PADDING = 1  # index of the padding token


def main() -> None:
    """Run the example from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", metavar="FILE", help="text file; default: Python's reference")
    parser.add_argument(
        "--words", type=int, help="use only the first N words of the text", metavar="N"
    )
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--units", type=int, default=128)
    parser.add_argument("--layers", type=int, default=1)
    parser.add_argument("--dropout", type=float, default=0.2)
    parser.add_argument(
        "--checkpoints", metavar="DIR", type=Path, help="folder to save to and resume from"
    )
    args = parser.parse_args()

    seed(0)
    text = read_words(args.data)[: args.words]
    words = Vocabulary(Counter(text), min_freq=3, reserved_tokens=["<padding>"])
    ids = [words.to_indices(sentence) for sentence in read_sentences(text)]
    held_back = len(ids) // 10
    print(f"{len(ids)} sentences, {len(words)} distinct words")
    graph_of = graphs(len(words), args.units, args.layers, args.dropout)
    data, validation = (
        rnn.BucketSentenceIter(part, BATCH, LENGTHS, invalid_label=PADDING, layout="TN")
        for part in (ids[:-held_back], ids[-held_back:])
    )
    train(graph_of, data, validation, args.epochs, args.checkpoints)


def seed(epoch: int) -> None:
    """Seed the random numbers of an epoch: dropout, and the shuffling after it."""
    for generator in (random, np.random, opforge.random):
        generator.seed(epoch)


def read_sentences(words: list[str]) -> list[list[str]]:
    """Return the sentences that fit into the longest bucket, split at full stops."""
    sentences: list[list[str]] = [[]]
    for word in words:
        sentences[-1].append(word)
        if word == ".":
            sentences.append([])
    return [sentence for sentence in sentences if 2 <= len(sentence) <= LENGTHS[-1]]


def graphs(words: int, units: int, layers: int, dropout: float) -> Callable[[int], Any]:
    """Return a function of a length that returns an LSTM graph with next-word probabilities."""
    cell = rnn.FusedRNNCell(units, layers, mode="lstm", dropout=dropout, prefix="lstm_")

    def graph_of(length: int) -> tuple[sym.Symbol, list[str], list[str]]:
        data, label = sym.var("data"), sym.var("softmax_label")
        vectors = sym.Embedding(data, input_dim=words, output_dim=units, name="embedding")
        cell.reset()
        outputs, _ = cell.unroll(
            length, sym.Dropout(vectors, p=dropout), layout="TNC", merge_outputs=True
        )
        outputs = sym.reshape(sym.Dropout(outputs, p=dropout), shape=(-1, units))
        probabilities = sym.SoftmaxOutput(
            sym.FullyConnected(outputs, num_hidden=words, name="scores"),
            sym.reshape(label, shape=(-1,)),
            use_ignore=True,
            ignore_label=PADDING,
            normalization="valid",
            name="softmax",
        )
        return probabilities, ["data"], ["softmax_label"]

    return graph_of


def begin(graph_of: Callable[[int], Any], folder: Path | None) -> tuple[mod.BucketingModule, int]:
    """Return the module of the latest checkpoint, or a new one, and its number of epochs."""
    saved = sorted(folder.glob("model-*.states")) if folder else []  # the file written last
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
    """Fit a module, resuming from the checkpoints in a folder if there are any.

    Print the validation perplexity after each epoch.
    """
    module, done = begin(graph_of, folder)
    after_epoch = [lambda epoch, *_: seed(epoch + 1)]
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
        after_epoch.append(callback.module_checkpoint(module, str(folder / "model"), 1, True))
    for epoch in range(done):  # each order is a permutation of the previous one
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
