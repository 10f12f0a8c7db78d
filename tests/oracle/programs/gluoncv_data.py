"""GluonCV's transforms of images with boxes or joints, and its metrics, on the same numbers."""

import importlib
import os
import random

import numpy as np

from .gluoncv_tasks import stand_in
from .ways import flat

#: Iterations of each random transform.
TURNS = 6


def run(mx, request, folder):
    """Write the results of each transform and metric to MODE.npz; return the arrays' names."""
    transforms = stand_in(request["root"], "gluoncv.data.transforms")
    metrics = stand_in(request["root"], "gluoncv.utils.metrics")
    importlib.import_module("gluoncv.utils.metrics.rcnn")
    found = {**transformed(mx, transforms.presets), **measured(mx, metrics)}
    np.savez(os.path.join(folder, request["way"] + ".npz"), **found)
    return list(found)


def picture(mx):
    """Return a smooth image with edges: with noise, only the resizing would be tested."""
    y, x = np.mgrid[:120, :160]
    waves = [127 + 120 * np.sin(x / a) * np.cos(y / b) for a, b in ((9, 14), (23, 8), (40, 31))]
    return mx.nd.array(np.stack(waves, -1) * (1 - 0.4 * ((x // 40 + y // 30) % 2))[..., None])


def boxes():
    return np.array([[10, 12, 60, 80, 3], [50, 30, 150, 110, 7], [90, 5, 120, 40, 3]], "float32")


def transformed(mx, presets):
    """Return images and labels of the presets, which draw from Python's and NumPy's streams."""
    source = picture(mx).astype("uint8")
    ssd, yolo, rcnn = presets.ssd, presets.yolo, presets.rcnn
    calls = {
        "ssd train": ssd.SSDDefaultTrainTransform(96, 80),
        "ssd": ssd.SSDDefaultValTransform(96, 80),
        "yolo train": yolo.YOLO3DefaultTrainTransform(96, 80),
        "yolo": yolo.YOLO3DefaultValTransform(96, 80),
        "rcnn train": rcnn.FasterRCNNDefaultTrainTransform(100, 140),
        "rcnn": rcnn.FasterRCNNDefaultValTransform(100, 140),
    }
    found = {}
    for name, transform in calls.items():
        for turn in range(TURNS if "train" in name else 1):
            random.seed(turn)
            np.random.seed(turn)
            found.update(listed(f"{name} {turn}", transform(source, boxes())))
    for name, preset in {"ssd": ssd, "yolo": yolo, "rcnn": rcnn}.items():
        found.update(listed(name + " test", preset.transform_test(source, 90)))
    found.update(listed("segmentation", presets.segmentation.test_transform(source, mx.cpu())))
    return {**found, **posed(presets.simple_pose, source)}


def posed(preset, source):
    """Return the components of poses, if OpenCV is installed."""
    try:
        import cv2  # noqa: F401
    except ImportError:
        return {}
    size = {"num_joints": 4, "joint_pairs": [[0, 1]], "image_size": (64, 48)}
    train = preset.SimplePoseDefaultTrainTransform(heatmap_size=(16, 12), **size)
    joints = np.zeros((4, 3, 2), "float32")
    joints[:, :2, 0] = [[30, 40], [100, 50], [60, 90], [80, 20]]
    joints[:3, :2, 1] = 1
    found = {}
    for turn in range(TURNS):
        random.seed(turn)
        np.random.seed(turn)
        label = {"bbox": [10, 12, 110, 100], "joints_3d": joints.copy()}
        found.update(listed(f"pose train {turn}", train(source, label, "path")[:3]))
    test = preset.SimplePoseDefaultValTransform(**size)
    label = {"bbox": [10, 12, 110, 100], "joints_3d": joints, "center": None, "score": 1}
    return {**found, **listed("pose", test(source, label, "path")[0])}


def measured(mx, metrics):
    """Return the values of the metrics after two batches."""
    numbers = np.random.RandomState(3)

    def uniform(*shape):
        return mx.nd.array(numbers.rand(*shape))

    def whole(high, *shape, low=0):
        return mx.nd.array(numbers.randint(low, high, shape))

    def detections():
        truth = boxes()
        near = np.concatenate([truth[:, :4], truth[:, :4] + 6, truth[:, :4] * 0.7])[None]
        kinds = np.tile(truth[:, 4], 3)[None, :, None]
        wanted = [mx.nd.array(truth[None, :, :4]), mx.nd.array(truth[None, :, 4:])]
        return [mx.nd.array(near), mx.nd.array(kinds), uniform(1, 9, 1), *wanted]

    def joints():
        maps = uniform(2, 4, 16, 12)
        return [maps], [maps + uniform(2, 4, 16, 12) * 0.2]

    def regions():
        scores = [whole(2, 2, 30, 1, low=-1), mx.nd.ones((2, 30, 1))]
        return scores, [uniform(2, 30, 1) * 2 - 1]

    def offsets():
        return [uniform(2, 30, 4), whole(2, 2, 30, 4)], [uniform(2, 30, 4) * 2]

    def classes():
        return [whole(5, 2, 20, low=-1)], [uniform(2, 20, 5)]

    def pixels():
        return [whole(5, 2, 9, 8, low=-1)], [uniform(2, 5, 9, 8)]

    names = [str(at) for at in range(8)]
    table = {
        "voc": (metrics.voc_detection.VOCMApMetric(0.5, names), detections),
        "voc 2007": (metrics.voc_detection.VOC07MApMetric(0.5, names), detections),
        "segmentation": (metrics.segmentation.SegmentationMetric(5), pixels),
        "heatmaps": (metrics.heatmap_accuracy.HeatmapAccuracy(), joints),
        "regions": (metrics.rcnn.RPNAccMetric(), regions),
        "region offsets": (metrics.rcnn.RPNL1LossMetric(), offsets),
        "classes": (metrics.rcnn.RCNNAccMetric(), classes),
        "offsets": (metrics.rcnn.RCNNL1LossMetric(), offsets),
    }
    found = {}
    for name, (metric, batch) in table.items():
        for _ in range(2):
            metric.update(*batch())
        # GluonCV's segmentation returns values only.
        found["metric " + name] = np.array(metric.get()[-1], "float64")
    return found


def listed(name, results):
    """Return the arrays of a result as NumPy's, by name and number."""
    arrays = [a.asnumpy() if hasattr(a, "asnumpy") else np.asarray(a) for a in flat(list(results))]
    return {f"{name} {at}": array for at, array in enumerate(arrays)}
