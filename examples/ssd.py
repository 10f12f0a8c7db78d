"""Train a single-shot detector on made-up pictures of discs, squares and triangles.

    python examples/ssd.py
    python examples/ssd.py --steps 600 --picture boxes.png

It prints the mean average precision on pictures that training did not see, and --picture saves
some of them with the boxes that it finds (`pip install matplotlib`).
"""

import argparse
from typing import Any

import numpy as np
from tqdm import tqdm

import opforge
from opforge import autograd, gluon, nd
from opforge.gluon import nn

SIZE = 64
CLASSES = ("disc", "square", "triangle")
MOST_OBJECTS = 3
#: Sizes of the anchors on each feature map, in parts of the picture.
ANCHORS = ((0.2, 0.28), (0.37, 0.45))
RATIOS = (1.0, 1.6, 0.625)


def main() -> None:
    """Run the example from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--picture", metavar="FILE", help="some pictures with what is found")
    args = parser.parse_args()

    opforge.random.seed(0)
    rng = np.random.default_rng(0)
    net = Detector()
    net.initialize(opforge.init.Xavier())
    net.hybridize()
    train(net, rng, args.steps, args.batch)
    pictures, labels = made_up(np.random.default_rng(1), 256)
    found = detect(net, pictures)
    print(f"mean average precision: {mean_average_precision(found, labels):.4f}")
    if args.picture:
        save_picture(pictures, found, args.picture)


def made_up(rng: np.random.Generator, count: int) -> tuple[Any, Any]:
    """Return pictures (count, 3, SIZE, SIZE) and labels (count, objects, 5): class and corners."""
    pictures = rng.normal(0, 0.1, (count, 3, SIZE, SIZE)).astype("float32")
    labels = np.full((count, MOST_OBJECTS, 5), -1, "float32")
    for picture, label in zip(pictures, labels, strict=True):
        for row in label[: rng.integers(1, MOST_OBJECTS + 1)]:
            side = rng.integers(12, 29)
            left, top = rng.integers(0, SIZE - side, 2)
            kind = rng.integers(len(CLASSES))
            picture[:, top : top + side, left : left + side][:, shape(kind, side)] = (
                rng.choice([-1, 1], 3) * rng.uniform(0.5, 1, 3)
            )[:, np.newaxis]
            row[:] = (kind, *np.array([left, top, left + side, top + side]) / SIZE)
    return pictures, labels


def shape(kind: int, side: int) -> Any:
    """Return which pixels of a square belong to a shape."""
    y, x = (np.mgrid[:side, :side] + 0.5) / side - 0.5
    return (x**2 + y**2 < 0.25, np.ones((side, side), bool), np.abs(x) < (y + 0.5) / 2)[kind]


class Detector(nn.HybridBlock):
    """A small backbone with two feature maps, on each of which anchors are classified and moved."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.stem = self._stage(16, 32)
            self.stages = [self._stage(48), self._stage(64)]
            count = len(ANCHORS[0]) + len(RATIOS) - 1
            self.classes = [nn.Conv2D(count * (len(CLASSES) + 1), 3, padding=1) for _ in ANCHORS]
            self.moves = [nn.Conv2D(count * 4, 3, padding=1) for _ in ANCHORS]
            for block in (*self.stages, *self.classes, *self.moves):
                self.register_child(block)

    def _stage(self, *channels: int) -> nn.HybridSequential:
        stage = nn.HybridSequential()
        for number in channels:
            stage.add(nn.Conv2D(number, 3, padding=1), nn.BatchNorm(), nn.Activation("relu"))
            stage.add(nn.MaxPool2D(2, 2))
        return stage

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return anchors, scores (batch, classes, anchors) and moves (batch, 4 * anchors)."""
        anchors, scores, moves = [], [], []
        x = self.stem(x)
        for stage, sizes, classes, move in zip(
            self.stages, ANCHORS, self.classes, self.moves, strict=True
        ):
            x = stage(x)
            anchors.append(F.contrib.MultiBoxPrior(x, sizes=sizes, ratios=RATIOS))
            rows = F.transpose(classes(x), axes=(0, 2, 3, 1))
            scores.append(F.reshape(rows, shape=(0, -1, len(CLASSES) + 1)))
            moves.append(F.flatten(F.transpose(move(x), axes=(0, 2, 3, 1))))
        scores = F.transpose(F.concat(*scores, dim=1), axes=(0, 2, 1))
        return F.concat(*anchors, dim=1), scores, F.concat(*moves, dim=1)


def train(net: Detector, rng: np.random.Generator, steps: int, batch: int) -> None:
    """Fit `net` on new pictures at each step."""
    class_loss = gluon.loss.SoftmaxCrossEntropyLoss(axis=1)
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 2e-3})
    for step in (progress := tqdm(range(steps), unit="batch")):
        if step == steps * 3 // 4:
            trainer.set_learning_rate(5e-4)
        pictures, labels = made_up(rng, batch)
        with autograd.record():
            anchors, scores, moves = net(nd.array(pictures))
            with autograd.pause():
                targets, mask, classes = nd.contrib.MultiBoxTarget(
                    anchors, nd.array(labels), scores, negative_mining_ratio=3
                )
            used = nd.expand_dims(classes >= 0, axis=1)
            named = class_loss(scores, nd.maximum(classes, 0), used) * classes.shape[1]
            placed = nd.smooth_l1((moves - targets) * mask, scalar=1).sum(axis=1)
            loss = (named + placed).sum() / (mask.sum() / 4 + 1)
        loss.backward()
        trainer.step(1)
        if step % 10 == 0:
            progress.set_postfix(loss=f"{loss.asscalar():.3f}")


def detect(net: Detector, pictures: Any) -> Any:
    """Return rows (class, score and corners) of each picture; the class of others is -1."""
    anchors, scores, moves = net(nd.array(pictures))
    found = nd.contrib.MultiBoxDetection(
        nd.softmax(scores, axis=1), moves, anchors, nms_threshold=0.45, nms_topk=100
    )
    return found.asnumpy()


def overlaps(box: Any, boxes: Any) -> Any:
    """Return intersection over union."""
    return nd.contrib.box_iou(nd.array(box[np.newaxis]), nd.array(boxes)).asnumpy()[0]


def mean_average_precision(found: Any, labels: Any) -> float:
    """Return the mean over classes of PASCAL VOC 2007's measure: precisions at eleven recalls."""
    return float(np.mean([average_precision(found, labels, kind) for kind in range(len(CLASSES))]))


