"""Files of MXNet 1.9.1 with control flow, and its results: outputs and gradients."""

import json
from pathlib import Path

import numpy as np
import pytest

from opforge import gluon, nd, sym
from opforge.base.errors import OperatorNotFoundError, SymbolFileError

FACTS = json.loads((Path(__file__).parent / "mxnet_control_flow.json").read_text())
CASES = [pytest.param(name, marks=[pytest.mark.plugins] if name == "fc" else []) for name in FACTS]


def text_of(name):
    return json.dumps(FACTS[name]["symbol"])


def heads_of(outputs):
    return [nd.array(np.cos(np.arange(y.size)).reshape(y.shape)) for y in outputs]


@pytest.mark.parametrize("name", CASES)
def test_mxnets_files_compute_mxnets_results(name):
    facts, graph = FACTS[name], sym.load_json(text_of(name))
    given = {key: nd.array(value) for key, value in facts["inputs"].items()}
    grads = {key: nd.zeros_like(value) for key, value in given.items()}
    executor = graph.bind(None, given, grads)
    outputs = executor.forward(is_train=True)
    for have, want in zip(outputs, facts["outputs"], strict=True):
        # MXNet leaves rows of iterations that did not run undefined.
        np.testing.assert_allclose(have.asnumpy()[: len(want)], want, 1e-5, 1e-6)
    executor.backward(heads_of(outputs))
    for key, want in facts["gradients"].items():
        np.testing.assert_allclose(grads[key].asnumpy(), want, 1e-5, 1e-6)


@pytest.mark.parametrize("name", CASES)
def test_written_files_equal_those_of_mxnet(name):
    graph = sym.load_json(text_of(name))
    written = json.loads(graph.tojson())
    written["attrs"].pop("opforge_operators", None)
    assert written == FACTS[name]["symbol"]
    assert sym.load_json(graph.tojson()).tojson() == graph.tojson()


def changed(name, **attributes):
    graph = json.loads(text_of(name))
    node = next(node for node in graph["nodes"] if "subgraphs" in node)
    node["attrs"] = {k: v for k, v in (node["attrs"] | attributes).items() if v is not None}
    return json.dumps(graph)


@pytest.mark.parametrize(
    ("name", "attributes", "text"),
    [
        ("foreach", {"in_data_locs": "[7]"}, r"is '\[7\]', expected positions below 3"),
        ("foreach", {"in_data_locs": "[-2]"}, "in_data_locs"),
        ("foreach", {"in_data_locs": "[x]"}, "a list of positions"),
        ("foreach", {"in_data_locs": "[0, 0]"}, "remain_locs"),
        ("foreach", {"in_data_locs": "[]"}, "expected at least one place"),
        ("foreach", {"in_state_locs": "[0]"}, "a subgraph has 3 variables"),
        ("foreach", {"remain_locs": None}, "no attribute 'remain_locs'"),
        ("foreach", {"num_outputs": "9"}, "num_outputs is 9"),
        ("foreach", {"num_out_data": "x"}, "num_out_data is 'x', expected a number from 0"),
        ("foreach", {"mood": "good"}, "has the attributes mood"),
        ("while_loop", {"func_var_locs": "[5, 0]"}, "func_var_locs"),
        ("while_loop", {"max_iterations": "0"}, "max_iterations is '0', expected a number from 1"),
        ("while_loop", {"cond_input_locs": "[]"}, "cond_input_locs"),
        ("cond", {"then_input_locs": "[9, 9]"}, "then_input_locs"),
        ("cond", {"num_outputs": "1"}, "the counts of the subgraphs"),
    ],
)
def test_attributes_that_do_not_fit_are_named(name, attributes, text):
    with pytest.raises(SymbolFileError, match=text):
        sym.load_json(changed(name, **attributes))


def test_other_operators_have_no_subgraphs():
    text = text_of("foreach").replace('"_foreach"', '"exp"')
    with pytest.raises(SymbolFileError, match="only _foreach, _while_loop"):
        sym.load_json(text)


def test_a_loop_without_its_subgraphs_is_rejected():
    graph = json.loads(text_of("foreach"))
    del graph["nodes"][3]["subgraphs"]
    with pytest.raises(OperatorNotFoundError):
        sym.load_json(json.dumps(graph))
    graph["nodes"][3]["subgraphs"] = [FACTS["cond"]["symbol"]] * 2
    with pytest.raises(SymbolFileError, match="has 2 subgraphs, expected 1"):
        sym.load_json(json.dumps(graph))


def test_errors_in_a_subgraph_say_where():
    with pytest.raises(OperatorNotFoundError, match=r"in a subgraph of node 3 \('_foreach0'\)"):
        sym.load_json(text_of("foreach").replace('"tanh"', '"nobody"'))


def test_subgraphs_that_are_nested_without_end_are_rejected():
    inner = '{"nodes": [], "heads": []}'
    row = '{{"nodes": [{{"op": "_foreach", "name": "f", "inputs": [], "subgraphs": [{}]}}]}}'
    for _ in range(400):
        inner = row.format(inner).replace("}]}", '}], "heads": []}')
    with pytest.raises(SymbolFileError):
        sym.load_json(inner)


def test_inputs_that_no_turn_reads_come_back():
    out, last = sym.contrib.while_loop(
        lambda i, s: i < 3, lambda i, s: (s * 2, [i + 1, i]), [sym.var("i"), sym.var("s")], 5
    )
    rows, _ = sym.contrib.foreach(lambda r, s: (s, s), sym.var("x"), sym.var("h"))
    graph = sym.Group([out, *last, rows])
    again = sym.load_json(graph.tojson())
    assert again.tojson() == graph.tojson()
    shapes = {"i": (1,), "s": (1,), "x": (3, 2), "h": (2,)}
    given = {name: nd.ones(shape) for name, shape in shapes.items()}
    have, want = (g.bind(None, given).forward() for g in (again, graph))
    assert [y.asnumpy().tolist() for y in have] == [y.asnumpy().tolist() for y in want]


class Scan(gluon.HybridBlock):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.factor = self.params.get("factor", shape=(3,), init="ones")

    def hybrid_forward(self, F, x, h, factor):
        def step(row, state):
            after = F.tanh(row * factor + state)
            return after, after

        return F.contrib.foreach(step, x, h)


def test_a_block_is_exported_and_imported(tmp_path):
    net = Scan()
    net.initialize()
    net.hybridize()
    x, h = nd.arange(6).reshape((2, 3)), nd.ones((3,))
    want = net(x, h)
    net.export(str(tmp_path / "scan"))
    files = [str(tmp_path / f"scan-{end}") for end in ("symbol.json", "0000.params")]
    again = gluon.SymbolBlock.imports(files[0], ["data0", "data1"], files[1])
    for have, one in zip(again(x, h), want, strict=True):
        assert have.asnumpy().tolist() == one.asnumpy().tolist()


@pytest.mark.plugins
def test_operators_inside_of_loops_are_in_the_bill():
    out, _ = sym.contrib.foreach(lambda r, s: (sym.softmax(r), s), sym.var("x"), sym.var("h"))
    bill = json.loads(out.tojson())["attrs"]["opforge_operators"][1]
    assert [json.loads(row)["name"] for row in bill] == ["softmax"]
