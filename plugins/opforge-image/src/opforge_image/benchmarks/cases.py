"""Benchmark cases for opforge and MXNet; MXNet's Python imports only this file.

A call is an entire epoch, starting with the reset that starts decoding, so decoding ahead while the
other library is measured gains nothing.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

__all__ = ["CASES", "SHARES"]

PHOTOGRAPHS, COUNT = "photographs.rec", 256
SMALL, SMALL_COUNT, CLASSES = "small.rec", 96, 10
_MEANS = {"mean_r": 123.7, "mean_g": 116.3, "mean_b": 103.5}
_DEVIATIONS = {"std_r": 58.4, "std_g": 57.1, "std_b": 57.4}
_TRAINING: dict[str, Any] = {
    "random_resized_crop": True,
    "min_random_area": 0.08,
    "max_random_area": 1.0,
    "min_aspect_ratio": 0.75,
    "max_aspect_ratio": 4 / 3,
    "rand_mirror": True,
}


def _iterator(mx: Any, path: Path, size: int, batch_size: int, **settings: Any) -> Any:
    return mx.io.ImageRecordIter(
        path_imgrec=str(path),
        data_shape=(3, size, size),
        batch_size=batch_size,
        verbose=False,
        **settings,
    )


def _epochs(**settings: Any) -> Callable[[Any, Path], Callable[[], None]]:
    """Return a function that prepares epochs of photographs at 224x224."""

    def prepare(mx: Any, folder: Path) -> Callable[[], None]:
        batches = _iterator(mx, folder / PHOTOGRAPHS, 224, 32, **settings)

        def run() -> None:
            batches.reset()
            for batch in batches:
                batch.data[0].wait_to_read()

        return run

    return prepare


def _loading(mx: Any, folder: Path) -> Callable[[], None]:
    """Prepare epochs of photographs loaded by two processes with the usual transforms."""
    vision = mx.gluon.data.vision
    chain = vision.transforms.Compose(
        [
            vision.transforms.RandomResizedCrop(224),
            vision.transforms.RandomFlipLeftRight(),
            vision.transforms.ToTensor(),
            vision.transforms.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]),
        ]
    )
    photographs = vision.ImageRecordDataset(str(folder / PHOTOGRAPHS)).transform_first(chain)
    batches = mx.gluon.data.DataLoader(photographs, 32, num_workers=2)

    def run() -> None:
        for data, _ in batches:
            data.wait_to_read()

    return run


def _reading(mx: Any, folder: Path) -> Callable[[], None]:
    record = mx.recordio.MXRecordIO(str(folder / PHOTOGRAPHS), "r")

    def run() -> None:
        record.reset()
        while record.read() is not None:
            pass

    return run


def _reading_by_number(mx: Any, folder: Path) -> Callable[[], None]:
    index = str((folder / PHOTOGRAPHS).with_suffix(".idx"))
    record = mx.recordio.MXIndexedRecordIO(index, str(folder / PHOTOGRAPHS), "r")
    order = [97 * number % COUNT for number in range(COUNT)]  # each once, never in sequence

    def run() -> None:
        for number in order:
            record.read_idx(number)

    return run


class _Training:
    """ResNet-18 for images of 32x32, trained on small images from a record file."""

    def __init__(self, mx: Any, folder: Path) -> None:
        self._mx = mx
        self._net = mx.gluon.model_zoo.vision.get_resnet(1, 18, thumbnail=True, classes=CLASSES)
        self._net.initialize(mx.init.Xavier())
        self._net.hybridize(static_alloc=True, static_shape=True)
        self._loss = mx.gluon.loss.SoftmaxCrossEntropyLoss()
        parameters = self._net.collect_params()
        self._trainer = mx.gluon.Trainer(parameters, "sgd", {"learning_rate": 0.01})
        self.batches = _iterator(
            mx, folder / SMALL, 32, 16, rand_crop=True, rand_mirror=True, pad=4, **_MEANS
        )

    def step(self, batch: Any) -> None:
        """Train on a batch and wait for the result."""
        # MXNet's iterators return arrays in pinned memory.
        data, label = (each[0].as_in_context(self._mx.cpu()) for each in (batch.data, batch.label))
        with self._mx.autograd.record():
            loss = self._loss(self._net(data), label)
        loss.backward()
        self._trainer.step(data.shape[0])
        self._mx.nd.waitall()

    def epoch(self) -> tuple[float, float]:
        """Train on each batch; return the total seconds and those spent waiting for batches."""
        waiting, began = 0.0, time.perf_counter()
        self.batches.reset()
        while True:
            requested = time.perf_counter()
            try:
                batch = self.batches.next()
            except StopIteration:
                return time.perf_counter() - began, waiting
            batch.data[0].wait_to_read()
            waiting += time.perf_counter() - requested
            self.step(batch)


def _training(mx: Any, folder: Path) -> Callable[[], object]:
    return _Training(mx, folder).epoch


def _training_on_one(mx: Any, folder: Path) -> Callable[[], None]:
    training = _Training(mx, folder)
    batch = training.batches.next()
    steps = SMALL_COUNT // batch.data[0].shape[0]

    def run() -> None:
        for _ in range(steps):
            training.step(batch)

    return run


def _waiting(mx: Any, folder: Path) -> float:
    """Return the smallest share of five epochs in which the network waits for batches."""
    training = _Training(mx, folder)
    training.epoch()
    return min(waiting / total for total, waiting in (training.epoch() for _ in range(5)))


_IMAGES: dict[str, Any] = {
    "group": "record files of images",
    "count": COUNT,
    "items": "images",
}
_RECORDS: dict[str, Any] = {
    "group": "record files",
    "target": None,
    "count": COUNT,
    "items": "records",
}
_NETWORK: dict[str, Any] = {
    "group": "training on a record file",
    "target": None,
    "count": SMALL_COUNT,
    "items": "images",
}

CASES: dict[str, dict[str, Any]] = {
    "ImageRecordIter, 224x224, random crop, mirror, normalize": {
        **_IMAGES,
        "target": 0.83,  # 1.2 times MXNet's images per second
        "prepare": _epochs(**_TRAINING, **_MEANS, **_DEVIATIONS),
    },
    "ImageRecordIter, 224x224, resize, center crop, normalize": {
        **_IMAGES,
        "target": 0.83,
        "prepare": _epochs(resize=256, **_MEANS, **_DEVIATIONS),
    },
    "DataLoader, 224x224, random crop, mirror, normalize": {
        **_IMAGES,
        "target": None,
        "prepare": _loading,
    },
    "MXRecordIO, in sequence": {**_RECORDS, "prepare": _reading},
    "MXIndexedRecordIO, in random order": {**_RECORDS, "prepare": _reading_by_number},
    "ResNet-18 of 32x32, from a record file": {**_NETWORK, "prepare": _training},
    "ResNet-18 of 32x32, one batch repeatedly": {**_NETWORK, "prepare": _training_on_one},
}
SHARES: dict[str, dict[str, Any]] = {
    "ResNet-18 of 32x32, share of time waiting for data": {
        "target": 0.02,
        "measure": _waiting,
    },
}
