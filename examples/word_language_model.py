"""Train an LSTM or a transformer as a language model that predicts the next word of English text.

The text is the reference that Python ships (`pydoc_data.topics`, in Debian's package
libpython3-stdlib), or a file. A tenth of it is used for validation; its perplexity, the effective
number of words between which the model chooses, is printed after each epoch. With --checkpoints, an
interrupted training resumes and reaches exactly the same result.

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

ROWS = 16  # number of parts of the text read in parallel
STEPS = 35  # number of words of each part in a batch


def main() -> None:
    """Run the example from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", choices=["lstm", "transformer"], default="lstm")
    parser.add_argument("--data", metavar="FILE", help="text file; default: Python's reference")
    parser.add_argument(
        "--words", type=int, help="use only the first N words of the text", metavar="N"
    )
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--units", type=int, default=128)
    parser.add_argument("--layers", type=int, default=1)
    parser.add_argument("--dropout", type=float, default=0.2)
    parser.add_argument("--rate", type=float, help="learning rate; default: 0.01 or 0.002")
    parser.add_argument("--checkpoints", metavar="DIR", help="folder to save to and resume from")
    args = parser.parse_args()

    opforge.random.seed(0)
    np.random.seed(0)
    words = read_words(args.data)[: args.words]
    held_back = len(words) // 10
    vocabulary = Vocabulary(count_tokens_from_str(" ".join(words)), min_freq=3)
    print(f"{len(words)} words, {len(vocabulary)} distinct")
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
    """Return the words and punctuation marks of a text in lower case."""
    text = Path(path).read_text() if path else "\n\n".join(topics[name] for name in sorted(topics))
    text = "\n\n".join(dict.fromkeys(text.split("\n\n")))  # some topics share paragraphs
    return re.findall(r"[a-z']+|[0-9]+|[^\sa-z0-9]", text.lower())


def windows(ids: list[int]) -> DataLoader:
    """Return batches of words of shape (ROWS, STEPS), and of the words that follow them.

    The text is split into ROWS parts; row i of a batch continues row i of the previous batch.
    """
    count = (len(ids) - 1) // (ROWS * STEPS)
    if count < 1:
        raise SystemExit(
            f"the text has a part of {len(ids)} words; expected more than {ROWS * STEPS}"
        )
    part = count * STEPS
    rows = np.array([ids[row * part : (row + 1) * part + 1] for row in range(ROWS)], np.float32)
    x, y = (
        rows[:, shift : part + shift].reshape(ROWS, count, STEPS).swapaxes(0, 1) for shift in (0, 1)
    )
    return DataLoader(ArrayDataset(x.reshape(-1, STEPS), y.reshape(-1, STEPS)), ROWS)


class LSTMModel(gluon.HybridBlock):
    """Embedding, an LSTM whose state persists across batches, and scores of the next words."""

    def __init__(self, words: int, units: int, layers: int, dropout: float) -> None:
        super().__init__()
        with self.name_scope():
            self.embedding = nn.Embedding(words, units)
            self.dropout = nn.Dropout(dropout)
            self.lstm = rnn.LSTM(units, layers, layout="NTC", dropout=dropout, input_size=units)
            self.scores = nn.Dense(words, flatten=False, in_units=units)

    def begin_state(self) -> list[nd.NDArray]:
        """Return the initial states."""
        return self.lstm.begin_state(ROWS)

    def hybrid_forward(self, F: Any, x: Any, *states: Any) -> tuple[Any, Any]:
        """Return the scores of the next words and the new states."""
        outputs, states = self.lstm(self.dropout(self.embedding(x)), list(states))
        return self.scores(self.dropout(outputs)), states


class TransformerModel(gluon.HybridBlock):
    """Word and position embeddings, causal attention layers, and scores of the next words."""

    def __init__(self, words: int, units: int, layers: int, dropout: float) -> None:
        super().__init__()
        with self.name_scope():
            self.embedding = nn.Embedding(words, units)
            self.positions = self.params.get("positions", shape=(1, STEPS, units))
            self.dropout = nn.Dropout(dropout)
            self.layers = nn.HybridSequential()
            with self.layers.name_scope():
                for _ in range(layers):
                    self.layers.add(AttentionLayer(units, dropout))
            self.norm = nn.LayerNorm(in_channels=units)
            self.scores = nn.Dense(words, flatten=False, in_units=units)

    def begin_state(self) -> list[nd.NDArray]:
        """Return an empty list, since windows are independent."""
        return []

    def hybrid_forward(self, F: Any, x: Any, positions: Any) -> tuple[Any, Any]:
        """Return the scores of the next words and no states."""
        vectors = self.dropout(F.broadcast_add(self.embedding(x), positions))
        return self.scores(self.norm(self.layers(vectors))), []


class AttentionLayer(gluon.HybridBlock):
    """Causal attention and two dense layers, each with a residual connection."""

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
        """Return the layer's output, same shape as `x`."""
        x = x + self.dropout(self.attention(self.before_attention(x)))
        return x + self.dropout(self.down(self.up(self.before_dense(x))))


class Reader(BatchProcessor, EpochBegin):
    """Passes the states from one batch to the next and resets them in each epoch."""

    def epoch_begin(self, estimator: Estimator, *args: Any, **kwargs: Any) -> None:
        """Reset the states, and seed random numbers by the step so that resumed runs agree."""
        self.states = estimator.net.begin_state()
        opforge.random.seed(estimator.trainer.optimizer.num_update)

    def evaluate_batch(self, estimator: Estimator, val_batch: Any, batch_axis: int = 0) -> Any:
        """Return data, labels, predictions and losses of a batch."""
        (x,), (y,) = self._get_data_and_label(val_batch, estimator.context, batch_axis)
        scores, self.states = estimator.net(x, *self.states)
        return [x], [y], [scores], [estimator.loss(scores, y)]

    def fit_batch(self, estimator: Estimator, train_batch: Any, batch_axis: int = 0) -> Any:
        """Compute the gradients of a batch, truncated at its start."""
        with autograd.record():
            results = self.evaluate_batch(estimator, train_batch, batch_axis)
        results[-1][0].backward()
        self.states = [state.detach() for state in self.states]
        return results


class Report(EpochEnd):
    """Prints the perplexities of an epoch after its validation."""

    def epoch_end(self, estimator: Estimator, *args: Any, **kwargs: Any) -> bool:
        """Print the perplexities."""
        epoch = estimator.trainer.optimizer.num_update // estimator.batches_per_epoch
        trained, held_back = (
            metrics[0].get()[1] for metrics in (estimator.train_metrics, estimator.val_metrics)
        )
        print(f"epoch {epoch}: perplexity {trained:.2f}, validation perplexity {held_back:.2f}")
        return False


class Perplexity(metric.Loss):
    """Exponential of the mean loss."""

    def get(self) -> tuple[str, float]:
        """Return the name and the value."""
        name, loss = super().get()
        return name, math.exp(loss)


def train(
    net: Any, data: DataLoader, held_back: DataLoader, rate: float, epochs: int, folder: str | None
) -> None:
    """Fit a model, resuming from the checkpoints in a folder if there are any."""
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
