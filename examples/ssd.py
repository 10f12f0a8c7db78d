"""Train a single-shot detector on synthetic images of discs, squares and triangles.

    python examples/ssd.py
    python examples/ssd.py --steps 600 --plot boxes.png

It prints the mean average precision on images not seen in training; --plot saves some of them with
the detected boxes (`pip install matplotlib`).
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
MAX_OBJECTS = 3
#: Sizes of the anchors on each feature map, relative to the image.
ANCHORS = ((0.2, 0.28), (0.37, 0.45))
RATIOS = (1.0, 1.6, 0.625)


def main() -> None:
    """Run the example from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--plot", metavar="FILE", help="image file for a plot of detections")
    args = parser.parse_args()

    opforge.random.seed(0)
    rng = np.random.default_rng(0)
    net = Detector()
    net.initialize(opforge.init.Xavier())
    net.hybridize()
    train(net, rng, args.steps, args.batch)
    images, labels = synthesize(np.random.default_rng(1), 256)
    detections = detect(net, images)
    print(f"mean average precision: {mean_average_precision(detections, labels):.4f}")
    if args.plot:
        plot(images, detections, args.plot)


def synthesize(rng: np.random.Generator, count: int) -> tuple[Any, Any]:
    """Return images (count, 3, SIZE, SIZE) and labels (count, objects, 5): class and corners."""
    images = rng.normal(0, 0.1, (count, 3, SIZE, SIZE)).astype("float32")
    labels = np.full((count, MAX_OBJECTS, 5), -1, "float32")
    for image, label in zip(images, labels, strict=True):
        for row in label[: rng.integers(1, MAX_OBJECTS + 1)]:
            side = rng.integers(12, 29)
            left, top = rng.integers(0, SIZE - side, 2)
            kind = rng.integers(len(CLASSES))
            image[:, top : top + side, left : left + side][:, shape(kind, side)] = (
                rng.choice([-1, 1], 3) * rng.uniform(0.5, 1, 3)
            )[:, np.newaxis]
            row[:] = (kind, *np.array([left, top, left + side, top + side]) / SIZE)
    return images, labels


def shape(kind: int, side: int) -> Any:
    """Return a mask of the pixels of a square that belong to a shape."""
    y, x = (np.mgrid[:side, :side] + 0.5) / side - 0.5
    return (x**2 + y**2 < 0.25, np.ones((side, side), bool), np.abs(x) < (y + 0.5) / 2)[kind]


class Detector(nn.HybridBlock):
    """Small backbone with two feature maps, each with heads for classes and box offsets."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.stem = self._stage(16, 32)
            self.stages = [self._stage(48), self._stage(64)]
            count = len(ANCHORS[0]) + len(RATIOS) - 1
            self.classes = [nn.Conv2D(count * (len(CLASSES) + 1), 3, padding=1) for _ in ANCHORS]
            self.offsets = [nn.Conv2D(count * 4, 3, padding=1) for _ in ANCHORS]
            for block in (*self.stages, *self.classes, *self.offsets):
                self.register_child(block)

    def _stage(self, *channels: int) -> nn.HybridSequential:
        stage = nn.HybridSequential()
        for number in channels:
            stage.add(nn.Conv2D(number, 3, padding=1), nn.BatchNorm(), nn.Activation("relu"))
            stage.add(nn.MaxPool2D(2, 2))
        return stage

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return anchors, scores (batch, classes, anchors) and offsets (batch, 4 * anchors)."""
        anchors, scores, offsets = [], [], []
        x = self.stem(x)
        for stage, sizes, classes, offset in zip(
            self.stages, ANCHORS, self.classes, self.offsets, strict=True
        ):
            x = stage(x)
            anchors.append(F.contrib.MultiBoxPrior(x, sizes=sizes, ratios=RATIOS))
            rows = F.transpose(classes(x), axes=(0, 2, 3, 1))
            scores.append(F.reshape(rows, shape=(0, -1, len(CLASSES) + 1)))
            offsets.append(F.flatten(F.transpose(offset(x), axes=(0, 2, 3, 1))))
        scores = F.transpose(F.concat(*scores, dim=1), axes=(0, 2, 1))
        return F.concat(*anchors, dim=1), scores, F.concat(*offsets, dim=1)


