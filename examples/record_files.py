"""Train on a record file of images: scikit-learn's digits as PNGs, packed by im2rec.

    python examples/record_files.py
    python examples/record_files.py --images FOLDER --sheet sheet.png

FOLDER has one subfolder of JPEGs or PNGs per label; without it, the digits are written as PNGs
first. The progress bar shows the share of time that the network waits for images, and --sheet
saves a contact sheet of augmented images.
"""

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from opforge_image import im2rec
from sklearn.datasets import load_digits
from tqdm import tqdm

import opforge
from opforge import autograd, gluon, io, metric
from opforge.gluon import nn

SIZE = 24
NORMALIZATION = {"scale": 1 / 128, "mean_r": 128, "mean_g": 128, "mean_b": 128}
AUGMENTATION = {"shuffle": True, "rand_crop": True, "max_rotate_angle": 12, "fill_value": 0}


def main() -> None:
    """Run the example from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--images", metavar="DIR", help="folder with a subfolder of images per label"
    )
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--sheet", metavar="FILE", help="image file for augmented images")
    args = parser.parse_args()

    opforge.random.seed(0)
    with tempfile.TemporaryDirectory() as folder:
        images = Path(args.images) if args.images else write_digits(Path(folder, "digits"))
        train_file, test_file = pack(images, Path(folder, "records"))
        data = batches(train_file, **NORMALIZATION, **AUGMENTATION)
        if args.sheet:
            save_sheet(batches(train_file, dtype="uint8", **AUGMENTATION), args.sheet)
        net = build_network(len([path for path in images.iterdir() if path.is_dir()]))
        train(net, data, args.epochs)
        print(f"test accuracy: {accuracy(net, batches(test_file, **NORMALIZATION)):.4f}")


def write_digits(folder: Path) -> Path:
    """Write scikit-learn's digits as PNGs, one subfolder per digit; return `folder`."""
    digits = load_digits()
    for i, (image, digit) in enumerate(zip(digits.images, digits.target, strict=True)):
        path = folder / str(digit) / f"{i}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        cv2.imwrite(str(path), (image * 15.9375).astype(np.uint8))
    return folder


def pack(images: Path, prefix: Path) -> tuple[Path, Path]:
    """Pack the images, four fifths for training; return both record files."""
    for options in (["--list", "--recursive", "--train-ratio", "0.8"], ["--resize", "28"]):
        if im2rec.main([*options, str(prefix), str(images)]):
            raise SystemExit(1)
    return Path(f"{prefix}_train.rec"), Path(f"{prefix}_val.rec")


def batches(path: Path, **settings: Any) -> io.DataIter:
    """Return batches of the images in a record file."""
    return io.ImageRecordIter(
        path_imgrec=path,
        path_imgidx=path.with_suffix(".idx"),
        data_shape=(3, SIZE, SIZE),
        batch_size=50,
        **settings,
    )


def build_network(labels: int) -> nn.HybridSequential:
    """Return a small convolutional network."""
    net = nn.HybridSequential()
    with net.name_scope():
        for channels in (16, 32):
            net.add(nn.Conv2D(channels, 3, activation="relu"), nn.MaxPool2D(2, 2))
        net.add(nn.Flatten(), nn.Dense(64, activation="relu"), nn.Dense(labels))
    net.initialize(opforge.init.Xavier())
    net.hybridize()
    return net


def train(net: nn.HybridSequential, data: io.DataIter, epochs: int) -> None:
    """Fit `net`, showing the loss and the share of time spent waiting for images."""
    loss_fn = gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 2e-3})
    for epoch in range(epochs):
        data.reset()
        waited, began = 0.0, time.perf_counter()
        with tqdm(desc=f"epoch {epoch + 1}/{epochs}", unit="batch") as progress:
            while True:
                requested = time.perf_counter()
                batch = next(data, None)
                waited += time.perf_counter() - requested
                if batch is None:
                    break
                with autograd.record():
                    loss = loss_fn(net(batch.data[0]), batch.label[0])
                loss.backward()
                trainer.step(len(loss))
                share = waited / (time.perf_counter() - began)
                progress.set_postfix(loss=f"{loss.mean().asscalar():.3f}", waits=f"{share:.1%}")
                progress.update()


def accuracy(net: nn.HybridSequential, data: io.DataIter) -> float:
    """Return the accuracy of `net`, ignoring the padding of batches."""
    correct = metric.Accuracy()
    for batch in data:
        count = data.batch_size - batch.pad
        correct.update([batch.label[0][:count]], [net(batch.data[0])[:count]])
    return correct.get()[1]


def save_sheet(data: io.DataIter, path: str) -> None:
    """Save five rows of ten augmented images."""
    images_nchw = next(data).data[0].asnumpy()
    rows = [np.concatenate(row, axis=2) for row in images_nchw.reshape(5, 10, 3, SIZE, SIZE)]
    sheet_chw = np.concatenate(rows, axis=1)
    cv2.imwrite(path, cv2.cvtColor(sheet_chw.transpose(1, 2, 0), cv2.COLOR_RGB2BGR))


if __name__ == "__main__":
    main()