def average_precision(found: Any, labels: Any, kind: int) -> float:
    """Return that of a class; a box is right if it is the first one on an object."""
    hits, count = [], 0
    for rows, label in zip(found, labels, strict=True):
        objects, boxes = label[label[:, 0] == kind, 1:], rows[rows[:, 0] == kind]
        taken = np.zeros(len(objects), bool)
        count += len(objects)
        for row in boxes[np.argsort(-boxes[:, 1], kind="stable")]:
            shares = overlaps(row[2:], objects) if len(objects) else np.zeros(1)
            best = int(shares.argmax())
            is_right = shares[best] >= 0.5 and not taken[best]
            hits.append((row[1], is_right))
            if is_right:
                taken[best] = True
    right = np.array([hit for _, hit in sorted(hits, key=lambda hit: -hit[0])], float)
    recall = right.cumsum() / count
    precision = right.cumsum() / np.arange(1, len(right) + 1)
    levels = [precision[recall >= level] for level in np.linspace(0, 1, 11)]
    return float(np.mean([level.max() if level.size else 0.0 for level in levels]))


def save_picture(pictures: Any, found: Any, path: str) -> None:
    """Save twelve pictures with the boxes whose scores are above 0.3."""
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(2, 6, figsize=(12, 4.4))
    for picture, rows, axis in zip(pictures, found, axes.flat, strict=False):
        axis.imshow(np.clip(picture.transpose(1, 2, 0) / 2.2 + 0.5, 0, 1))
        axis.axis("off")
        for kind, score, left, top, right, bottom in rows[(rows[:, 0] >= 0) & (rows[:, 1] > 0.3)]:
            corner, sides = (left * SIZE - 0.5, top * SIZE - 0.5), (right - left, bottom - top)
            width, height = (side * SIZE for side in sides)
            axis.add_patch(plt.Rectangle(corner, width, height, fill=False, color="white", lw=2))
            axis.text(*corner, f"{CLASSES[int(kind)]} {score:.2f}", fontsize=8, va="bottom")
    figure.tight_layout()
    figure.savefig(path, dpi=60)


if __name__ == "__main__":
    main()
