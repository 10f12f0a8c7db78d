"""Files of graphs with and without the conversions of mixed precision."""

import copy
import json
import pickle

import pytest

import opforge
from opforge import sym
from opforge.symbol.files.amp_casts import without_amp_casts

X = sym.var("x")
PLAIN = sym.exp(sym.FullyConnected(X, num_hidden=3, name="fc") + X, name="e")


def names(text):
    return [node["name"] for node in json.loads(text)["nodes"]]


@pytest.mark.plugins
def test_conversions_are_left_out_unless_they_are_asked_for():
    made = opforge.contrib.amp.convert_symbol(PLAIN)
    assert names(made.tojson()) == names(PLAIN.tojson())
    assert "fc_output_amp_cast_float32" in names(made.tojson(remove_amp_cast=False))


def test_conversions_of_several_arrays_too():
    parts = sym.amp_multicast(X, sym.exp(X, name="e"), num_outputs=2)
    text = sym.Group([parts[1], parts[0]]).tojson()
    assert sym.load_json(text).list_outputs() == ["e_output", "x"]


def test_a_graph_without_them_is_itself():
    assert without_amp_casts(PLAIN.edges) is PLAIN.edges


@pytest.mark.plugins
def test_files_have_the_requested_casts(tmp_path):
    made = opforge.contrib.amp.convert_symbol(PLAIN)
    for remove in (True, False):
        path = str(tmp_path / "net.json")
        made.save(path, remove_amp_cast=remove)
        loaded = sym.load(path).get_internals().list_outputs()
        assert ("x_amp_cast_float16_output" in loaded) is not remove


@pytest.mark.plugins
def test_copies_keep_them():
    made = opforge.contrib.amp.convert_symbol(PLAIN)
    for other in (pickle.loads(pickle.dumps(made)), copy.deepcopy(made)):
        assert other.tojson(remove_amp_cast=False) == made.tojson(remove_amp_cast=False)
