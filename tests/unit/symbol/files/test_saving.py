import json
import pickle

import numpy as np
import pytest

from opforge import AttrScope, np_shape, sym
from opforge.op.declaring.declaration import OperatorProp
from opforge.op.registry.registry import register_custom

# Written by MXNet 1.9.1 for `small()`.
SMALL = """{
  "nodes": [
    {
      "op": "null",
      "name": "x",
      "inputs": []
    },
    {
      "op": "null",
      "name": "fc_weight",
      "attrs": {
        "__lr_mult__": "2",
        "num_hidden": "4"
      },
      "inputs": []
    },
    {
      "op": "null",
      "name": "fc_bias",
      "attrs": {
        "__lr_mult__": "2",
        "num_hidden": "4"
      },
      "inputs": []
    },
    {
      "op": "FullyConnected",
      "name": "fc",
      "attrs": {
        "__lr_mult__": "2",
        "num_hidden": "4"
      },
      "inputs": [[0, 0, 0], [1, 0, 0], [2, 0, 0]]
    },
    {
      "op": "_mul_scalar",
      "name": "out",
      "attrs": {"scalar": "3"},
      "inputs": [[3, 0, 0]]
    }
  ],
  "arg_nodes": [0, 1, 2],
  "node_row_ptr": [0, 1, 2, 3, 4, 5],
  "heads": [[4, 0, 0]],
  "attrs": {"mxnet_version": ["int", 10901]}
}""".replace(",\n", ", \n")  # a space after each comma


def small():
    net = sym.FullyConnected(sym.var("x"), num_hidden=4, name="fc", attr={"lr_mult": "2"})
    return sym._internal._mul_scalar(net, scalar=3, name="out")


def test_the_text_is_mxnets_to_the_byte():
    assert small().tojson() == SMALL


def test_long_lists_have_a_line_for_each_element():
    x = sym.var("x")
    text = sym.concat(*(x + at for at in range(11)), name="c").tojson()
    assert '"inputs": [\n        [1, 0, 0], \n        [2, 0, 0]' in text
    assert '"node_row_ptr": [\n    0, \n    1, ' in text
    assert '"heads": [[12, 0, 0]]' in text


def test_texts_are_escaped_as_mxnet_reads_them():
    x = sym.var("x", attr={"a": 'é"\\\n\t\r/'})
    text = x.tojson()
    assert '"a": "é\\"\\\\\\n\\t\\r/"' in text
    assert json.loads(text)["nodes"][0]["attrs"]["a"] == 'é"\\\n\t\r/'
    assert sym.load_json(text).attr("a") == x.attr("a")


@pytest.mark.plugins
def test_states_count_their_changes():
    mean = sym.var("mean")
    net = sym.var("x")
    for at in range(2):
        net = sym.BatchNorm(net, moving_mean=mean, name=f"bn{at}")
    nodes = json.loads((net + mean).tojson())["nodes"]
    inputs = [node["inputs"] for node in nodes if node["op"] == "BatchNorm"]
    assert [row[3][2] for row in inputs] == [1, 2]
    assert [row[4][2] for row in inputs] == [1, 1]
    assert nodes[-1]["inputs"][1][2] == 2


@pytest.mark.plugins
def test_node_row_ptr_counts_hidden_outputs():
    net = sym.BatchNorm(sym.var("x"), name="bn")
    graph = json.loads(sym.exp(net).tojson())
    assert graph["node_row_ptr"] == [0, 1, 2, 3, 4, 5, 8, 9]


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"scalar": 3}, "3"),
        ({"scalar": 0.1}, "0.1"),
        ({"scalar": True}, "1.0"),
    ],
)
def test_numbers_are_kept_as_they_were_written(given, text):
    assert sym._internal._plus_scalar(sym.var("x"), **given).attr("scalar") == text


@pytest.mark.plugins
def test_attributes_are_texts_that_mxnet_reads():
    x = sym.var("x")
    assert sym.sum(x, axis=1, keepdims=True).list_attr() == {"axis": "1", "keepdims": "True"}
    assert sym.sum(x, axis=None).list_attr() == {"axis": "None"}
    assert sym.tile(x, reps=[2, np.int64(3)]).attr("reps") == "[2, 3]"
    assert sym.tile(x, reps=np.array([2, 3])).attr("reps") == "(2, 3)"
    assert sym.cast(x, dtype=np.float16).attr("dtype") == "float16"
    assert sym.slice(x, begin=(0, None), end=(1, None)).attr("begin") == "(0, None)"


def test_save_and_load(tmp_path):
    path = tmp_path / "net.json"
    small().save(str(path))
    assert path.read_bytes() == SMALL.encode()
    assert sym.load(path).tojson() == SMALL
    small().save(path, remove_amp_cast=False)
    with pytest.raises(TypeError, match="fname need to be string, got int"):
        small().save(3)


def test_pickling_goes_through_json():
    with AttrScope(__mood__="calm"):
        net = sym.Group([small(), sym.var("y")])
    copy = pickle.loads(pickle.dumps(net))
    assert copy.tojson() == net.tojson()
    assert copy.list_outputs() == ["out_output", "y"]


@pytest.mark.plugins
def test_debug_str():
    mean = sym.var("mean")
    net = sym.BatchNorm(sym.var("x"), moving_mean=mean, name="bn", eps=0.1)
    assert sym.SliceChannel(net, num_outputs=2, name="s")[1].debug_str() == (
        "Symbol Outputs:\n\toutput[0]=s(1)\n"
        "Variable:x\nVariable:bn_gamma\nVariable:bn_beta\nVariable:mean\nVariable:bn_moving_var\n"
        "--------------------\nOp:BatchNorm, Name=bn\nInputs:\n\targ[0]=x(0) version=0\n"
        "\targ[1]=bn_gamma(0) version=0\n\targ[2]=bn_beta(0) version=0\n"
        "\targ[3]=mean(0) version=1\n\targ[4]=bn_moving_var(0) version=1\nAttrs:\n\teps=0.1\n"
        "--------------------\nOp:SliceChannel, Name=s\nInputs:\n\targ[0]=bn(0)\n"
        "Attrs:\n\tnum_outputs=2\n"
    )


def test_the_version_of_an_operators_meaning_is_kept():
    class Later(OperatorProp):
        """Of a later version."""

        name = "later_for_saving"
        version = 3

        def infer_shape(self, in_shape):
            return in_shape, in_shape, []

    register_custom("later_for_saving", Later)
    net = sym.later_for_saving(sym.var("x"), name="l")
    text = net.tojson()
    assert json.loads(text)["nodes"][1]["attrs"] == {"__operator_version__": "3"}
    assert sym.load_json(text).list_attr() == {}
    assert sym.load_json(text).tojson() == text
    with pytest.raises(ValueError, match="has version 3, the file was written with version 4"):
        sym.load_json(text.replace('version__": "3"', 'version__": "4"'))


def test_the_meaning_of_shapes_is_saved():
    x = sym.var("x")
    plain = x.tojson()
    assert "is_np_shape" not in plain
    with np_shape(True):
        text = x.tojson()
    # Written by MXNet 1.9.1, identical to the byte.
    ours = (
        '"attrs": {\n    "is_np_shape": ["int", 1], \n    "mxnet_version": ["int", 10901]\n  }\n}'
    )
    assert text.endswith(ours)
    assert sym.load_json(text).tojson() == plain
