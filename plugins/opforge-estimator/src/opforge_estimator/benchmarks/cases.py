"""Benchmark cases for opforge and MXNet; MXNet's Python imports only this file.

A call is an epoch of LeNet on random images of Fashion-MNIST's shape, with accuracy and loss.
"""

import contextlib
import io
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["CASES", "COUNT", "SHARES"]

#: Images in an epoch.
COUNT = 6400
_BATCH_SIZE = 64
#: Epochs of each kind that a share compares, in turn; their minimum counts.
_EPOCHS = 7


def _network(mx: Any) -> Any:
    nn = mx.gluon.nn
    net = nn.HybridSequential()
    net.add(
        nn.Conv2D(6, 5, padding=2, activation="relu"),
        nn.MaxPool2D(),
        nn.Conv2D(16, 5, activation="relu"),
        nn.MaxPool2D(),
        nn.Dense(120, activation="relu"),
        nn.Dense(84, activation="relu"),
        nn.Dense(10),
    )
    net.initialize(mx.init.Xavier())
    net.hybridize(static_alloc=True, static_shape=True)
    return net


def _training(mx: Any) -> tuple[Any, Any, Any, Any]:
    """Return a network, a trainer, the loss and a loader."""
    random = np.random.default_rng(0)
    images = random.random((COUNT, 1, 28, 28), dtype="float32")
    labels = random.integers(0, 10, COUNT).astype("int32")
    net = _network(mx)
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.05})
    data = mx.gluon.data
    loader = data.DataLoader(data.ArrayDataset(images, labels), _BATCH_SIZE, shuffle=True)
    return net, trainer, mx.gluon.loss.SoftmaxCrossEntropyLoss(), loader


def _prepare_loop(mx: Any, folder: Path) -> Callable[[], None]:
    """Prepare epochs in a loop."""
    net, trainer, loss_function, loader = _training(mx)
    accuracy, mean_loss = mx.metric.Accuracy(), mx.metric.Loss()

    def run() -> None:
        accuracy.reset()
        mean_loss.reset()
        for images, labels in loader:
            with mx.autograd.record():
                scores = net(images)
                loss = loss_function(scores, labels)
            loss.backward()
            trainer.step(len(images))
            accuracy.update(labels, scores)
            mean_loss.update(0, loss)

    return run


def _prepare_estimator(mx: Any, folder: Path, handlers: Any = lambda: []) -> Callable[[], None]:
    """Prepare epochs by an Estimator, with the event handlers of ``handlers()``."""
    net, trainer, loss_function, loader = _training(mx)
    estimator = mx.gluon.contrib.estimator.Estimator(net, loss_function, trainer=trainer)
    estimator.logger.setLevel("ERROR")

    def run() -> None:
        with contextlib.redirect_stderr(io.StringIO()):  # of the progress bar
            estimator.fit(loader, epochs=1, event_handlers=handlers())

    return run


def _prepare_watched(mx: Any, folder: Path) -> Callable[[], None]:
    """Prepare epochs with a progress bar, a history and files for TensorBoard."""
    # From the library's attribute: MXNet's Python imports this file as well.
    module = mx.gluon.contrib.estimator

    def handlers() -> Any:
        runs = tempfile.mkdtemp(dir=folder)
        return [module.ProgressBarHandler(), module.TensorBoardHandler(runs)]

    return _prepare_estimator(mx, folder, handlers)


def _overhead(prepare: Any) -> Callable[[Any, Path], float]:
    """Return a function that measures what a way to train adds to the time of the loop."""

    def measure(mx: Any, folder: Path) -> float:
        runs = [_prepare_loop(mx, folder), prepare(mx, folder)]
        seconds = [[_time(run) for run in runs] for _ in range(1 + _EPOCHS)][1:]
        loop, other = (min(times) for times in zip(*seconds, strict=True))
        return max(other / loop - 1, 0)

    return measure


def _time(run: Callable[[], None]) -> float:
    began = time.perf_counter()
    run()
    return time.perf_counter() - began


_ROW = {"group": "training", "target": 0.5, "count": COUNT, "items": "images"}
CASES: dict[str, dict[str, Any]] = {
    "epoch of LeNet, loop": {**_ROW, "prepare": _prepare_loop},
    "epoch of LeNet, Estimator": {**_ROW, "prepare": _prepare_estimator},
    "epoch of LeNet, Estimator with bar, history and TensorBoard": {
        **_ROW,
        "prepare": _prepare_watched,
    },
}
SHARES: dict[str, dict[str, Any]] = {
    "Estimator, added to the time of the loop": {
        "target": 0.03,
        "measure": _overhead(_prepare_estimator),
    },
    "Estimator with bar, history and TensorBoard, added to the time of the loop": {
        "target": 0.03,
        "measure": _overhead(_prepare_watched),
    },
}
