"""Train a language model that predicts each next word, an LSTM or a transformer, on English text.

The text is the reference that Python itself ships (`pydoc_data.topics`; Debian's package
libpython3-stdlib has it), or a file. A tenth of it is held back; after each epoch its perplexity is
printed: how many words the model hesitates between. With --checkpoints an interrupted training goes
on where it was, to the same numbers.

    python examples/word_language_model.py --model transformer --checkpoints /tmp/model
"""

import argparse
import math
import re
from pathlib import Path
from pydoc_data.topics import topics
from typing import Any

import numpy as np

import opforge
from opforge import autograd, gluon, metric, nd
from opforge.contrib.text.utils import count_tokens_from_str
from opforge.contrib.text.vocab import Vocabulary
from opforge.gluon import nn, rnn
from opforge.gluon.contrib.estimator import (
    BatchProcessor,
    CheckpointHandler,
    EpochBegin,
    EpochEnd,
    Estimator,
    ProgressBarHandler,
    ValidationHandler,
)
from opforge.gluon.data import ArrayDataset, DataLoader

ROWS = 16  # parts of the text that are read side by side
STEPS = 35  # words of each that are read at once


def main() -> None:
    """Run the example from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", choices=["lstm", "transformer"], default="lstm")
    parser.add_argument("--data", metavar="FILE", help="text to learn; default: Python's reference")
    parser.add_argument("--words", type=int, help="use the first so many words of the text alone")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--units", type=int, default=128)
    parser.add_argument("--layers", type=int, default=1)
    parser.add_argument("--dropout", type=float, default=0.2)
    parser.add_argument("--rate", type=float, help="learning rate; default: 0.01 or 0.002")
    parser.add_argument("--checkpoints", metavar="DIR", help="save to, and go on from, this folder")
    args = parser.parse_args()

    opforge.random.seed(0)
    np.random.seed(0)
    words = read_words(args.data)[: args.words]
    held_back = len(words) // 10
    vocabulary = Vocabulary(count_tokens_from_str(" ".join(words)), min_freq=3)
    print(f"{len(words)} words, {len(vocabulary)} different ones")
    kind = LSTMModel if args.model == "lstm" else TransformerModel
    net = kind(len(vocabulary), args.units, args.layers, args.dropout)
    net.initialize(opforge.init.Xavier())
    net.hybridize()
    rate = args.rate or (0.01 if args.model == "lstm" else 0.002)
    train(
        net,
        windows(vocabulary.to_indices(words[:-held_back])),
        windows(vocabulary.to_indices(words[-held_back:])),
        rate,
        args.epochs,
        args.checkpoints,
    )


def read_words(path: str | None) -> list[str]:
    """Return the words and punctuation marks of a text, in lower case."""
    text = Path(path).read_text() if path else "\n\n".join(topics[name] for name in sorted(topics))
    text = "\n\n".join(dict.fromkeys(text.split("\n\n")))  # some topics share paragraphs
    return re.findall(r"[a-z']+|[0-9]+|[^\sa-z0-9]", text.lower())


def windows(ids: list[int]) -> DataLoader:
    """Return batches of shape (ROWS, STEPS), and of the words that come next.

    The text is cut into ROWS parts; row i of a batch goes on where row i of the last one ended.
    """
    count = (len(ids) - 1) // (ROWS * STEPS)
    if count < 1:
        raise SystemExit(f"a part of the text has {len(ids)} words, expected over {ROWS * STEPS}")
    part = count * STEPS
    rows = np.array([ids[row * part : (row + 1) * part + 1] for row in range(ROWS)], np.float32)
    x, y = (
        rows[:, shift : part + shift].reshape(ROWS, count, STEPS).swapaxes(0, 1) for shift in (0, 1)
    )
    return DataLoader(ArrayDataset(x.reshape(-1, STEPS), y.reshape(-1, STEPS)), ROWS)


class LSTMModel(gluon.HybridBlock):
    """Words to vectors, an LSTM that remembers what it has read, and a score for each next word."""

    def __init__(self, words: int, units: int, layers: int, dropout: float) -> None:
        super().__init__()
        with self.name_scope():
            self.embedding = nn.Embedding(words, units)
            self.dropout = nn.Dropout(dropout)
            self.lstm = rnn.LSTM(units, layers, layout="NTC", dropout=dropout, input_size=units)
            self.scores = nn.Dense(words, flatten=False, in_units=units)

    def begin_state(self) -> list[nd.NDArray]:
        """Return what is remembered before the first word."""
        return self.lstm.begin_state(ROWS)

    def hybrid_forward(self, F: Any, x: Any, *states: Any) -> tuple[Any, Any]:
        """Return the scores of the next words, and what to remember."""
        found, states = self.lstm(self.dropout(self.embedding(x)), list(states))
        return self.scores(self.dropout(found)), states


class TransformerModel(gluon.HybridBlock):
    """Words and places to vectors, layers of attention to earlier words, and scores."""

    def __init__(self, words: int, units: int, layers: int, dropout: float) -> None:
        super().__init__()
        with self.name_scope():
            self.embedding = nn.Embedding(words, units)
            self.places = self.params.get("places", shape=(1, STEPS, units))
            self.dropout = nn.Dropout(dropout)
            self.layers = nn.HybridSequential()
            with self.layers.name_scope():
                for _ in range(layers):
                    self.layers.add(AttentionLayer(units, dropout))
            self.norm = nn.LayerNorm(in_channels=units)
            self.scores = nn.Dense(words, flatten=False, in_units=units)

    def begin_state(self) -> list[nd.NDArray]:
        """Return an empty list: each window is read by itself."""
        return []

    def hybrid_forward(self, F: Any, x: Any, places: Any) -> tuple[Any, Any]:
        """Return the scores of the next words, and nothing to remember."""
        found = self.dropout(F.broadcast_add(self.embedding(x), places))
        return self.scores(self.norm(self.layers(found))), []


class AttentionLayer(gluon.HybridBlock):
    """Attention to the words so far, and two dense layers; each adds to what it got."""

    def __init__(self, units: int, dropout: float) -> None:
        super().__init__()
        with self.name_scope():
            self.before_attention = nn.LayerNorm(in_channels=units)
            self.attention = nn.MultiHeadAttention(units, num_heads=4, causal=True)
            self.before_dense = nn.LayerNorm(in_channels=units)
            self.up = nn.Dense(4 * units, activation="relu", flatten=False, in_units=units)
            self.down = nn.Dense(units, flatten=False, in_units=4 * units)
            self.dropout = nn.Dropout(dropout)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the layer's output, of the shape of `x`."""
        x = x + self.dropout(self.attention(self.before_attention(x)))
        return x + self.dropout(self.down(self.up(self.before_dense(x))))


