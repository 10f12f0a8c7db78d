"""A network of GluonCV that finds boxes, masks, classes of pixels or joints: targets, loss, a step.

GluonCV is imported except for its first module; modules that it imports and that are not called
here are replaced by stubs if they are missing.
"""

import functools
import importlib
import os
import sys
import types
import unittest.mock

import numpy as np

from .ways import START, each_way, gradients, keep_all, named

#: Modules that GluonCV imports and that are not called here.
ABSENT = ["tqdm", "PIL", "PIL.Image", "portalocker", "yacs", "yacs.config"]
BOXES, LABELS = [[[20, 30, 80, 90], [10, 10, 50, 60]]], [[[3], [7]]]


def run(mx, request, folder):
    """Write the results of each requested mode to MODE.npz; return parameters' names."""
    zoo = stand_in(request["root"], "gluoncv.model_zoo")
    task, dtype = TASKS[request["task"]]

    def build():
        np.random.seed(1)
        net, x, prepare = task(mx, zoo)
        keep_all(mx, net)
        return net, x, prepare

    def look(net, x, prepare):
        return seen(mx, net, x, prepare, os.path.join(folder, START), dtype)

    return each_way(mx, request, folder, build, lambda net, x, _: draw(mx, net, x), look)


def stand_in(root, wanted):
    """Import and return a module of GluonCV."""
    for name in ABSENT:
        try:
            importlib.import_module(name)
        except ImportError:
            sys.modules[name] = unittest.mock.MagicMock()
    package = sys.modules["gluoncv"] = types.ModuleType("gluoncv")
    package.__path__, package.__version__ = [root], "0.10.5"
    return importlib.import_module(wanted)


def seen(mx, net, x, prepare, start, dtype):
    """Return arrays by name: results; targets, losses and gradients of a step; results after it.

    Preparing for training may update moving averages, which are read again.
    """
    found = named("result", net(x))
    targets, losses_of = prepare(net, x)
    net.load_parameters(start)
    net.cast(dtype)
    x = x.astype(dtype)
    x.attach_grad()  # MXNet's batch norms update their moving averages when they get a gradient
    with mx.autograd.record():
        losses = losses_of(net, x)
    mx.autograd.backward(losses)
    found.update({**named("target", targets), **named("loss", losses)})
    found["gradient of the images"] = x.grad
    found.update(gradients(net._collect_params_with_prefix()))
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 2**-16})
    trainer.step(1, ignore_stale_grad=True)
    net.cast("float32")
    return {**found, **named("after", net(x.astype("float32")))}


def draw(mx, net, x):
    """Give `net` parameters whose results have about the size of their inputs.

    Those that score and move regions are smaller: the order of probabilities of 1 is undefined.
    """
    net.initialize()
    net(x)
    numbers = np.random.RandomState(2)
    for name, param in net._collect_params_with_prefix().items():
        if "anchor" in name or "offset" in name:
            continue
        if len(param.shape) > 1:
            size = (1.5 / np.prod(param.shape[1:])) ** 0.5
            size *= 0.2 if name.startswith(("rpn", "box")) else 1
            param.set_data(mx.nd.array(numbers.normal(0, size, param.shape)))
        elif name.endswith(("gamma", "var")):
            param.set_data(mx.nd.ones(param.shape))


def pictures(mx, *shape):
    return mx.nd.array(np.random.RandomState(0).rand(*shape))


def truth(mx):
    """Return boxes of two objects in an image, and their classes."""
    return mx.nd.array(BOXES), mx.nd.array(LABELS)


def ssd(builder, size):
    def build(mx, zoo):
        loss = importlib.import_module("gluoncv.loss").SSDMultiBoxLoss()
        target = importlib.import_module("gluoncv.model_zoo.ssd.target").SSDTargetGenerator()

        def prepare(net, x):
            with mx.autograd.train_mode():
                scores, _, anchors = net(x)
            boxes, labels = truth(mx)
            targets = target(anchors, scores, boxes / size, labels)

            def losses(net, x):
                scores, offsets, _ = net(x)
                scores, offsets = scores.astype("float32"), offsets.astype("float32")
                return loss(scores, offsets, targets[0], targets[1])[0]

            return targets, losses

        return bare(zoo, builder), pictures(mx, 1, 3, size, size), prepare

    return build


