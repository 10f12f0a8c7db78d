"""Damaged files of symbols and parameters: every error is opforge's own."""

import copy
import json
import random

import pytest

from opforge import gluon, nd, sym
from opforge.base.errors import OpforgeError, SymbolFileError

#: Replacements for a value in a file.
WORDS = (
    "x", "(2,", "(2,3)", "(99999999999999999999,3)", "-1", "(-5,)", "", None, [], {}, 0, -1, 7,
    10**20, 1.5, True, "nan", "inf", "1e400", "(1,(2,))", "\x00", "None", "()", "(2.5,)",
    "0" * 5000, "(" * 300, "8", "\ud800", "{1:2}", "(0,0)", "1000000000000",
)  # fmt: skip
KEYS = ("__shape__", "__dtype__", "__lr_mult__", "axis", "dtype", "shape", "num_outputs", "attrs")


def network():
    data = sym.var("data", shape=(2, 4), dtype="float32", init="ones", lr_mult=2.0)
    net = sym.FullyConnected(data, num_hidden=3, name="fc")
    return sym.Group(
        [
            sym.SliceChannel(net, num_outputs=3, name="s")[2],
            sym.exp(net) + 1,
            sym.Reshape(net, shape=(-1,)),
            sym.topk(net, k=2, ret_typ="both"),
            sym.slice(net, begin=(0, None), end=(1, 2)),
            sym.concat(net, net, dim=1),
            sym.clip(net, a_min=0, a_max=1),
            sym.zeros((2, 3)),
            sym.broadcast_to(net, shape=(2, 3)),
            sym.random.uniform(shape=(2,)),
        ]
    )


def control_flow():
    x, h, w = (sym.var(name, shape=(2,)) for name in "xhw")
    rows, last = sym.contrib.foreach(lambda r, s: (r * w, s + r), x, sym.var("one", shape=(1,)))
    turns = sym.contrib.while_loop(
        lambda i, s: i < 3, lambda i, s: (s, [i + 1, s * w]), [last, h], max_iterations=4
    )
    chosen = sym.contrib.cond(last < 3, lambda: h * w, lambda: w + 1)
    return sym.Group([rows, turns[0], *turns[1], chosen])


def paths(part, at=()):
    """Yield the paths of all values in parsed JSON."""
    yield at
    items = (
        part if isinstance(part, dict) else dict(enumerate(part if isinstance(part, list) else ()))
    )
    for key, value in items.items():
        yield from paths(value, (*at, key))


def damaged(rng, graph):
    """Return the JSON of the graph after one to three changes."""
    graph = copy.deepcopy(graph)
    for _ in range(rng.choice([1, 1, 2, 3])):
        *path, last = rng.choice([at for at in paths(graph) if at])
        owner = graph
        for key in path:
            owner = owner[key]
        match rng.choice(["replace", "replace", "drop", "repeat", "add"]):
            case "replace":
                owner[last] = rng.choice(WORDS)
            case "drop":
                del owner[last]
            case "repeat" if isinstance(owner, list):
                owner.insert(last, copy.deepcopy(rng.choice(owner)))
            case _ if isinstance(owner, dict):
                owner[rng.choice(KEYS)] = rng.choice(WORDS)
    return json.dumps(graph)


def read_and_ask(text):
    net = sym.load_json(text)
    net.attr_dict(), net.list_outputs(), net.list_auxiliary_states(), net.get_internals()
    net.infer_shape_partial(), net.infer_type_partial(), net.infer_shape(), net.infer_type()
    sym.load_json(net.tojson())


@pytest.mark.filterwarnings("ignore:Cannot decide")
@pytest.mark.parametrize("made", [network, control_flow])
def test_damaged_symbols_raise_errors_of_opforge(made):
    graph = json.loads(made().tojson())
    rng = random.Random(11)
    refused = 0
    for _ in range(120):
        text = damaged(rng, graph)
        try:
            read_and_ask(text)
        except OpforgeError:
            refused += 1
        except Exception as error:
            raise AssertionError(f"{type(error).__name__} from {text}") from error
    assert refused > 50  # the changes do have an effect


def broken_bytes(rng, text):
    text = bytearray(text)
    at = rng.randrange(len(text))
    match rng.choice(["change", "change", "drop", "insert", "cut"]):
        case "change":
            text[at] = rng.choice([0, 1, 127, 128, 255, rng.randrange(256)])
        case "drop":
            del text[at : at + rng.choice([1, 4, 8])]
        case "insert":
            text[at:at] = rng.randbytes(rng.choice([1, 4, 8]))
        case "cut":
            del text[at + 1 :]
    return bytes(text)


def test_damaged_files_of_a_block_raise_errors_of_opforge(tmp_path):
    symbol, params = tmp_path / "net-symbol.json", tmp_path / "net.params"
    net = sym.FullyConnected(sym.var("data"), num_hidden=3, name="fc")
    net.save(str(symbol))
    nd.save(str(params), {"arg:fc_weight": nd.ones((3, 4)), "arg:fc_bias": nd.ones(3)})
    whole = {path: path.read_bytes() for path in (symbol, params)}
    rng = random.Random(12)
    refused = 0
    for _ in range(50):
        for path in whole:
            path.write_bytes(broken_bytes(rng, whole[path]))
            try:
                block = gluon.SymbolBlock.imports(str(symbol), ["data"], str(params))
                block(nd.ones((2, 4)))
            except (OpforgeError, MemoryError):
                refused += 1
            except AssertionError as error:  # MXNet's exception for a name that does not exist
                assert " is missing in file " in str(error)
                refused += 1
            path.write_bytes(whole[path])
    assert refused > 25


@pytest.mark.plugins
def test_hidden_outputs_cannot_be_inputs():
    graph = json.loads(sym.LayerNorm(sym.var("x"), name="ln").tojson())
    graph["heads"] = [[len(graph["nodes"]) - 1, 1, 0]]
    with pytest.raises(SymbolFileError, match="refers to output 1 of 'ln', which has 1"):
        sym.load_json(json.dumps(graph))


def test_the_node_and_the_field_are_named():
    graph = json.loads(sym.exp(sym.var("x", shape=(2, 3), dtype="float32")).tojson())
    for key, text in (("__shape__", "(2,"), ("__dtype__", "x"), ("__lr_mult__", "fast")):
        changed = copy.deepcopy(graph)
        changed["nodes"][0]["attrs"][key] = text
        with pytest.raises(OpforgeError, match=rf"node 0 \('x'\) of the symbol: .*{key} is "):
            sym.load_json(json.dumps(changed))
