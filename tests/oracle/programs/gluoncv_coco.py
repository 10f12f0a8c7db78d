"""GluonCV's COCO data sets and metrics, on a folder that the test creates."""

import importlib
import os

import numpy as np

from .gluoncv_tasks import stand_in


def run(mx, request, folder):
    """Return the contents of the data sets and the values of the metrics, by name."""
    data = stand_in(request["root"], "gluoncv.data.mscoco")
    for name in ("detection", "instance", "keypoints"):
        importlib.import_module("gluoncv.data.mscoco." + name)
    metrics = stand_in(request["root"], "gluoncv.utils.metrics")
    importlib.import_module("gluoncv.utils.metrics.coco_instance")
    root = os.path.join(folder, "coco")
    boxes = of_classes(data.detection.COCODetection, request)(root, "instances_made")
    shapes = of_classes(data.instance.COCOInstance, request)(root, "instances_made")
    poses = data.keypoints.COCOKeyPoints(root, "person_keypoints_made")
    return {
        "pictures": [sum_of(boxes[at][0]) for at in range(len(boxes))],
        "boxes": [np.asarray(boxes[at][1]).tolist() for at in range(len(boxes))],
        "shapes": [len(shapes[at][2]) for at in range(len(shapes))],
        "joints": [sum_of(poses[at][1]["joints_3d"]) for at in range(len(poses))],
        "found boxes": found_boxes(mx, metrics.coco_detection, boxes, folder),
        "found shapes": found_shapes(mx, metrics.coco_instance, shapes, folder),
        "found joints": found_joints(mx, metrics.coco_keypoints, poses, folder),
    }


def of_classes(data_set, request):
    """Return a data set of fewer classes than COCO has."""
    return type(data_set.__name__, (data_set,), {"CLASSES": request["classes"]})


def sum_of(array):
    return float(np.float64(array.asnumpy() if hasattr(array, "asnumpy") else array).sum())


def found_boxes(mx, module, data, folder):
    """Return results of a detector that finds boxes next to objects, and some false positives."""
    metric = module.COCODetectionMetric(data, os.path.join(folder, "boxes"), use_time=False)
    numbers = np.random.RandomState(5)
    for at in range(len(data)):
        true = np.asarray(data[at][1], "float64")
        rows = np.concatenate([true, true + [3, -2, 4, 1, 0], true[:1] * 0.5])
        near = rows[:, :4] + numbers.uniform(-2, 2, rows[:, :4].shape)
        scores, kinds = numbers.rand(len(rows), 1), rows[:, 4:]
        heads = mx.nd.array(np.concatenate([kinds, scores, near], 1)[None])
        kept = mx.nd.contrib.box_nms(heads, overlap_thresh=0.7, id_index=0)
        metric.update(kept[:, :, 2:], kept[:, :, :1], kept[:, :, 1:2])
    names, values = metric.get()
    return [names, values, metric._coco_eval.stats.tolist()]


def found_shapes(mx, module, data, folder):
    """Return results of a network whose masks are discs about as large as the objects."""
    metric = module.COCOInstanceMetric(data, os.path.join(folder, "shapes"), use_time=False)
    numbers = np.random.RandomState(6)
    for at in range(len(data)):
        picture, true, _ = data[at]
        near = mx.nd.array(true[:, :4] + numbers.uniform(-2, 2, true[:, :4].shape))
        scores = mx.nd.array(numbers.rand(len(true), 1))
        metric.update(near, mx.nd.array(true[:, 4:]), scores, discs(mx, near, picture.shape[:2]))
    return metric.get()


def discs(mx, boxes, size):
    """Return an image-sized mask for each box: the ellipse within it."""
    left, top, right, bottom = boxes.expand_dims(2).split(4, axis=1)
    height, width = size
    x = mx.nd.arange(width).reshape((1, 1, width))
    y = mx.nd.arange(height).reshape((1, height, 1))
    across = mx.nd.broadcast_div(2 * mx.nd.broadcast_sub(x, left) - (right - left), right - left)
    down = mx.nd.broadcast_div(2 * mx.nd.broadcast_sub(y, top) - (bottom - top), bottom - top)
    return mx.nd.broadcast_add(across**2, down**2) < 1


def found_joints(mx, module, data, folder):
    """Return results of a network that finds joints near those of persons."""
    metric = module.COCOKeyPointsMetric(data, os.path.join(folder, "joints"), use_time=False)
    numbers = np.random.RandomState(7)
    for at in range(len(data)):
        _, label, picture = data[at]
        near = label["joints_3d"][:, :2, 0] + numbers.normal(0, 3, (17, 2))
        confidence, score = numbers.rand(1, 17, 1), numbers.rand(1)
        arrays = [mx.nd.array(array) for array in (near[None], confidence)]
        # In NumPy 2, a number times a float32 is a float32, which json does not write.
        arrays.append(mx.nd.array(score, dtype="float64"))
        metric.update(*arrays, mx.nd.array([picture]))
    values, _ = metric.get()
    return {name: float(value) for name, value in values.items()}
