"""Train the network of digits.py on MNIST or Fashion-MNIST.

The four IDX files (such as train-images-idx3-ubyte.gz) are read from --data. Without it, MNIST is
downloaded to ~/.opforge/datasets/mnist at the first run.

    python examples/mnist.py --data /usr/share/datasets/fashion-mnist
"""

import argparse

import numpy as np
from digits import accuracy, build_network, train

import opforge
from opforge.gluon.data import DataLoader
from opforge.gluon.data.vision import MNIST, transforms


def main() -> None:
    """Run the example from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", metavar="DIR", help="folder with the four IDX files")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--batch-size", type=int, default=128)
    parser.add_argument("--workers", type=int, default=2, help="processes that load batches")
    args = parser.parse_args()

    opforge.random.seed(0)
    np.random.seed(0)
    scale = transforms.ToTensor()
    train_set = MNIST(args.data, train=True).transform_first(scale)
    test_set = MNIST(args.data, train=False).transform_first(scale)
    net = build_network()
    train(
        net,
        DataLoader(train_set, args.batch_size, shuffle=True, num_workers=args.workers),
        args.epochs,
    )
    test_data = DataLoader(test_set, 1000, num_workers=args.workers)
    print(f"test accuracy: {accuracy(net, test_data):.4f}")


if __name__ == "__main__":
    main()