def bare(zoo, builder, **keywords):
    """Return a network of the zoo without the weights that it would download."""
    return getattr(zoo, builder)(pretrained=False, pretrained_base=False, **keywords)


def yolo(mx, zoo):
    generator = importlib.import_module("gluoncv.model_zoo.yolo.yolo_target")
    freeze = importlib.import_module("gluoncv.utils").freeze_bn

    def prepare(net, x):
        with mx.autograd.train_mode():
            _, anchors, offsets, maps, _, _, _, _ = net(x)
        boxes, labels = truth(mx)
        generate = generator.YOLOV3PrefetchTargetGenerator(num_class=len(net.classes))
        targets = generate(x, maps, anchors, offsets, boxes, labels, None)
        freeze(net, True)
        return targets, lambda net, x: [part.sum() for part in net(x, boxes, *targets)]

    return bare(zoo, "yolo3_mobilenet1_0_voc"), pictures(mx, 1, 3, 128, 128), prepare


def regions(builder, masks=False, **keywords):
    """Return a function that builds a two-stage network."""

    def build(mx, zoo):
        settle(mx)
        target = importlib.import_module("gluoncv.model_zoo.rcnn.rpn.rpn_target")

        def prepare(net, x):
            boxes, labels = truth(mx)
            anchors = np.concatenate([a.asnumpy().reshape(-1, 4) for a in anchors_of(mx, net, x)])
            height, width = x.shape[2:]
            found = target.RPNTargetGenerator()(boxes[0], mx.nd.array(anchors), width, height)
            targets = [mx.nd.array(part).expand_dims(0) for part in found]

            def losses(net, x):
                return region_losses(mx, net, x, boxes, labels, targets, masks)

            return targets, losses

        net = bare(zoo, builder, **keywords)
        # The more regions there are, the more of their scores are equal up to rounding.
        net._num_sample = net.sampler._num_sample = net.sampler._max_pos + 20
        net.rpn._train_post_nms = net._num_sample
        net.rpn._test_post_nms = net._rpn_test_post_nms = 12
        return net, pictures(mx, 1, 3, 96, 128), prepare

    return build


def settle(mx):
    """Fix random draws, sort order and unwritten memory, which MXNet leaves undefined."""
    for space in (mx.nd, mx.sym):
        space.random.uniform = functools.partial(formulated, space)
        space.argsort = functools.partial(sorted_stably, space, space.argsort)
        space.contrib.ROIAlign = functools.partial(aligned, space, space.contrib.ROIAlign)


def formulated(space, low, high, shape):
    """Return pseudo-random numbers, since each framework would draw different ones."""
    return space.abs(space.sin(space.arange(1, shape[0] + 1) * 12.9898))


def sorted_stably(space, argsort, data, axis=-1, is_ascend=True):
    """Sort equal elements by index; MXNet's order is that of std::sort.

    Along other axes than the last, masks are sorted, whose equal elements are not used.
    """
    if axis != -1:
        return argsort(data, axis=axis, is_ascend=is_ascend)
    places = space.contrib.arange_like(data, axis=-1) * (1e-6 if is_ascend else -1e-6)
    return argsort(space.broadcast_add(data, places), is_ascend=is_ascend)


def aligned(space, align, data, rois, *args, **attributes):
    """Return zeros for a region of no image, whose memory MXNet leaves unchanged."""
    found = align(data, rois, *args, **attributes)
    picture = space.slice_axis(rois, axis=1, begin=0, end=1).reshape((-1,))
    return space.where(picture >= 0, found, space.zeros_like(found))


