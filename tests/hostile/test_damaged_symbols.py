"""Damaged symbol files, with subgraphs and without, raise opforge's errors."""

import copy
import json
import random

import pytest

import opforge as mx
from opforge import sym

WRONG = [None, -1, 99, "x", [], {}, [[]], True, 1.5, 2**70]


def dense():
    return sym.FullyConnected(sym.var("x"), num_hidden=3, name="fc")


def loop():
    def step(row, state):
        return sym.FullyConnected(row, num_hidden=2, name="f") + state, state

    return sym.contrib.foreach(step, sym.var("x"), sym.var("h"))[0]


def branch():
    a, b = sym.var("a"), sym.var("b")
    return sym.contrib.cond(sym.var("p") > 0, lambda: a * 2, lambda: b)


def paths(value, prefix=()):
    """Yield the path of every value of a document."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        yield (*prefix, key)
        if isinstance(item, dict | list):
            yield from paths(item, (*prefix, key))


def changed(document, path, value):
    """Return a copy in which one value is replaced, or missing if it is `changed` itself."""
    found = copy.deepcopy(document)
    place = found
    for key in path[:-1]:
        place = place[key]
    if value is changed:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return found


def read(text):
    """Read a symbol, and use everything that needs no arrays."""
    try:
        found = sym.fromjson(text)
        found.list_arguments()
        found.tojson()
    except mx.MXNetError:
        pass


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("graph", [dense, loop, branch], ids=lambda graph: graph.__name__)
def test_every_field_may_be_wrong(graph, stress):
    text = graph().tojson()
    document = json.loads(text)
    every = [(path, value) for path in paths(document) for value in (*WRONG, changed)]
    chosen = random.Random(0).sample(every, min(len(every), 400 * stress))
    for path, value in chosen:
        read(json.dumps(changed(document, path, value)))
    for end in range(0, len(text), max(1, len(text) // (100 * stress))):
        read(text[:end])


def test_a_node_with_fewer_inputs_than_its_subgraph_reads():
    document = json.loads(loop().tojson())
    (node,) = [node for node in document["nodes"] if node["op"] == "_foreach"]
    for count in range(len(node["inputs"])):
        shorter = copy.deepcopy(document)
        (found,) = [node for node in shorter["nodes"] if node["op"] == "_foreach"]
        del found["inputs"][count:]
        with pytest.raises(mx.MXNetError):
            sym.fromjson(json.dumps(shorter))
