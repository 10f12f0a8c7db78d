"""The mean average precision of ``examples/ssd.py`` and GluonCV's, of the same boxes."""

import importlib
import sys

import numpy as np

from .gluoncv_tasks import stand_in


def run(mx, request, folder):
    """Return both values for boxes near the objects of generated images, or elsewhere."""
    metrics = stand_in(request["root"], "gluoncv.utils.metrics")
    sys.path.insert(0, request["examples"])
    example = importlib.import_module("ssd")
    numbers = np.random.default_rng(4)
    _, labels = example.synthesize(numbers, 40)
    found = np.stack([near(numbers, label, example.CLASSES) for label in labels])
    metric = metrics.voc_detection.VOC07MApMetric(0.5, example.CLASSES)
    for rows, label in zip(found, labels, strict=True):
        true = label[label[:, 0] >= 0]
        # It adds a pixel on the right and the lower side.
        arrays = rows[:, 2:] * 1e6, rows[:, :1], rows[:, 1:2], true[:, 1:] * 1e6, true[:, :1]
        metric.update(*([mx.nd.array(array[None])] for array in arrays))
    return [example.mean_average_precision(found, labels), metric.get()[1][-1]]


def near(numbers, label, classes):
    """Return rows of class, score and corners: twice as many as an image may have objects."""
    rows = np.concatenate([label, label])
    wrong = numbers.random(len(rows)) < 0.2
    kinds = np.where(wrong, numbers.integers(0, len(classes), len(rows)), rows[:, 0])
    corners = rows[:, 1:] + numbers.normal(0, 0.02, (len(rows), 4))
    return np.concatenate([kinds[:, None], numbers.random((len(rows), 1)), corners], 1)