def anchors_of(mx, net, x):
    """Return the anchors of each feature level."""
    generators, features = net.rpn.anchor_generator, net.features(x)
    if not isinstance(features, (list, tuple)):
        generators, features = [generators], [features]
    return [generate(level) for generate, level in zip(generators, features, strict=True)]


def region_losses(mx, net, x, boxes, labels, targets, masks):
    """Return the losses of GluonCV's scripts: of regions, of boxes in them, and of masks."""
    entropy = mx.gluon.loss.SoftmaxCrossEntropyLoss()
    logistic = mx.gluon.loss.SigmoidBinaryCrossEntropyLoss()
    huber = mx.gluon.loss.HuberLoss()
    kinds, rpn_offsets, rpn_masks = targets
    scores, offsets, *rest = net(x, boxes, labels)
    drawn = [rest.pop(0)] if masks else []
    rois, _, matches, rpn_scores, rpn_boxes, _, classes, goals, weights, indices = rest
    kinds = kinds.reshape((1, -1, 1))
    found = [
        logistic(rpn_scores, kinds, kinds >= 0).sum(),
        huber(rpn_boxes * rpn_masks, rpn_offsets * rpn_masks).sum(),
        entropy(scores, classes, (classes >= 0).expand_dims(-1)).sum(),
        huber(offsets * weights, goals * weights).sum(),
    ]
    for prediction in drawn:
        taken = [part.take(indices[0], axis=1) for part in (rois, matches, classes)]
        shapes = mx.nd.zeros((1, 2, *x.shape[2:]))
        shapes[0, 0, 40:80, 30:70], shapes[0, 1, 15:40, 20:50] = 1, 1
        wanted, where = net.mask_target(taken[0], shapes, taken[1], taken[2])
        found.append(logistic(prediction, wanted, where).sum())
    return found


def segmentation(builder, **keywords):
    def build(mx, zoo):
        criterion = importlib.import_module("gluoncv.loss").MixSoftmaxCrossEntropyLoss(
            aux=True, aux_weight=0.5
        )

        def prepare(net, x):
            classes = mx.nd.array(np.random.RandomState(1).randint(-1, 21, (2, 96, 96)))
            return [], lambda net, x: criterion(*net(x), classes)

        net = getattr(zoo, builder)(
            21, backbone="resnet50", pretrained_base=False, base_size=96, crop_size=96, **keywords
        )
        return net, pictures(mx, 2, 3, 96, 96), prepare

    return build


def pose(mx, zoo):
    loss = mx.gluon.loss.L2Loss()

    def prepare(net, x):
        goals = mx.nd.array(np.random.RandomState(1).rand(2, 17, 32, 24))
        return [], lambda net, x: [loss(net(x), goals.astype("float64"))]

    return bare(zoo, "simple_pose_resnet18_v1b"), pictures(mx, 2, 3, 128, 96), prepare


#: Task -> its builder, and the type of its training: MXNet's regions are float32.
TASKS = {
    "ssd": (ssd("ssd_512_mobilenet1_0_voc", 256), "float64"),
    "ssd of vgg": (ssd("ssd_300_vgg16_atrous_voc", 300), "float64"),
    "yolo": (yolo, "float32"),
    "regions": (regions("faster_rcnn_resnet50_v1b_voc"), "float32"),
    "regions of a pyramid": (regions("faster_rcnn_fpn_resnet50_v1b_coco"), "float32"),
    "masks of a pyramid": (
        regions("mask_rcnn_fpn_resnet18_v1b_coco", True, rcnn_max_dets=20),
        "float32",
    ),
    "masks": (regions("mask_rcnn_resnet18_v1b_coco", True, rcnn_max_dets=20), "float32"),
    "segmentation": (segmentation("FCN", aux=True), "float64"),
    "segmentation by a pyramid": (segmentation("PSPNet", aux=True), "float64"),
    "segmentation by dilation": (segmentation("DeepLabV3", aux=True), "float64"),
    "joints": (pose, "float64"),
}
