"""Sizes of the networks in the model zoo, under the names of MXNet's modules.

Programs read them to build variants: ``resnet_spec[18]`` is the kind of block, the number of blocks
in each stage, and the channels after the first layer and each stage.
"""

from opforge.gluon.model_zoo import vision

__all__ = [
    "densenet_spec",
    "resnet_block_versions",
    "resnet_net_versions",
    "resnet_spec",
    "vgg_spec",
]

_BASIC = [64, 64, 128, 256, 512]
_WIDE = [64, 256, 512, 1024, 2048]
resnet_spec = {
    18: ("basic_block", [2, 2, 2, 2], _BASIC),
    34: ("basic_block", [3, 4, 6, 3], _BASIC),
    50: ("bottle_neck", [3, 4, 6, 3], _WIDE),
    101: ("bottle_neck", [3, 4, 23, 3], _WIDE),
    152: ("bottle_neck", [3, 8, 36, 3], _WIDE),
}
resnet_net_versions = [vision.ResNetV1, vision.ResNetV2]
resnet_block_versions = [
    {"basic_block": vision.BasicBlockV1, "bottle_neck": vision.BottleneckV1},
    {"basic_block": vision.BasicBlockV2, "bottle_neck": vision.BottleneckV2},
]

_CHANNELS = [64, 128, 256, 512, 512]
#: Depth -> convolutions in each stage, and their channels.
vgg_spec = {
    11: ([1, 1, 2, 2, 2], _CHANNELS),
    13: ([2, 2, 2, 2, 2], _CHANNELS),
    16: ([2, 2, 3, 3, 3], _CHANNELS),
    19: ([2, 2, 4, 4, 4], _CHANNELS),
}

#: Depth -> channels of the first layer, channels that each layer adds, layers in each stage.
densenet_spec = {
    121: (64, 32, [6, 12, 24, 16]),
    161: (96, 48, [6, 12, 36, 24]),
    169: (64, 32, [6, 12, 32, 32]),
    201: (64, 32, [6, 12, 48, 32]),
}
