"""Train LeNet, a convolutional network, on Fashion-MNIST and plot its progress.

The four IDX files (such as train-images-idx3-ubyte.gz) are read from --data, by default the folder
of Debian's package dataset-fashion-mnist. Without it, they are downloaded at the first run.

    python examples/lenet.py --data /usr/share/datasets/fashion-mnist --plot lenet.png
"""

import argparse
from pathlib import Path

import numpy as np
from digits import accuracy
from tqdm import tqdm

import opforge
from opforge import autograd, gluon
from opforge.gluon import nn
from opforge.gluon.data import DataLoader
from opforge.gluon.data.vision import FashionMNIST, transforms

FOLDER = "/usr/share/datasets/fashion-mnist"


def main() -> None:
    """Run the example from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    folder = FOLDER if Path(FOLDER).is_dir() else None
    parser.add_argument("--data", metavar="DIR", default=folder, help="folder of the IDX files")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument(
        "--plot", metavar="FILE", help="image file for a plot of losses and accuracies"
    )
    args = parser.parse_args()

    opforge.random.seed(0)
    np.random.seed(0)
    scaled = transforms.Compose([transforms.ToTensor(), transforms.Normalize(0.286, 0.353)])
    train_set = FashionMNIST(args.data, train=True).transform_first(scaled)
    test_set = FashionMNIST(args.data, train=False).transform_first(scaled)
    net = build_lenet()
    history = train(
        net,
        DataLoader(train_set, args.batch_size, shuffle=True),
        DataLoader(test_set, 1000),
        args.epochs,
    )
    print(f"test accuracy: {history['accuracy'][-1]:.4f}")
    if args.plot:
        plot(history, args.plot)


def build_lenet() -> nn.HybridSequential:
    """Return LeNet with ReLU: two convolutions with pooling, and two dense layers."""
    net = nn.HybridSequential()
    with net.name_scope():
        net.add(nn.Conv2D(20, kernel_size=5, activation="relu"), nn.MaxPool2D(2, 2))
        net.add(nn.Conv2D(50, kernel_size=5, activation="relu"), nn.MaxPool2D(2, 2))
        net.add(nn.Flatten(), nn.Dense(500, activation="relu"), nn.Dropout(0.3), nn.Dense(10))
    net.initialize(opforge.init.Xavier())
    net.hybridize()
    return net


def train(
    net: nn.HybridSequential, data: DataLoader, test_data: DataLoader, epochs: int
) -> dict[str, list[float]]:
    """Fit `net` to `data`; return the losses of batches and the test accuracies of epochs."""
    loss_fn = gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 1e-3})
    history: dict[str, list[float]] = {"loss": [], "accuracy": []}
    for epoch in range(epochs):
        trainer.set_learning_rate(1e-3 * 0.6**epoch)
        with tqdm(data, desc=f"epoch {epoch + 1}/{epochs}", unit="batch") as progress:
            for x_nchw, label_n in progress:
                with autograd.record():
                    loss = loss_fn(net(x_nchw), label_n)
                loss.backward()
                trainer.step(len(label_n))
                history["loss"].append(float(loss.mean().asscalar()))
                if progress.n % 20 == 0:
                    progress.set_postfix(loss=f"{np.mean(history['loss'][-50:]):.3f}")
        history["accuracy"].append(accuracy(net, test_data))
        print(f"epoch {epoch + 1}: test accuracy {history['accuracy'][-1]:.4f}")
    return history


def plot(history: dict[str, list[float]], path: str) -> None:
    """Save a plot of losses and accuracies over the epochs."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    losses, accuracies = history["loss"], history["accuracy"]
    epochs = np.arange(1, len(losses) + 1) * len(accuracies) / len(losses)
    smooth = np.convolve(losses, np.ones(50) / 50, mode="valid")
    figure, left = plt.subplots(figsize=(7, 4), layout="constrained")
    left.plot(epochs, losses, color="tab:blue", alpha=0.2)
    left.plot(epochs[len(epochs) - len(smooth) :], smooth, color="tab:blue")
    left.set(xlabel="epoch", ylabel="training loss (cross entropy)", ylim=(0, None))
    right = left.twinx()
    right.plot(range(1, len(accuracies) + 1), accuracies, color="tab:red", marker="o")
    right.set_ylabel("test accuracy")
    left.set_title("LeNet on Fashion-MNIST")
    figure.savefig(path, dpi=120)


if __name__ == "__main__":
    main()
