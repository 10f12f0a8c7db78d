"""Data sets that many programs read: MNIST, CIFAR-10, texts, photographs."""

import gzip
from collections.abc import Iterator

import numpy as np

from made_up.formats import encoded, idx, picture, records, sentences, vocabulary, zipped


def mnist(rng: np.random.RandomState) -> Iterator[tuple[str, bytes]]:
    """Yield the files of MNIST and Fashion-MNIST: ten patterns with noise."""
    unpacked = {}
    for name in ("mnist", "fashion-mnist"):
        patterns = (rng.rand(10, 28, 28) > 0.7) * 200
        for part, count in (("train", 2000), ("t10k", 500)):
            labels = rng.permutation(np.arange(count) % 10).astype(np.uint8)
            noise = rng.randint(0, 56, (count, 28, 28))
            images = np.clip(patterns[labels] + noise, 0, 255).astype(np.uint8)
            for kind, values in (("images-idx3", images), ("labels-idx1", labels)):
                content = idx(values)
                packed = gzip.compress(content, mtime=0)
                yield f"home/.mxnet/datasets/{name}/{part}-{kind}-ubyte.gz", packed
                if name == "mnist":
                    yield f"{part}-{kind}-ubyte.gz", packed
                    yield f"mnist/{part}-{kind}-ubyte", content
                    unpacked[f"{part}-{kind}-ubyte"] = content
    yield "mnist.zip", zipped(unpacked)


def cifar(rng: np.random.RandomState) -> Iterator[tuple[str, bytes]]:
    """Yield the binary files of CIFAR-10, and record files of it."""
    names = [f"data_batch_{i}.bin" for i in range(1, 6)] + ["test_batch.bin"]
    for name in names:
        rows = []
        for _ in range(100):
            pixels = picture(rng, 32, 32).transpose(2, 0, 1)
            rows.append(bytes([rng.randint(10)]) + pixels.tobytes())
        yield f"home/.mxnet/datasets/cifar10/{name}", b"".join(rows)
    files = {}
    for part, count in (("train", 200), ("test", 100)):
        images = [(rng.randint(10), encoded(picture(rng, 32, 32))) for _ in range(count)]
        for kind, content in zip(("rec", "idx"), records(images), strict=True):
            files[f"cifar/{part}.{kind}"] = content
            yield f"cifar/{part}.{kind}", content
    for name, kind in (("cifar10_train.rec", "train"), ("cifar10_val.rec", "test")):
        yield name, files[f"cifar/{kind}.rec"]
    yield "cifar10.zip", zipped(files)


def texts(rng: np.random.RandomState) -> Iterator[tuple[str, bytes]]:
    """Yield texts for language models and classification."""
    known = vocabulary(rng, 500)
    for part, count in (("train", 600), ("valid", 100), ("test", 100)):
        text = sentences(rng, known, count, 25)
        yield f"ptb.{part}.txt", text
        yield f"sherlockholmes.{part}.txt", text
        yield f"wiki.{part}.tokens", text


def pictures(rng: np.random.RandomState) -> Iterator[tuple[str, bytes]]:
    """Yield photographs."""
    for name in ("cat.png", "dog.png"):
        yield name, encoded(picture(rng, 240, 320))
    for name in ("cat.jpg", "dog.jpg", "sunflower.jpg"):
        yield name, encoded(picture(rng, 240, 320), "JPEG")


MAKERS = [mnist, cifar, texts, pictures]
