"""Train a network of plugin layers on real handwritten digits.

Lists the installed operators, trains on scikit-learn's 1797 digits of 8 x 8 pixels, and prints the
accuracy on a held-out fifth of them.

    python examples/digits.py
"""

import argparse

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from tqdm import tqdm

import opforge
from opforge import autograd, gluon, metric
from opforge.cli.app import app
from opforge.gluon import nn


def main() -> None:
    """Run the example from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=20)
    epochs = parser.parse_args().epochs

    app(["ops"], standalone_mode=False)
    opforge.random.seed(0)
    np.random.seed(0)
    train_data, test_data = load_data()
    net = build_network()
    train(net, train_data, epochs)
    print(f"test accuracy: {accuracy(net, test_data):.4f}")


def load_data() -> tuple[gluon.data.DataLoader, gluon.data.DataLoader]:
    """Return batches of digits for training and testing."""
    pixels, labels = load_digits(return_X_y=True)
    pixels = (pixels / 16).astype(np.float32)
    x_train, x_test, y_train, y_test = train_test_split(
        pixels, labels.astype(np.int32), test_size=0.2, random_state=0, stratify=labels
    )
    return (
        gluon.data.DataLoader(gluon.data.ArrayDataset(x_train, y_train), 32, shuffle=True),
        gluon.data.DataLoader(gluon.data.ArrayDataset(x_test, y_test), 256),
    )


def build_network() -> nn.HybridSequential:
    """Return a perceptron with two hidden layers; plugins provide all layers."""
    net = nn.HybridSequential()
    with net.name_scope():
        net.add(nn.Dense(128, activation="relu"))
        net.add(nn.LayerNorm())
        net.add(nn.Dense(64, activation="relu"))
        net.add(nn.Dense(10))
    net.initialize(opforge.init.Xavier())
    return net


def train(net: nn.HybridSequential, data: gluon.data.DataLoader, epochs: int) -> None:
    """Fit `net` to `data`, with a progress bar that shows the mean loss of the epoch."""
    loss_fn = gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 2e-3})
    with tqdm(total=epochs * len(data), desc="training", unit="batch") as progress:
        for epoch in range(epochs):
            mean_loss = metric.Loss()
            for x_nd, label_n in data:
                with autograd.record():
                    loss = loss_fn(net(x_nd), label_n)
                loss.backward()
                trainer.step(len(label_n))
                mean_loss.update(None, [loss])
                progress.update()
            progress.set_postfix(epoch=epoch + 1, loss=f"{mean_loss.get()[1]:.4f}")


def accuracy(net: nn.HybridSequential, data: gluon.data.DataLoader) -> float:
    """Return the share of `data` that `net` labels correctly."""
    correct = metric.Accuracy()
    for x_nd, label_n in data:
        correct.update([label_n], [net(x_nd)])
    return correct.get()[1]


if __name__ == "__main__":
    main()
