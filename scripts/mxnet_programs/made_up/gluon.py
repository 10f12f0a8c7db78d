"""Data of the examples of Gluon, detection, generation of pictures and reinforcement learning."""

import io
import json
import wave
from collections.abc import Iterator

import numpy as np
from scipy.io import savemat

from made_up.formats import encoded, picture, records, sentences, tarred, vocabulary, zipped


def photographs(rng: np.random.RandomState) -> Iterator[tuple[str, bytes]]:
    """Yield folders of photographs: BSDS500, classes, styles."""
    archive = {}
    for part, count in (("train", 8), ("test", 4)):
        for number in range(count):
            content = encoded(picture(rng, 300, 320), "JPEG")
            archive[f"BSDS500-master/BSDS500/data/images/{part}/{number}.jpg"] = content
    archive["BSDS500-master/BSDS500/data/groundTruth/none.txt"] = b""
    yield "master.zip", zipped(archive)
    classes = {}
    for folder, count in (("101_ObjectCategories", 8), ("101_ObjectCategories_test", 4)):
        for name in ("anchor", "chair"):
            for number in range(count):
                content = encoded(picture(rng, 230, 260), "JPEG")
                classes[f"{folder}/{name}/{number}.jpg"] = content
                yield f"photographs/{folder}/{name}/{number}.jpg", content
    yield "101_ObjectCategories.tar.gz", tarred(classes)
    for number in range(2):
        yield f"styles/{number}.jpg", encoded(picture(rng, 96, 128), "JPEG")


def word_lists(rng: np.random.RandomState) -> Iterator[tuple[str, bytes]]:
    """Yield WikiText-2."""
    known = vocabulary(rng, 200)
    parts = {"train": 300, "valid": 60, "test": 60}
    files = {}
    for part, count in parts.items():
        files[f"wikitext-2/wiki.{part}.tokens"] = sentences(rng, known, count, 25)
    yield "wikitext-2-v1.zip", zipped(files)


def houses(rng: np.random.RandomState) -> Iterator[tuple[str, bytes]]:
    """Yield tables of houses with prices."""
    names = ["Id", "MSSubClass", "MSZoning", "LotArea", "Street", "YearBuilt", "SaleCondition"]
    for part, count in (("train", 200), ("test", 60)):
        lines = [",".join([*names, "SalePrice"] if part == "train" else names)]
        for number in range(count):
            area, year = rng.randint(3000, 20000), rng.randint(1900, 2010)
            row = [number, rng.choice([20, 60, 120]), rng.choice(["RL", "RM", "FV"]), area]
            row += [rng.choice(["Pave", "Grvl"]), "" if number % 9 == 0 else year]
            row.append(rng.choice(["Normal", "Partial"]))
            if part == "train":
                row.append(int(area * 5 + (year - 1900) * 900 + rng.randint(5000)))
            lines.append(",".join(map(str, row)))
        yield f"houses/{part}.csv", ("\n".join(lines) + "\n").encode()


def parsed_sentences(rng: np.random.RandomState) -> Iterator[tuple[str, bytes]]:
    """Yield pairs of sentences with their trees and likenesses, and vectors of words."""
    known = vocabulary(rng, 60)
    for part, count in (("train", 30), ("dev", 10), ("test", 10)):
        for side in ("a", "b"):
            tokens = sentences(rng, known, count, 9).decode()
            parents = []
            for line in tokens.splitlines():
                length = len(line.split())
                parents.append(" ".join(str(i) for i in range(length)))
            yield f"sick/{part}/{side}.toks", tokens.encode()
            yield f"sick/{part}/{side}.parents", ("\n".join(parents) + "\n").encode()
        likeness = rng.uniform(1, 5, count).round(1)
        yield f"sick/{part}/sim.txt", "\n".join(map(str, likeness)).encode()
    rows = [f"{word} " + " ".join(f"{x:.3f}" for x in rng.normal(size=20)) for word in known]
    yield "glove.txt", ("\n".join(rows) + "\n").encode()