def train(net: Detector, rng: np.random.Generator, steps: int, batch: int) -> None:
    """Fit `net` on new images at each step."""
    class_loss = gluon.loss.SoftmaxCrossEntropyLoss(axis=1)
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 2e-3})
    for step in (progress := tqdm(range(steps), unit="batch")):
        if step == steps * 3 // 4:
            trainer.set_learning_rate(5e-4)
        images, labels = synthesize(rng, batch)
        with autograd.record():
            anchors, scores, offsets = net(nd.array(images))
            with autograd.pause():
                targets, mask, classes = nd.contrib.MultiBoxTarget(
                    anchors, nd.array(labels), scores, negative_mining_ratio=3
                )
            valid = nd.expand_dims(classes >= 0, axis=1)
            classification = class_loss(scores, nd.maximum(classes, 0), valid) * classes.shape[1]
            localization = nd.smooth_l1((offsets - targets) * mask, scalar=1).sum(axis=1)
            loss = (classification + localization).sum() / (mask.sum() / 4 + 1)
        loss.backward()
        trainer.step(1)
        if step % 10 == 0:
            progress.set_postfix(loss=f"{loss.asscalar():.3f}")


def detect(net: Detector, images: Any) -> Any:
    """Return rows (class, score and corners) for each image; the class of invalid rows is -1."""
    anchors, scores, offsets = net(nd.array(images))
    detections = nd.contrib.MultiBoxDetection(
        nd.softmax(scores, axis=1), offsets, anchors, nms_threshold=0.45, nms_topk=100
    )
    return detections.asnumpy()


def overlaps(box: Any, boxes: Any) -> Any:
    """Return the intersection over union of a box with others."""
    return nd.contrib.box_iou(nd.array(box[np.newaxis]), nd.array(boxes)).asnumpy()[0]


def mean_average_precision(detections: Any, labels: Any) -> float:
    """Return the mean of the average precisions of all classes."""
    return float(
        np.mean([average_precision(detections, labels, kind) for kind in range(len(CLASSES))])
    )


def average_precision(detections: Any, labels: Any, kind: int) -> float:
    """Return the 11-point average precision of a class, as in PASCAL VOC 2007.

    A detection is correct if it is the first one that overlaps an object by 0.5 or more.
    """
    hits, count = [], 0
    for rows, label in zip(detections, labels, strict=True):
        objects, boxes = label[label[:, 0] == kind, 1:], rows[rows[:, 0] == kind]
        matched = np.zeros(len(objects), bool)
        count += len(objects)
        for row in boxes[np.argsort(-boxes[:, 1], kind="stable")]:
            shares = overlaps(row[2:], objects) if len(objects) else np.zeros(1)
            best = int(shares.argmax())
            is_correct = shares[best] >= 0.5 and not matched[best]
            hits.append((row[1], is_correct))
            if is_correct:
                matched[best] = True
    correct = np.array([hit for _, hit in sorted(hits, key=lambda hit: -hit[0])], float)
    recall = correct.cumsum() / count
    precision = correct.cumsum() / np.arange(1, len(correct) + 1)
    levels = [precision[recall >= level] for level in np.linspace(0, 1, 11)]
    return float(np.mean([level.max() if level.size else 0.0 for level in levels]))


def plot(images: Any, detections: Any, path: str) -> None:
    """Save a plot of twelve images with the boxes whose scores are above 0.3."""
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(2, 6, figsize=(12, 4.4))
    for image, rows, axis in zip(images, detections, axes.flat, strict=False):
        axis.imshow(np.clip(image.transpose(1, 2, 0) / 2.2 + 0.5, 0, 1))
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
