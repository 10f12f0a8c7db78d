import json
import struct

import numpy as np
import pytest

import opforge as mx
from opforge import lr_scheduler, nd, optimizer
from opforge.optimizer.pickled_data import StatesError
from opforge.optimizer.saved_settings import restored_optimizer
from opforge.optimizer.state_files import dump_states, is_state_file, parse_states

SGD = optimizer.SGD()
ONE = nd.ones((2, 3))


class Schedule:
    """Scheduler without a base class."""

    def __init__(self, rates):
        self.rates = rates

    def __call__(self, num_update):
        return self.rates[num_update]


class Slotted:
    __slots__ = ()


def test_states_come_back():
    saved = [
        {0: None, "w": (ONE, ONE.astype("float16")), 3: [ONE.astype("bfloat16"), 2.5]},
        {1: {"count": 3, "values": np.arange(3)}, 2: mx.cpu(1)},
        {5: (ONE.tostype("row_sparse"), ONE.tostype("csr"))},
    ]
    content = dump_states(saved, SGD, False)
    assert is_state_file(content)
    found = parse_states(content, SGD)
    assert found["optimizer"] is None and found["counts"] == {0: {}}
    first, second, third = found["states"]
    assert first[0] is None and first[3][1] == 2.5
    for array, again in zip(
        [*saved[0]["w"], saved[0][3][0], *saved[2][5]],
        [*first["w"], first[3][0], *third[5]],
        strict=True,
    ):
        assert (again.stype, again.dtype, again.shape) == (array.stype, array.dtype, array.shape)
        assert again.asnumpy().tolist() == array.asnumpy().tolist()
    assert second[1]["count"] == 3 and second[1]["values"].tolist() == [0, 1, 2]
    assert second[2] == mx.cpu(1)


def test_shared_arrays_are_saved_once():
    content = dump_states([{0: (ONE, ONE), 1: ONE}], SGD, False)
    (states,) = parse_states(content, SGD)["states"]
    assert states[0][0] is states[0][1] is states[1]


def test_scalars_keep_their_shape():
    with mx.np_shape(True):
        content = dump_states([{0: nd.ones(()), 1: nd.ones(1)}], SGD, False)
        (states,) = parse_states(content, SGD)["states"]
    assert (states[0].shape, states[1].shape) == ((), (1,))


@pytest.mark.parametrize(
    "schedule",
    [lr_scheduler.PolyScheduler(max_update=9, base_lr=0.5), Schedule([0.5, 0.25])],
    ids=["own", "plain"],
)
def test_optimizers_come_back(schedule):
    made = optimizer.SGD(momentum=0.75, lr_scheduler=schedule)
    made.history = [1, (2, "x")]
    content = dump_states([{}], made, True)
    again = restored_optimizer(parse_states(content, made)["optimizer"], SGD)
    assert type(again) is optimizer.SGD
    assert (again.momentum, again.history) == (0.75, [1, (2, "x")])
    assert vars(again.lr_scheduler) == vars(schedule)


def test_the_arrays_are_readable_as_safetensors(tmp_path):
    (tmp_path / "a").write_bytes(dump_states([{0: (ONE, None)}], SGD, True))
    assert nd.load(tmp_path / "a")["0"].asnumpy().tolist() == [[1] * 3] * 2


@pytest.mark.parametrize("state", [object(), {"a": (len,)}, np.array([None]), Slotted()])
def test_other_objects_cannot_be_saved(state):
    with pytest.raises(TypeError, match=r"state\['states'\]\[0\]\[7\].* cannot store"):
        dump_states([{7: state}], SGD, False)


def file_of(structure, name="opforge.optimizer_states", arrays=b"", **entries):
    text = json.dumps({"format": "opforge state 1", "state": structure})
    header = json.dumps({"__metadata__": {name: text}, **entries}).encode()
    return struct.pack("<Q", len(header)) + header + arrays


def dict_of(states, counts=None, made=None):
    return {"dict": [["states", states], ["counts", counts], ["optimizer", made]]}


F32 = {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}
STATES = [{"dict": [[0, {"ndarray": ["0", [1]]}]]}]
WRONG = {
    "another file": (file_of(dict_of([]), "format"), "opforge.optimizer_states"),
    "no dict": (file_of(3), "lacks states, counts or optimizer"),
    "other keys": (file_of({"dict": [["states", []]]}), "lacks states"),
    "no array": (file_of(dict_of(STATES)), "KeyError"),
    "truncated": (file_of(dict_of(STATES), arrays=b"ab", **{"0": F32}), "the file is truncated"),
    "size": (
        file_of(dict_of([{"dict": [[0, {"ndarray": ["0", [99]]}]]}]), arrays=b"abcd", **{"0": F32}),
        r"\(99,\)",
    ),
    "kind": (file_of(dict_of([{"call": ["len"]}])), "unknown kind 'call'"),
    "storage": (file_of(dict_of([{"sparse": ["other", [1], []]}])), "other"),
    "function": (
        file_of(dict_of([], None, {"object": ["builtins", "len", {"dict": []}]})),
        "builtins.len, which is not an array",
    ),
    "attributes": (
        file_of(dict_of([], None, {"object": ["opforge.optimizer.sgd", "SGD", 3]})),
        "a SGD has a int of attributes",
    ),
    "method": (
        file_of(
            dict_of(
                [], None, {"object": ["opforge.optimizer.sgd", "SGD", {"dict": [["update", 1]]}]}
            )
        ),
        "'update' of a SGD, which is not an attribute for data",
    ),
    "device": (file_of(dict_of([{"context": ["none", 0]}])), "unknown context: 'none'"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_damaged_files(kind):
    content, message = WRONG[kind]
    assert is_state_file(content)
    with pytest.raises(StatesError, match=message):
        parse_states(content, SGD)


def test_metadata_are_optional():
    header = b"{}      "
    with pytest.raises(StatesError, match="does not contain optimizer states"):
        parse_states(struct.pack("<Q", len(header)) + header, SGD)
