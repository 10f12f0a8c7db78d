"""GluonCV's classification networks, unchanged, on opforge: their results and their training.

One program runs in MXNet and, by ``python -m opforge.mxnet``, in opforge, from the same parameters.
GluonCV is found, not imported; install it with ``pip install --no-deps gluoncv==0.10.5.post0``.
"""

import importlib.util

import pytest

FOUND = importlib.util.find_spec("gluoncv")

#: Module of gluoncv.model_zoo, builder of the network, its arguments, the width of an image.
NETWORKS = [
    ("cifarresnet", "cifar_resnet20_v2", [], 32),
    ("cifarwideresnet", "get_cifar_wide_resnet", [16, 2], 32),
    ("cifarresnext", "get_cifar_resnext", [29, 4, 8], 32),
    ("residual_attentionnet", "cifar_residualattentionnet56", [], 32),
    ("resnetv1b", "resnet18_v1b", [], 64),
    ("resnetv1b", "resnet50_v1d", [], 64),
    ("senet", "SENet", [[1, 1, 1, 1], 8, 4], 64),
    ("se_resnet", "se_resnet18_v1", [], 64),
    ("resnext", "get_resnext", [50, 4, 4], 64),
    ("mobilenet", "mobilenet0_25", [], 64),
    ("mobilenet", "mobilenet_v2_0_25", [], 64),
    ("mobilenetv3", "mobilenet_v3_small", [], 64),
    ("googlenet", "googlenet", [], 224),
    ("nasnet", "get_nasnet", [2, 384], 96),
    ("dla", "dla34", [], 64),
    ("hrnet", "hrnet_w18_small_v1_c", [], 64),
    ("resnest", "resnest14", [], 64),
    ("densenet", "densenet121", [], 224),
    ("inception", "inception_v3", [], 299),
    ("squeezenet", "squeezenet1_1", [], 224),
    ("vgg", "vgg11_bn", [], 32),
    ("alexnet", "alexnet", [], 64),
]

#: Prefix of an array's name -> tolerance relative to the largest element. Results are float32, the
#: others float64, except that MXNet's moving averages use a float32 momentum.
TOLERANCES = {"result": 1e-4, "loss": 1e-6, "gradient": 1e-5, "after": 1e-4}
#: MXNet's weights of bilinear interpolation are float32: a rectifier whose input is that close to 0
#: may propagate a gradient in only one of the two.
INTERPOLATING = {**TOLERANCES, "gradient": 0.1}


@pytest.mark.skipif(FOUND is None, reason="pip install --no-deps gluoncv==0.10.5.post0")
@pytest.mark.parametrize(("module", "builder", "arguments", "size"), NETWORKS)
def test_networks_are_those_of_mxnet(each_way, module, builder, arguments, size):
    request = {
        "root": FOUND.submodule_search_locations[0],
        "module": module,
        "builder": builder,
        "arguments": arguments,
        "size": size,
    }
    tolerances = INTERPOLATING if module == "residual_attentionnet" else TOLERANCES
    each_way("gluoncv", request, lambda key: tolerances[key.partition(" ")[0]])
