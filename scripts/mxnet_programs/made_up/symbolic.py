"""Data of the programs of the symbolic interface: texts, ratings, sparse rows, a trained model."""

import bz2
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from made_up.formats import encoded, picture, records, sentences, vocabulary, zipped
from opforge import nd, sym

#: A module in place of the compiled one of example/rnn/large_word_lm.
LOG_UNIFORM = b'''"""Draw classes with log-uniform chances."""

import numpy as np


class LogUniformSampler:
    """A sampler of the classes 0 to `range_max` - 1."""

    def __init__(self, range_max):
        self.range_max = range_max
        self.random = np.random.RandomState(0)

    def sample_unique(self, size):
        """Return `size` different classes and the number of tries."""
        found, tries = {}, 0
        while len(found) < size:
            tries += 1
            found[int(np.exp(self.random.rand() * np.log(self.range_max + 1))) - 1] = None
        return list(found), tries
'''


def texts(rng: np.random.RandomState) -> Iterator[tuple[str, bytes]]:
    """Yield texts whose words are all in the part for training."""
    known = vocabulary(rng, 200)
    every = "".join(" ".join(known[i : i + 20]) + "\n" for i in range(0, 200, 20)).encode()
    for part, count in (("train", 600), ("valid", 200), ("test", 200)):
        text = sentences(rng, known, count, 30) + every
        yield f"novel/sherlockholmes.{part}.txt", text.replace(b"\n", b" \n")
    yield "novel/log_uniform.py", LOG_UNIFORM
    counts = [f"{word} {1000 // (i + 1)}" for i, word in enumerate(["<S>", "<UNK>", *known])]
    yield "novel/vocabulary.txt", "\n".join(counts).encode()
    yield "text8", b" ".join(sentences(rng, known, 1000, 30).split())
    yield "obama.txt", sentences(rng, known[:50], 200, 6)


def opinions(rng: np.random.RandomState) -> Iterator[tuple[str, bytes]]:
    """Yield sentences of two kinds, in which different words are frequent."""
    known = vocabulary(rng, 150)
    signs = [chr(0x4E00 + i) for i in range(150)]
    for kind, words, symbols in (("pos", known, signs), ("neg", known[::-1], signs[::-1])):
        yield f"opinions/rt-polaritydata/rt-polarity.{kind}", sentences(rng, words, 700, 20)
        lines = sentences(rng, symbols, 700, 30).decode().replace(" ", "")
        yield f"opinions/{kind}.txt", lines.encode()


def entities(rng: np.random.RandomState) -> Iterator[tuple[str, bytes]]:
    """Yield sentences with the kind of each word; every fifth word of the list is a name."""
    known = vocabulary(rng, 100)
    lines = ["Sentence #,Word,POS,Tag"]
    for number in range(1, 161):
        for place in range(rng.randint(8, 11)):
            word = rng.randint(100)
            first = f"Sentence: {number}" if not place else ""
            lines.append(f"{first},{known[word]},NN,{'O' if word % 5 else 'B-per'}")
    yield "ner_dataset.csv", "\n".join(lines).encode()


def ratings(rng: np.random.RandomState) -> Iterator[tuple[str, bytes]]:
    """Yield ratings of films, as the files of MovieLens."""
    users, films = 60, 120
    taste = rng.normal(size=(users, 4)) @ rng.normal(size=(4, films))
    stars = np.clip(np.round(taste + 3), 1, 5).astype(int)
    rows = [(u, f, stars[u, f]) for u in range(users) for f in rng.permutation(films)[:50]]
    rows = [rows[i] for i in rng.permutation(len(rows))]
    parts = {"base": rows[:2500], "test": rows[2500:], "data": rows}
    for part, chosen in parts.items():
        lines = [f"{u + 1}\t{f + 1}\t{r}\t{i}" for i, (u, f, r) in enumerate(chosen)]
        yield f"ml-100k/{'u' if part == 'data' else 'u1'}.{part}", "\n".join(lines).encode()
    films_lines = [f"{f + 1}|Film {f + 1}|1990" for f in range(films)]
    yield "ml-100k/u.item", "\n".join(films_lines).encode()
    for name, chosen in (("train", parts["base"]), ("test", parts["test"])):
        lines = [f"{u + 1}::{f + 1}::{r}::{i}" for i, (u, f, r) in enumerate(chosen)]
        yield f"ml-10M100K/r1.{name}", "\n".join(lines).encode()
    lines = [f"{u + 1},{f + 1},{r},{i}" for i, (u, f, r) in enumerate(rows)]
    csv = "\n".join(["userId,movieId,rating,timestamp", *lines]).encode()
    yield "ml-20m.zip", zipped({"ml-20m/ratings.csv": csv})


