"""Networks that MXNet 1.9.1 quantized and saved: MXNet's results.

``mkldnn/network`` has convolutions with ReLU, batch normalization, a residual sum and clip, one
with groups, pooling and two fully connected layers.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from opforge import nd, sym
from opforge.base.errors import OpforgeError
from opforge.gluon import SymbolBlock

FOLDER = Path(__file__).with_name("mkldnn")
GRAPH = FOLDER / "network-symbol.json"


@pytest.fixture(scope="module")
def recorded():
    return json.loads((FOLDER / "results.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("is_hybrid", [False, True])
def test_results_of_a_saved_network(recorded, is_hybrid):
    generator = np.random.RandomState(recorded["seed"])
    images = generator.uniform(-1, 1, recorded["shape"]).astype("float32")
    net = SymbolBlock.imports(str(GRAPH), "data", str(FOLDER / "network-0000.params"))
    if is_hybrid:
        net.hybridize()
    found = net(nd.array(images)).asnumpy()
    np.testing.assert_allclose(found[:2], recorded["outputs"], atol=1e-7)


def test_a_saved_network_is_saved_again(recorded, tmp_path):
    net = SymbolBlock.imports(str(GRAPH), "data", str(FOLDER / "network-0000.params"))
    images = nd.random.uniform(-1, 1, shape=(2, 3, 14, 14))
    expected = net(images)
    net.export(str(tmp_path / "again"))
    again = SymbolBlock.imports(
        str(tmp_path / "again-symbol.json"), "data", str(tmp_path / "again-0000.params")
    )
    np.testing.assert_array_equal(again(images).asnumpy(), expected.asnumpy())


def damaged(operator, change):
    """Return the graph's text after changing its first node of an operator."""
    saved = json.loads(GRAPH.read_text(encoding="utf-8"))
    change(next(row for row in saved["nodes"] if row["op"] == operator))
    return json.dumps(saved)


def remove_range(row):
    del row["attrs"]["min_calib_range"]


def remove_operators(row):
    row["subgraphs"][0]["nodes"] = [
        node for node in row["subgraphs"][0]["nodes"] if node["op"] == "null"
    ]
    row["subgraphs"][0]["heads"] = [[0, 0, 0]]
    row["subgraphs"][0]["arg_nodes"] = [*range(len(row["subgraphs"][0]["nodes"]))]
    row["subgraphs"][0]["node_row_ptr"] = [*range(len(row["subgraphs"][0]["nodes"]) + 1)]


def remove_subgraph(row):
    del row["subgraphs"]


def change_activation(row):
    row["subgraphs"][0]["nodes"][-1]["attrs"]["act_type"] = "sigmoid"


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (remove_range, "calibrated range"),
        (remove_operators, "expected one Convolution"),
        (remove_subgraph, "0 subgraphs"),
        (change_activation, "no activation but relu"),
    ],
)
def test_damaged_nodes(change, text):
    with pytest.raises(OpforgeError, match=text):
        sym.load_json(damaged("_sg_mkldnn_conv", change))


@pytest.mark.parametrize("act", [None, "relu", "sigmoid", "leaky", "elu", "gelu", "clip"])
def test_fused_layers_in_float32(act):
    rng = np.random.default_rng(0)
    data, weight = nd.array(rng.normal(size=(2, 4, 5, 5))), nd.array(rng.normal(size=(6, 4, 3, 3)))
    gamma, beta, mean = (nd.array(rng.normal(size=6)) for _ in range(3))
    var, other = nd.array(rng.uniform(0.5, 1, 6)), nd.array(rng.normal(size=(2, 6, 3, 3)))
    window = {"kernel": (3, 3), "num_filter": 6, "no_bias": True}
    found = nd._fused_convolution(
        **{"data": data, "weight": weight, "gamma": gamma, "beta": beta, "mean": mean, "var": var},
        **window,
        sum=other,
        with_bn=True,
        with_sum=True,
        fix_gamma=False,
        act_type=act,
        act_number=0.3,
    )
    sums = nd.Convolution(data, weight, **window)
    made = nd.BatchNorm(sums, gamma, beta, mean, var, fix_gamma=False, use_global_stats=True)
    made = made + other
    want = {
        None: lambda: made,
        "relu": lambda: nd.relu(made),
        "sigmoid": lambda: nd.sigmoid(made),
        "clip": lambda: nd.clip(made, 0, 0.3),
    }.get(act, lambda: nd.LeakyReLU(made, act_type=act, slope=0.3))()
    np.testing.assert_allclose(found.asnumpy(), want.asnumpy(), rtol=1e-4, atol=1e-4)
