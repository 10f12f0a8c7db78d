"""Train one network on many processes: the same losses, and in less time where there are cores.

    mpiexec -n 2 python examples/distributed.py
    mpiexec -n 2 python examples/distributed.py --data /usr/share/datasets/fashion-mnist

Each process takes its share of every batch; alone, without mpiexec, it takes all. Without --data
it trains on scikit-learn's digits; with it, on the four IDX files of MNIST or Fashion-MNIST.
"""

import argparse
from typing import Any

import numpy as np
import opforge_mpi as mpi
from digits import build_network
from sklearn.datasets import load_digits
from tqdm import tqdm

import opforge
from opforge import autograd, gluon, metric
from opforge.gluon.data import ArrayDataset, DataLoader
from opforge.gluon.data.vision import MNIST, transforms


def main() -> None:
    """Run the example from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", metavar="DIR", help="folder of the IDX files")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--batch-size", type=int, default=64, help="of all processes together")
    args = parser.parse_args()
    if args.batch_size % mpi.size():
        parser.error(f"--batch-size {args.batch_size} cannot be shared by {mpi.size()} processes")

    opforge.random.seed(0)  # all processes begin with the same parameters
    train_set, test_set = load_data(args.data)
    net = build_network()
    net.hybridize()
    losses = train(net, train_set, args.epochs, args.batch_size // mpi.size())
    right = accuracy(net, test_set)
    if mpi.rank() == 0:
        for epoch, loss in enumerate(losses):
            print(f"epoch {epoch + 1}: loss {loss:.4f}")
        print(f"test accuracy: {right:.4f}")


def load_data(folder: str | None) -> tuple[Any, Any]:
    """Return the samples to train on and those to test on."""
    if folder is not None:
        scaled = transforms.ToTensor()
        train_set, test_set = (MNIST(folder, train=train) for train in (True, False))
        return train_set.transform_first(scaled), test_set.transform_first(scaled)
    pixels, labels = load_digits(return_X_y=True)
    pixels, labels = (pixels / 16).astype(np.float32), labels.astype(np.int32)
    return ArrayDataset(pixels[:1408], labels[:1408]), ArrayDataset(pixels[1408:], labels[1408:])


def train(net: Any, samples: Any, epochs: int, share: int) -> list[float]:
    """Fit `net` to `samples`, `share` of each batch here; return the mean loss of each epoch."""
    loss_fn = gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = mpi.DistributedTrainer(net.collect_params(), "adam", {"learning_rate": 2e-3})
    data = DataLoader(samples, share, sampler=mpi.split_sampler(len(samples)), last_batch="discard")
    losses = []
    total = epochs * len(data)
    with tqdm(total=total, desc="training", unit="batch", disable=mpi.rank() > 0) as progress:
        for _ in range(epochs):
            mean_loss = metric.Loss()
            for x_nd, label_n in data:
                with autograd.record():
                    loss_n = loss_fn(net(x_nd), label_n)
                loss_n.backward()
                trainer.step(share)
                mean_loss.update(None, [loss_n])
                progress.update()
            losses.append(mpi.metric_of_all(mean_loss)[1])
    return losses


def accuracy(net: Any, samples: Any) -> float:
    """Return the share of `samples` that `net` labels correctly; each process tests a part."""
    correct = metric.Accuracy()
    part = mpi.split_sampler(len(samples), shuffle=False, even=False)
    for x_nd, label_n in DataLoader(samples, 256, sampler=part):
        correct.update([label_n], [net(x_nd)])
    return mpi.metric_of_all(correct)[1]


if __name__ == "__main__":
    main()
