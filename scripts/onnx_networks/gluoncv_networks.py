"""Networks of GluonCV's model zoo, by their names there."""

import functools
import re
from unittest import mock

import numpy as np
from checking import Network
from gluoncv import model_zoo
from gluoncv.model_zoo import model_store
from mxnet import gluon
from weights import draw

#: Part of a name -> shape of an input; the first that fits.
SHAPES = {
    "cifar": (1, 3, 32, 32),
    "resnet18_v1b_kinetics": (1, 3, 224, 224),
    "i3d_inceptionv3": (1, 3, 32, 299, 299),
    "i3d": (1, 3, 32, 224, 224),
    "c3d": (1, 3, 16, 112, 112),
    "p3d": (1, 3, 16, 160, 160),
    "r2plus1d": (1, 3, 16, 112, 112),
    "slowfast_16x8": (1, 3, 80, 224, 224),
    "slowfast": (1, 3, 64, 224, 224),
    "inceptionv3": (1, 3, 299, 299),
    "xception": (1, 3, 299, 299),
    "nasnet": (1, 3, 331, 331),
    "yolo3": (1, 3, 416, 416),
    "ssd_300": (1, 3, 300, 300),
    "ssd_512": (1, 3, 512, 512),
    "center_net": (1, 3, 512, 512),
    "rcnn": (1, 3, 256, 320),
    "posenet": (1, 6, 192, 640),
    "monodepth2": (1, 3, 192, 640),
    "simple_pose": (1, 3, 256, 192),
    "mobile_pose": (1, 3, 256, 192),
    "alpha_pose": (1, 3, 256, 192),
    "fcn": (1, 3, 96, 96),
    "psp": (1, 3, 96, 96),
    "deeplab": (1, 3, 96, 96),
    "icnet": (1, 3, 192, 192),
    "danet": (1, 3, 96, 96),
    "fastscnn": (1, 3, 192, 192),
}
OTHERS = (1, 3, 224, 224)
#: Networks of two images: a template and where to search it.
PAIRS = {"siamrpn_alexnet_v2_otb15": [(1, 3, 127, 127), (1, 3, 287, 287)]}
#: Parts of names of networks that sort their detections.
DETECTORS = ("center_net", "rcnn", "ssd", "yolo3")
#: Parts of names of networks that need smaller residual branches, or they enlarge rounding.
DEEP = ("resnest101", "resnest2", "danet", "icnet", "deeplab_res", "mask_rcnn", "i3d_nl10")
#: Reason why networks of a name are not built.
LEFT_OUT = {
    "_int8": "files of MXNet's quantized networks, which are downloaded",
    "_gn": "their normalization reads the shape of the data, so they have no graph in MXNet either",
    "custom_faster_rcnn_fpn": "its head reads features that it has not computed, in MXNet too",
}
#: Pattern of a name -> arguments that its builder needs, or that make a network smaller.
ARGUMENTS = {
    "custom": {"classes": ["a", "b", "c"]},
    "^resnet.*v1b_custom": {"use_kinetics_pretrain": False, "pretrained_base": False},
    **{part: {"base_size": 96, "crop_size": 96} for part in ("fcn", "psp", "deeplab", "danet")},
    **{part: {"base_size": 192, "crop_size": 192} for part in ("icnet", "fastscnn")},
    # Otherwise they copy the weights of an image network, which have no shape yet.
    **{
        part: {"pretrained_base": False}
        for part in ("alpha_pose", "posenet", "i3d_nl", "i3d_resnet", "i3d_slow", "i3d_inception")
    },
}


def networks(checkout):
    """Return a function for each name that builds the network."""
    names = [n for n in sorted(model_zoo.get_model_list()) if not any(p in n for p in LEFT_OUT)]
    return {name: functools.partial(build, name) for name in names}


def build(name):
    """Return a network with random weights and an input."""
    net = without_weights(name)
    shapes = PAIRS.get(name) or [next((SHAPES[p] for p in SHAPES if p in name), OTHERS)]
    generator = np.random.default_rng(1)
    inputs = [generator.standard_normal(shape).astype("float32") for shape in shapes]
    draw(net, *inputs, scale=0.05 if any(part in name for part in DEEP) else 1)
    sizes = [open_sizes(shapes, 2), open_sizes(shapes, 0)]
    return Network(net, inputs, dynamic=sizes, detections=any(part in name for part in DETECTORS))


def without_weights(name):
    """Return a network of the zoo; base networks are not downloaded."""
    chosen = {"pretrained": False}
    for pattern, arguments in ARGUMENTS.items():
        if re.search(pattern, name):
            chosen.update(arguments)
    with (
        mock.patch.object(model_store, "get_model_file", lambda *args, **kwargs: ""),
        mock.patch.object(gluon.Block, "load_parameters", initialize),
    ):
        return model_zoo.get_model(name, **chosen)


def initialize(block, *args, **kwargs):
    """Initialize a block whose weights would be loaded."""
    block.initialize()


def open_sizes(shapes, spatial):
    """Return shapes in which the batch and the last `spatial` sizes may change."""
    names = ["height", "width"][:spatial]
    return [("batch", *shape[1 : len(shape) - spatial], *names) for shape in shapes]