def sparse_rows(rng: np.random.RandomState) -> Iterator[tuple[str, bytes]]:
    """Yield rows with few numbers that are not zero, in the format of LIBSVM."""
    weights = rng.normal(size=1000)
    for name, count in (("train", 600), ("test", 200)):
        lines = []
        for _ in range(count):
            chosen = np.sort(rng.permutation(1000)[:10])
            label = int(weights[chosen].sum() > 0)
            lines.append(" ".join([str(label), *(f"{i}:1" for i in chosen)]))
        yield f"sparse/{name}.libsvm", ("\n".join(lines) + "\n").encode()
    lines = []
    for _ in range(500):
        features = rng.normal(size=90)
        year = int(2000 + 5 * features[:9].sum())
        lines.append(" ".join([str(year), *(f"{i + 1}:{x:.3f}" for i, x in enumerate(features))]))
    yield "YearPredictionMSD.bz2", bz2.compress("\n".join(lines).encode())


def persons(rng: np.random.RandomState) -> Iterator[tuple[str, bytes]]:
    """Yield rows about persons, as the files of Adult."""
    kinds = ["Private", "State-gov", "Local-gov"]
    schools = ["Bachelors", "HS-grad", "Masters", "12th"]
    jobs = ["Sales", "Tech-support", "Craft-repair", "Adm-clerical"]
    for name, count in (("data", 600), ("test", 300)):
        lines = []
        for _ in range(count):
            age, school = rng.randint(18, 70), rng.randint(4)
            row = [age, rng.choice(kinds), rng.randint(1000), schools[school], school * 3]
            row += ["Divorced", rng.choice(jobs), rng.choice(["Wife", "Husband"]), "White"]
            row += [rng.choice(["Male", "Female"]), rng.randint(100), 0, rng.randint(20, 60)]
            row += ["United-States", ">50K" if age + 10 * school > 60 else "<=50K"]
            lines.append(", ".join(map(str, row)))
        yield f"adult/adult.{name}", ("\n".join(lines) + "\n").encode()


def electricity(rng: np.random.RandomState) -> Iterator[tuple[str, bytes]]:
    """Yield hourly numbers of eight customers with a daily period."""
    hours = np.arange(400)[:, None]
    values = 2 + np.sin(hours * 2 * np.pi / 24 + np.arange(8)) + 0.1 * rng.normal(size=(400, 8))
    lines = [",".join(f"{x:.4f}" for x in row) for row in values]
    yield "electricity.txt", "\n".join(lines).encode()


def photographs(rng: np.random.RandomState) -> Iterator[tuple[str, bytes]]:
    """Yield a record file of larger pictures."""
    images = [(i % 10, encoded(picture(rng, 64, 64))) for i in range(40)]
    for kind, content in zip(("rec", "idx"), records(images), strict=True):
        yield f"photographs.{kind}", content
    yield "val_256_q90.rec", records(images)[0]
    yield "val-5k-256.rec", records(images)[0]


def models(rng: np.random.RandomState) -> Iterator[tuple[str, bytes]]:
    """Yield a small residual network with the names that programs know, and its parameters."""
    data = sym.Variable("data")
    net = sym.Convolution(data, num_filter=8, kernel=(3, 3), pad=(1, 1), name="conv0")
    net = sym.Activation(net, act_type="relu", name="relu0")
    for number in (1, 4):
        name = f"stage{number}_unit1"
        body = sym.BatchNorm(net, fix_gamma=False, name=f"{name}_bn1")
        body = sym.Activation(body, act_type="relu", name=f"{name}_relu1")
        body = sym.Convolution(
            body, num_filter=8, kernel=(3, 3), pad=(1, 1), no_bias=True, name=f"{name}_conv1"
        )
        net = net + body
    net = sym.Pooling(net, global_pool=True, kernel=(7, 7), pool_type="avg", name="pool1")
    net = sym.Flatten(net, name="flatten0")
    net = sym.FullyConnected(net, num_hidden=10, name="fc1")
    net = sym.SoftmaxOutput(net, name="softmax")
    shapes, _, states = net.infer_shape(data=(1, 3, 32, 32))
    values = {}
    for name, shape in zip(net.list_arguments(), shapes, strict=True):
        if name not in ("data", "softmax_label"):
            scale = 0.002 if name == "conv0_weight" else 0.2  # of pixels from 0 to 255
            values[f"arg:{name}"] = nd.array(rng.normal(0, scale, shape) + name.endswith("gamma"))
    for name, shape in zip(net.list_auxiliary_states(), states, strict=True):
        values[f"aux:{name}"] = nd.array(rng.uniform(0.5, 1, shape))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "params"
        nd.save(str(path), values)
        content = path.read_bytes()
    for name in ("resnet-18", "resnet-50", "resnet-152", "Inception-BN"):
        yield f"models/{name}-symbol.json", net.tojson().encode()
        epoch = 126 if name == "Inception-BN" else 0
        yield f"models/{name}-{epoch:04d}.params", content


MAKERS = [
    texts,
    opinions,
    entities,
    ratings,
    sparse_rows,
    persons,
    electricity,
    photographs,
    models,
]
