"""Networks of opforge's own model zoo, by their names."""

import functools

import numpy as np
from checking import Network
from weights import draw

from opforge.gluon.model_zoo import vision

#: Sides of images that the networks need; other networks get 224.
SIDES = {"inception_v3": 299}
#: A network of each kind for each depth or width that the zoo has.
NAMES = (
    "alexnet",
    *(f"densenet{depth}" for depth in (121, 161, 169, 201)),
    "inception_v3",
    *(f"mobilenet{width}" for width in ("0_25", "0_5", "0_75", "1_0")),
    *(f"mobilenet_v2_{width}" for width in ("0_25", "0_5", "0_75", "1_0")),
    *(f"resnet{depth}_v{kind}" for kind in (1, 2) for depth in (18, 34, 50, 101, 152)),
    "squeezenet1_0",
    "squeezenet1_1",
    *(f"vgg{depth}{norm}" for norm in ("", "_bn") for depth in (11, 13, 16, 19)),
)


def networks(checkout):
    """Return a function for each name that builds the network."""
    return {name: functools.partial(build, name) for name in NAMES}


def build(name):
    """Return a network with random weights and an input."""
    net = getattr(vision, name)()
    side = SIDES.get(name, 224)
    image = np.random.default_rng(1).standard_normal((1, 3, side, side)).astype("float32")
    draw(net, image)
    sizes = [("batch", 3, "height", "width")], [("batch", 3, side, side)]
    return Network(net, [image], dynamic=sizes)