class Reader(BatchProcessor, EpochBegin):
    """Hands what the model remembers from one batch to the next, and begins each epoch anew."""

    def epoch_begin(self, estimator: Estimator, *args: Any, **kwargs: Any) -> None:
        """Forget; random numbers depend on the steps so far, in a resumed training as well."""
        self.states = estimator.net.begin_state()
        opforge.random.seed(estimator.trainer.optimizer.num_update)

    def evaluate_batch(self, estimator: Estimator, val_batch: Any, batch_axis: int = 0) -> Any:
        """Predict a batch."""
        (x,), (y,) = self._get_data_and_label(val_batch, estimator.context, batch_axis)
        scores, self.states = estimator.net(x, *self.states)
        return [x], [y], [scores], [estimator.loss(scores, y)]

    def fit_batch(self, estimator: Estimator, train_batch: Any, batch_axis: int = 0) -> Any:
        """Compute the gradients of a batch; they end where it began."""
        with autograd.record():
            found = self.evaluate_batch(estimator, train_batch, batch_axis)
        found[-1][0].backward()
        self.states = [state.detach() for state in self.states]
        return found


class Report(EpochEnd):
    """Prints the perplexities of an epoch, after its validation."""

    def epoch_end(self, estimator: Estimator, *args: Any, **kwargs: Any) -> bool:
        """Print them."""
        epoch = estimator.trainer.optimizer.num_update // estimator.batches_per_epoch
        trained, held_back = (
            metrics[0].get()[1] for metrics in (estimator.train_metrics, estimator.val_metrics)
        )
        print(f"epoch {epoch}: perplexity {trained:.2f}, of what is held back {held_back:.2f}")
        return False


class Perplexity(metric.Loss):
    """The exponential of the mean loss."""

    def get(self) -> tuple[str, float]:
        """Return name and value."""
        name, loss = super().get()
        return name, math.exp(loss)


def train(
    net: Any, data: DataLoader, held_back: DataLoader, rate: float, epochs: int, folder: str | None
) -> None:
    """Fit a model, or go on with one of which there are checkpoints in a folder."""
    reader = Reader()
    estimator = Estimator(
        net,
        gluon.loss.SoftmaxCrossEntropyLoss(),
        train_metrics=Perplexity("perplexity"),
        trainer=gluon.Trainer(net.collect_params(), "adam", {"learning_rate": rate}),
        batch_processor=reader,
    )
    estimator.logger.setLevel("WARNING")
    handlers = [
        reader,
        ValidationHandler(held_back, estimator.evaluate, event_handlers=[reader]),
        ProgressBarHandler(),
        Report(),
    ]
    if folder:
        handlers.append(CheckpointHandler(folder, resume_from_checkpoint=True))
    estimator.fit(data, epochs=epochs, event_handlers=handlers)


if __name__ == "__main__":
    main()
