"""Test the packages installed in this environment: the core and any plugins.

    python scripts/smoke.py

Every plugin is loaded, and a network of the installed layers is trained for a few steps. Needs
nothing but opforge, so that it runs on a bare machine on which a wheel has just been installed.
"""

import json
import re
import subprocess
import sys
import sysconfig
from importlib.metadata import distributions
from pathlib import Path

import opforge as mx
from opforge import autograd, gluon, nd

#: Findings of doctor about the machine: it is slow, or has no MPI.
MACHINE = re.compile(r"s to load$|^MPI cannot be loaded")
INSTALLED = {found.metadata["Name"] for found in distributions()}


def check_core() -> None:
    """Compare a product and its gradient with values computed by hand."""
    left = nd.array([[1.0, 2.0], [3.0, 4.0]])
    left.attach_grad()
    with autograd.record():
        product = nd.dot(left, left)
    product.backward()
    assert product.asnumpy().tolist() == [[7, 10], [15, 22]]
    assert left.grad.asnumpy().tolist() == [[7, 11], [9, 13]]


def check_plugins() -> None:
    """Let `opforge doctor` load every plugin."""
    doctor = [str(Path(sysconfig.get_path("scripts"), "opforge")), "doctor", "--json"]
    done = subprocess.run(doctor, stdout=subprocess.PIPE, text=True, check=False)
    found = [row for row in json.loads(done.stdout) if not MACHINE.search(row["message"])]
    assert not found, json.dumps(found, indent=1)


def layers() -> list[gluon.Block]:
    """Return layers of the installed plugins, for images of two classes."""
    nn = gluon.nn
    stacked = []
    if "opforge-convolution" in INSTALLED:
        stacked.append(nn.Conv2D(4, kernel_size=3, padding=1))
    if "opforge-normalization" in INSTALLED:
        stacked.append(nn.BatchNorm())
    if "opforge-rectifier" in INSTALLED:
        stacked.append(nn.LeakyReLU(0.1))
    if "opforge-pooling" in INSTALLED:
        stacked.append(nn.MaxPool2D())
    return [*stacked, nn.Dense(2)]


def train() -> float:
    """Train on images that are bright or dark; return the last loss."""
    mx.random.seed(1)
    data = nd.random.uniform(shape=(32, 1, 8, 8))
    label = data.mean(axis=(1, 2, 3)) > data.mean()
    net = gluon.nn.HybridSequential()
    net.add(*layers())
    net.initialize()
    net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.05})
    criterion = gluon.loss.SoftmaxCrossEntropyLoss()
    for _ in range(60):
        with autograd.record():
            loss = criterion(net(data), label).mean()
        loss.backward()
        trainer.step(1)
    return float(loss.asscalar())


def main() -> None:
    """Run all checks, and print the versions tested."""
    check_core()
    check_plugins()
    if {"opforge-dense", "opforge-softmax"} <= INSTALLED:
        loss = train()
        assert loss < 0.3, f"the network did not learn: its loss is {loss}"
        print(f"trained to a loss of {loss:.3f}")
    else:
        print("opforge-dense or opforge-softmax is not installed: nothing is trained")
    ours = sorted(name for name in INSTALLED if name.startswith("opforge-"))
    print(f"opforge {mx.__version__}, Python {sys.version.split()[0]}, {len(ours)} plugins")


if __name__ == "__main__":
    main()
