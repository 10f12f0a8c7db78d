"""A training that draws random numbers of all kinds, for tests of its resumption."""

import random

import numpy as np

import opforge as mx
from opforge import autograd, gluon, nd
from opforge.checkpoint import CheckpointManager, ResumableLoader

EPOCHS, BATCHES = 3, 4
X = np.random.RandomState(0).normal(size=(16, 6)).astype("float32")
Y = X.sum(1)


def jittered(x, y):
    """Augment a sample on a thread of the engine, with opforge's, NumPy's and Python's numbers."""
    return x + nd.random.normal(0, 0.1, shape=(6,)), y


class Training:
    """A network with dropout, a momentum, a schedule, shuffled data."""

    def __init__(self, folder, prefetch=2, every=1, **options):
        mx.random.seed(5)
        np.random.seed(5)
        random.seed(5)
        # Names that are the same in each training: a trainer has its parameters in their order.
        self.net = gluon.nn.HybridSequential(prefix="net_")
        with self.net.name_scope():
            self.net.add(
                gluon.nn.Dense(5, in_units=6, activation="relu"),
                gluon.nn.BatchNorm(in_channels=5),
                gluon.nn.Dropout(0.5),
                gluon.nn.Dense(1, in_units=5),
            )
        self.net.initialize()
        self.net.hybridize()
        schedule = mx.lr_scheduler.FactorScheduler(3, 0.9, base_lr=0.05)
        self.trainer = gluon.Trainer(
            self.net.collect_params(), "sgd", {"lr_scheduler": schedule, "momentum": 0.9}
        )
        dataset = gluon.data.ArrayDataset(nd.array(X), nd.array(Y)).transform(jittered)
        loader = gluon.data.DataLoader(dataset, 16 // BATCHES, shuffle=True, prefetch=prefetch)
        self.batches = ResumableLoader(loader)
        self.every = every
        pieces = {"net": self.net, "trainer": self.trainer, "batches": self.batches}
        self.manager = CheckpointManager(folder, **pieces, **options)

    def run(self, note, stop=None):
        """Train to the end, or to a step; note each step's loss, bit for bit."""
        found = self.manager.restore()
        step = found.step if found else 0
        for epoch in range(found.values["epoch"] if found else 0, EPOCHS):
            for x, y in self.batches:
                loss = self.train(x, y)
                step += 1
                note(step, float(loss).hex() + np.random.rand().hex() + random.random().hex())
                if step % self.every == 0:
                    self.manager.save(step, epoch=epoch)
                if step == stop:
                    return
        self.manager.wait()

    def train(self, x, y):
        """Train on a batch and return the loss."""
        with autograd.record():
            loss = gluon.loss.L2Loss()(self.net(x), y).mean()
        loss.backward()
        self.trainer.step(len(x))
        return loss.asscalar()