def birds(rng: np.random.RandomState) -> Iterator[tuple[str, bytes]]:
    """Yield the lists of CUB-200-2011; many names are of the same picture."""
    names, labels, boxes = [], [], []
    for number in range(116):
        for take in range(2):
            line = len(names) + 1
            names.append(f"{line} {'test' if number >= 100 else number % 5}.{take}.jpg")
            labels.append(f"{line} {number + 1}")
            boxes.append(f"{line} 10.0 10.0 100.0 80.0")
    for name in ("test", *range(5)):
        for take in range(2):
            content = encoded(picture(rng, 110, 130), "JPEG")
            yield f"birds/images/{name}.{take}.jpg", content
    tables = {"images": names, "image_class_labels": labels, "bounding_boxes": boxes}
    for name, lines in tables.items():
        yield f"birds/{name}.txt", ("\n".join(lines) + "\n").encode()


def sounds(rng: np.random.RandomState) -> Iterator[tuple[str, bytes]]:
    """Yield tones of two pitches, and their labels."""
    lines = ["ID,Class"]
    for number in range(20):
        pitch = (300, 900)[number % 2]
        times = np.arange(11025) / 22050
        tone = np.sin(2 * np.pi * pitch * times) * 8000 + rng.normal(size=times.size) * 2000
        file = io.BytesIO()
        with wave.open(file, "wb") as sound:
            sound.setnchannels(1)
            sound.setsampwidth(2)
            sound.setframerate(22050)
            sound.writeframes(tone.astype("<i2").tobytes())
        folder = "train" if number < 16 else "test"
        if folder == "train":
            lines.append(f"{number},{('siren', 'drilling')[number % 2]}")
        yield f"sounds/{folder}/{number}.wav", file.getvalue()
    yield "sounds/train.csv", ("\n".join(lines) + "\n").encode()


def lips(rng: np.random.RandomState) -> Iterator[tuple[str, bytes]]:
    """Yield short films of lips, and which words are spoken when."""
    for number, speaker in enumerate(("s1", "s2", "s3", "s4", "s5", "s6")):
        for frame in range(12):
            yield f"lips/{speaker}/film{number}/{frame:02d}.png", encoded(picture(rng, 32, 64))
        words = f"0 1000 sil\n1000 5000 {('bin', 'lay')[number % 2]}\n5000 9000 at\n"
        yield f"align/film{number}.align", words.encode()


def digits(rng: np.random.RandomState) -> Iterator[tuple[str, bytes]]:
    """Yield flat digits, points of a curve, and outlines of things."""
    patterns = rng.rand(10, 784) > 0.7
    labels = np.arange(800) % 10
    values = (patterns[labels] * 200 + rng.randint(0, 56, (800, 784))).astype(np.uint8)
    file = io.BytesIO()
    np.savez(file, X=values[:600], Y=labels[:600], X_test=values[600:], Y_test=labels[600:])
    yield "mnist.npz", file.getvalue()
    for name, count in (("train", 20), ("test_whole", 50)):
        x = rng.uniform(-4, 4, count)
        rows = np.stack([x, x**3 / 10 + rng.normal(size=count)], axis=1)
        text = "\n".join(f"{a:.5f} {b:.5f}" for a, b in rows)
        yield f"curve/toy_data_{name}.txt", text.encode()
    file = io.BytesIO()
    savemat(file, {"X": patterns.repeat(2, axis=0).astype(np.uint8), "Y": np.arange(20)})
    yield "caltech101_silhouettes_28.mat", file.getvalue()


def hearts(rng: np.random.RandomState) -> Iterator[tuple[str, bytes]]:
    """Yield films of hearts as tables of numbers of one digit."""
    for part, count in (("train", 8), ("validate", 2)):
        text = np.full((count, 2 * 30 * 64 * 64), ord(","), np.uint8)
        text[:, ::2] = rng.randint(ord("0"), ord("9") + 1, (count, 30 * 64 * 64))
        text[:, -1] = ord("\n")
        yield f"hearts/{part}-64x64-data.csv", text.tobytes()
        rows = [f"{i + 1},{rng.randint(20, 200)},{rng.randint(100, 400)}" for i in range(count)]
        yield f"hearts/{part}-label.csv", ("\n".join(rows) + "\n").encode()
    ids = [f"{i}_{kind}" for i in (1, 2, 3) for kind in ("Diastole", "Systole")]
    lines = ["Id," + ",".join(f"P{i}" for i in range(600)), *ids]
    yield "hearts/data/sample_submission_validate.csv", ("\n".join(lines) + "\n").encode()


