import json
import pickle

import numpy as np
import pytest

from opforge.base.errors import OpforgeError
from opforge.checkpoint.state_files import read_state, write_state

STATES = [
    None,
    True,
    2**70,
    -1.5,
    float("inf"),
    "text",
    b"\x00\xff",
    [1, (2, [3])],
    {"a": {1: (None,)}, (1, "b"): 2},
    {"tuple": [1]},
]


@pytest.mark.parametrize("state", STATES, ids=repr)
def test_a_state_comes_back(state, tmp_path):
    path = str(tmp_path / "state")
    write_state(path, state)
    found = read_state(path)
    assert found == state and type(found) is type(state)


@pytest.mark.parametrize("dtype", ["float32", "int64", "bool", "uint8", "<M8[s]"])
@pytest.mark.parametrize("shape", [(), (0, 3), (2, 3)])
def test_arrays_come_back(dtype, shape, tmp_path):
    array = np.ones(shape).astype(dtype)
    write_state(str(tmp_path / "state"), [array, np.float32(2)])
    found, number = read_state(str(tmp_path / "state"))
    assert found.dtype == array.dtype and found.shape == shape and number == 2
    np.testing.assert_array_equal(found, array)
    found[...] = 0  # it can be written to


def test_other_objects_are_rejected(tmp_path):
    with pytest.raises(TypeError, match=r"state\['a'\]\[0\] is a object, which a state file"):
        write_state(str(tmp_path / "state"), {"a": [object()]})
    with pytest.raises(TypeError, match="which a state file cannot store"):
        write_state(str(tmp_path / "state"), np.array([None]))


DAMAGED = [
    b"",
    b"\x80\x04N.",
    pickle.dumps({"a": 1}),
    b"[]",
    b'{"format": "another", "state": 1}',
    b'{"format": "opforge state 1"}',
    b'{"format": "opforge state 1", "state": {"call": []}}',
    b'{"format": "opforge state 1", "state": {"bytes": "?"}}',
    b'{"format": "opforge state 1", "state": {"array": ["O", [1], ""]}}',
    b'{"format": "opforge state 1", "state": {"array": ["f4", [9], "AAAA"]}}',
    b'{"format": "opforge state 1", "state": {"a": 1, "b": 2}}',
    json.dumps({"format": "opforge state 1", "state": 1}).encode()[:-1],
]


@pytest.mark.parametrize("content", DAMAGED, ids=range(len(DAMAGED)))
def test_damaged_files(content, tmp_path):
    path = tmp_path / "state"
    path.write_bytes(content)
    with pytest.raises(OpforgeError, match="not a state file that this version can read"):
        read_state(str(path))
