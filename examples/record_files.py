"""Train on pictures in a record file: scikit-learn's digits as PNGs, packed by im2rec.

    python examples/record_files.py
    python examples/record_files.py --pictures FOLDER --sheet sheet.png

FOLDER has a folder of JPEGs or PNGs for each label; without it the digits are written as PNGs
first. The progress bar shows how much of the time the network waits for pictures, and --sheet
saves what augmentation makes of the first ones.
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
BYTES = {"scale": 1 / 128, "mean_r": 128, "mean_g": 128, "mean_b": 128}
AUGMENTED = {"shuffle": True, "rand_crop": True, "max_rotate_angle": 12, "fill_value": 0}


def main() -> None:
    """Run the example from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pictures", metavar="DIR", help="folder of folders of pictures")
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--sheet", metavar="FILE", help="picture of augmented pictures")
    args = parser.parse_args()

    opforge.random.seed(0)
    with tempfile.TemporaryDirectory() as folder:
        pictures = Path(args.pictures) if args.pictures else write_digits(Path(folder, "digits"))
        train_file, test_file = pack(pictures, Path(folder, "records"))
        data = batches(train_file, **BYTES, **AUGMENTED)
        if args.sheet:
            save_sheet(batches(train_file, dtype="uint8", **AUGMENTED), args.sheet)
        net = build_network(len([path for path in pictures.iterdir() if path.is_dir()]))
        train(net, data, args.epochs)
        print(f"test accuracy: {accuracy(net, batches(test_file, **BYTES)):.4f}")


def write_digits(folder: Path) -> Path:
    """Write scikit-learn's digits as pictures, a folder for each digit; return `folder`."""
    digits = load_digits()
    for i, (image, digit) in enumerate(zip(digits.images, digits.target, strict=True)):
        path = folder / str(digit) / f"{i}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        cv2.imwrite(str(path), (image * 15.9375).astype(np.uint8))
    return folder


def pack(pictures: Path, prefix: Path) -> tuple[Path, Path]:
    """Pack the pictures, four fifths for training; return both record files."""
    for options in (["--list", "--recursive", "--train-ratio", "0.8"], ["--resize", "28"]):
        if im2rec.main([*options, str(prefix), str(pictures)]):
            raise SystemExit(1)
    return Path(f"{prefix}_train.rec"), Path(f"{prefix}_val.rec")


def batches(path: Path, **settings: Any) -> io.DataIter:
    """Return batches of the pictures in a record file."""
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
    """Fit `net`; show the loss, and the share of time that it waits for pictures."""
    loss_fn = gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 2e-3})
    for epoch in range(epochs):
        data.reset()
        waited, began = 0.0, time.perf_counter()
        with tqdm(desc=f"epoch {epoch + 1}/{epochs}", unit="batch") as progress:
            while True:
                asked = time.perf_counter()
                batch = next(data, None)
                waited += time.perf_counter() - asked
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
    """Return the share of pictures that `net` names; what only fills a batch up does not count."""
    found = metric.Accuracy()
    for batch in data:
        kept = data.batch_size - batch.pad
        found.update([batch.label[0][:kept]], [net(batch.data[0])[:kept]])
    return found.get()[1]


def save_sheet(data: io.DataIter, path: str) -> None:
    """Save five rows of ten augmented pictures."""
    pictures_nchw = next(data).data[0].asnumpy()
    rows = [np.concatenate(row, axis=2) for row in pictures_nchw.reshape(5, 10, 3, SIZE, SIZE)]
    sheet_chw = np.concatenate(rows, axis=1)
    cv2.imwrite(path, cv2.cvtColor(sheet_chw.transpose(1, 2, 0), cv2.COLOR_RGB2BGR))


if __name__ == "__main__":
    main()