def objects(rng: np.random.RandomState) -> Iterator[tuple[str, bytes]]:
    """Yield pictures of rectangles, with their places: record files, VOC, and masks."""
    names = ("aeroplane", "bicycle", "bird")
    for part, count in (("train", 6), ("val", 4)):
        images, lines = [], []
        for number in range(count):
            pixels = picture(rng, 160, 192) // 2
            mask = np.zeros((160, 192), np.uint8)
            x, y, kind = rng.randint(4, 80), rng.randint(4, 60), rng.randint(3)
            pixels[y : y + 90, x : x + 100] = np.eye(3)[kind] * 255
            mask[y : y + 90, x : x + 100] = kind + 1
            place = [x / 192, y / 160, (x + 100) / 192, (y + 90) / 160]
            content = encoded(pixels, "JPEG")
            images.append((np.array([4, 6, 192, 160, kind, *place, 0], np.float32), content))
            name = f"{part}{number}"
            yield f"voc/VOC2007/JPEGImages/{name}.jpg", content
            corners = zip(("xmin", "ymin", "xmax", "ymax"), (x, y, x + 100, y + 90), strict=True)
            box = "".join(f"<{key}>{value}</{key}>" for key, value in corners)
            text = "<annotation><size><width>192</width><height>160</height></size><object>"
            text += f"<name>{names[kind]}</name><difficult>0</difficult><bndbox>{box}</bndbox>"
            text += "</object></annotation>"
            yield f"voc/VOC2007/Annotations/{name}.xml", text.encode()
            yield f"masks/{name}.jpg", encoded(pixels[:64, :72], "JPEG")
            yield f"masks/{name}.png", encoded(mask[:64, :72])
            lines.append(f"{number}\t{name}.jpg\t{name}.png")
        yield f"objects/{part}.rec", records(images)[0]
        yield f"masks/{part}.lst", ("\n".join(lines) + "\n").encode()
        chosen = {"train": "trainval", "val": "test"}[part]
        listed = "\n".join(f"{part}{number}" for number in range(count)) + "\n"
        yield f"voc/VOC2007/ImageSets/Main/{chosen}.txt", listed.encode()


def plankton(rng: np.random.RandomState) -> Iterator[tuple[str, bytes]]:
    """Yield record files of pictures of 121 classes."""
    for part, count in (("tr", 64), ("va", 32), ("test", 32)):
        images = [(rng.randint(121), encoded(picture(rng, 48, 48))) for _ in range(count)]
        yield f"plankton/{part}.rec", records(images)[0]
        if part == "test":
            lines = [f"{i}\t0\tdata/test/{i}.jpg" for i in range(count)]
            yield "plankton/test.lst", ("\n".join(lines) + "\n").encode()


def models(rng: np.random.RandomState) -> Iterator[tuple[str, bytes]]:
    """Yield files in the place of a model that is only downloaded, a picture, and classes."""
    yield "car.jpg", encoded(picture(rng, 240, 320), "JPEG")
    classes = {str(i): [f"n{i:08}", f"class {i}"] for i in range(1000)}
    yield "imagenet_class_index.json", json.dumps(classes).encode()
    for name in ("resnet-18-symbol.json", "resnet-18-0000.params"):
        yield name, rng.bytes(100)


#: A pole on a cart, as the package gym had it when the examples were written.
GYM = '''"""A stand-in for the package gym: a pole on a cart."""
import numpy as np


class Space:
    """What programs ask of the spaces of actions and of states."""

    n = 2
    shape = (4,)


class CartPole:
    """A pole that falls from a cart; each step that it stands is worth 1."""

    action_space = observation_space = Space()

    def seed(self, seed):
        """Seed the first states."""
        self.draw = np.random.RandomState(seed)

    def reset(self):
        """Return the first state of an episode."""
        self.state, self.steps = self.draw.uniform(-0.05, 0.05, 4), 0
        return self.state

    def step(self, action):
        """Push the cart to one side."""
        x, speed, angle, turn = self.state
        push = (10.0 if action == 1 else -10.0) + 0.05 * turn * turn * np.sin(angle)
        spin = (9.8 * np.sin(angle) - np.cos(angle) * push / 1.1) / (
            0.5 * (4 / 3 - 0.1 * np.cos(angle) ** 2 / 1.1)
        )
        rate = push / 1.1 - 0.05 * spin * np.cos(angle) / 1.1
        step = np.array([speed, rate, turn, spin])
        self.state, self.steps = self.state + 0.02 * step, self.steps + 1
        fell = abs(self.state[0]) > 2.4 or abs(self.state[2]) > 0.21
        return self.state, 1.0, bool(fell or self.steps >= 200), {}


class Breakout(CartPole):
    """The same, seen as a picture."""

    def picture(self):
        """Return what is seen."""
        pixels = np.zeros((84, 84, 3), np.uint8)
        place = int(42 + 15 * self.state[0])
        pixels[70:80, place - 5 : place + 5] = 200
        tip = int(place + 60 * np.sin(self.state[2]))
        pixels[10:20, tip - 3 : tip + 3] = 100
        return pixels

    def reset(self):
        """Return the first picture of an episode."""
        if not hasattr(self, "draw"):
            self.seed(1)
        super().reset()
        return self.picture()

    def step(self, action):
        """Push the cart to one side."""
        return (self.picture(), *super().step(action)[1:])


def make(name):
    """Return a game."""
    return Breakout() if "Breakout" in name else CartPole()
'''

