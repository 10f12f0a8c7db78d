"""Train a network on several processes, with the same losses in less time.

    mpiexec -n 2 python examples/distributed.py
    mpiexec -n 2 python examples/distributed.py --data /usr/share/datasets/fashion-mnist

Each process computes its share of every batch; a single process, without mpiexec, computes all of
it. The data is scikit-learn's digits, or the four IDX files of MNIST or Fashion-MNIST in --data.
With --checkpoints, an interrupted training resumes and reaches exactly the same result:

    mpiexec -n 2 python examples/distributed.py --checkpoints /tmp/run
    mpiexec -n 2 python examples/distributed.py --checkpoints /tmp/run --resume
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
from opforge.checkpoint import ResumableLoader
from opforge.gluon.data import ArrayDataset, DataLoader
from opforge.gluon.data.vision import MNIST, transforms


def main() -> None:
    """Run the example from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", metavar="DIR", help="folder of the IDX files")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--batch-size", type=int, default=64, help="total over all processes")
    parser.add_argument("--checkpoints", metavar="DIR", help="save to this folder")
    parser.add_argument(
        "--save-every", type=int, default=50, metavar="N", help="batches between checkpoints"
    )
    parser.add_argument("--resume", action="store_true", help="resume from the latest checkpoint")
    args = parser.parse_args()
    if args.batch_size % mpi.size():
        parser.error(f"--batch-size {args.batch_size} is not divisible by {mpi.size()} processes")

    if args.resume and args.checkpoints is None:
        parser.error("--resume requires --checkpoints DIR")

    opforge.random.seed(0)  # all processes start with the same parameters
    train_set, test_set = load_data(args.data)
    net = build_network()
    net.hybridize()
    training = Training(net, train_set, args.batch_size // mpi.size())
    if args.checkpoints is not None:
        training.save_to(args.checkpoints, args.save_every, args.resume)
    losses = training.run(args.epochs)
    test_accuracy = accuracy(net, test_set)
    if mpi.rank() == 0:
        for epoch, loss in enumerate(losses):
            print(f"epoch {epoch + 1}: loss {loss:.4f}")
        print(f"test accuracy: {test_accuracy:.4f}")


def load_data(folder: str | None) -> tuple[Any, Any]:
    """Return the training and the test set."""
    if folder is not None:
        scaled = transforms.ToTensor()
        train_set, test_set = (MNIST(folder, train=train) for train in (True, False))
        return train_set.transform_first(scaled), test_set.transform_first(scaled)
    pixels, labels = load_digits(return_X_y=True)
    pixels, labels = (pixels / 16).astype(np.float32), labels.astype(np.int32)
    return ArrayDataset(pixels[:1408], labels[:1408]), ArrayDataset(pixels[1408:], labels[1408:])


class MeanLoss(metric.Loss):
    """Mean loss of an epoch, whose partial sum checkpoints save."""

    def state_dict(self) -> dict[str, Any]:
        """Return the partial sum."""
        return {"sum_metric": self.sum_metric, "num_inst": self.num_inst}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore the partial sum."""
        vars(self).update(state)


class Training:
    """Trains `net` on `samples`, with `share` samples of each batch on this process."""

    def __init__(self, net: Any, samples: Any, share: int) -> None:
        self.net, self.share = net, share
        self.trainer = mpi.DistributedTrainer(net.collect_params(), "adam", {"learning_rate": 2e-3})
        self.sampler = mpi.split_sampler(len(samples))
        self.batches = ResumableLoader(
            DataLoader(samples, share, sampler=self.sampler, last_batch="discard")
        )
        self.mean_loss = MeanLoss()
        self.losses: list[float] = []  # of the epochs that are complete
        self.step, self.save_every = 0, 0

    def save_to(self, folder: str, every: int, resume: bool) -> None:
        """Save every `every` batches; restore the latest checkpoint first."""
        objects = {name: vars(self)[name] for name in ("net", "trainer", "batches", "mean_loss")}
        self.manager, self.save_every = mpi.CheckpointManager(folder, **objects), every
        if not resume and self.manager.latest() is not None:
            message = f"{folder} has checkpoints; pass --resume or another folder"
            raise SystemExit(1 if mpi.rank() else message)
        restored = self.manager.restore()
        if restored is not None:
            self.step, self.losses = restored.step, restored.values["losses"]

    def run(self, epochs: int) -> list[float]:
        """Train and return the mean loss of each epoch over all processes."""
        loss_fn = gluon.loss.SoftmaxCrossEntropyLoss()
        total = epochs * len(self.batches)
        options = {"total": total, "initial": self.step, "disable": mpi.rank() > 0}
        with tqdm(desc="training", unit="batch", **options) as progress:
            for epoch in range(len(self.losses), epochs):
                self.sampler.epoch = epoch
                for x_nd, label_n in self.batches:
                    with autograd.record():
                        loss_n = loss_fn(self.net(x_nd), label_n)
                    loss_n.backward()
                    self.trainer.step(self.share)
                    self.mean_loss.update(None, [loss_n])
                    self.step += 1
                    progress.update()
                    if self.save_every and self.step % self.save_every == 0:
                        self.manager.save(self.step, losses=self.losses)
                self.losses.append(mpi.metric_of_all(self.mean_loss)[1])
                self.mean_loss.reset()
        if self.save_every:
            self.manager.save(self.step, losses=self.losses)
            self.manager.wait()
        return self.losses


def accuracy(net: Any, samples: Any) -> float:
    """Return the accuracy of `net` on `samples`, of which each process tests a part."""
    correct = metric.Accuracy()
    part = mpi.split_sampler(len(samples), shuffle=False, even=False)
    for x_nd, label_n in DataLoader(samples, 256, sampler=part):
        correct.update([label_n], [net(x_nd)])
    return mpi.metric_of_all(correct)[1]


if __name__ == "__main__":
    main()