#: The Arcade Learning Environment, with the same game.
ARCADE = '''"""A stand-in for the Arcade Learning Environment."""
import gym


class ALEInterface:
    """The game of the stand-in for gym."""

    def setInt(self, *ignored):
        """Do nothing."""

    setFloat = setBool = loadROM = setInt

    def reset_game(self):
        """Begin a game."""
        if not hasattr(self, "game"):
            self.game = gym.Breakout()
        self.screen, self.over = self.game.reset(), False

    def lives(self):
        """Return how many lives are left."""
        return 1

    def getMinimalActionSet(self):
        """Return the actions."""
        return [1, 2]

    def getScreenDims(self):
        """Return the width and the height of the screen."""
        return 84, 84

    def act(self, action):
        """Return the reward of an action."""
        if self.over or action == 0:
            return 0.0
        self.screen, reward, self.over, _ = self.game.step(action - 1)
        return reward

    def getScreenGrayscale(self, out):
        """Write the screen to `out`."""
        out[:] = self.screen[:, :, 0]

    def game_over(self):
        """Return whether the game is over."""
        return self.over
'''

#: Flask, without a server.
FLASK = '''"""A stand-in for the package flask, which serves nothing."""


class Flask:
    """A server that does not run."""

    def __init__(self, name):
        self.name = name

    def route(self, path):
        """Return a decorator that does nothing."""
        return lambda function: function

    def run(self, **options):
        """Do nothing."""


Response = render_template = None
'''

#: What the example of DDPG uses of rllab.
LOGGER = '''"""A stand-in for rllab.misc.logger."""


def log(text):
    """Print a line."""
    print(text)


def push_prefix(prefix):
    """Print the prefix."""
    print(prefix)


def record_tabular(name, value):
    """Print a value."""
    print(name, value)


def pop_prefix():
    """Do nothing."""


def dump_tabular(with_prefix=True):
    """Do nothing."""
'''
CARTPOLE = '''"""A stand-in for rllab's pole on a cart: a number is to be kept near 0."""
import numpy as np


class Space:
    """A space of vectors of one number."""

    flat_dim = 1
    low, high = -np.ones(1), np.ones(1)


class CartpoleEnv:
    """The number moves by the action."""

    observation_space = action_space = Space()

    @property
    def spec(self):
        """Return what the networks are made for."""
        return self

    def reset(self):
        """Return the first number of an episode."""
        self.state = np.random.uniform(-1, 1, 1)
        return self.state

    def step(self, action):
        """Add the action to the number."""
        self.state = self.state + 0.1 * np.asarray(action).reshape(1)
        return self.state, -float(abs(self.state[0])), bool(abs(self.state[0]) > 2), {}
'''


def games(rng: np.random.RandomState) -> Iterator[tuple[str, bytes]]:
    """Yield the stand-ins for packages with games."""
    yield "gym.py", GYM.encode()
    yield "ale_python_interface.py", ARCADE.encode()
    yield "flask.py", FLASK.encode()
    yield "pyprind.py", b'"""A stand-in for pyprind."""\n\nprog_bar = iter\n'
    yield "rllab/misc/logger.py", LOGGER.encode()
    yield "rllab/envs/box2d/cartpole_env.py", CARTPOLE.encode()
    normalized = "def normalize(env):\n    return env\n"
    yield "rllab/envs/normalized_env.py", normalized.encode()


MAKERS = [photographs, word_lists, houses, parsed_sentences, birds, sounds, lips, digits, hearts]
MAKERS += [objects, plankton, models, games]
