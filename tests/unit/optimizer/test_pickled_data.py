import pickle

import pytest

from opforge.optimizer.pickled_data import (
    Allowance,
    Function,
    StatesError,
    Unfinished,
    read_data,
)

DATA = {
    "numbers": [0, -1, 300, 70_000, 2**40, -(2**70), 1.5, True, False, None],
    "texts": ("a", "é" * 300, b"\x00\xff", b"x" * 300),
    0: {"nested": [(), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4)]},
    (0, "index"): [],
}


def no_function(module, name):
    raise StatesError(f"{module}.{name}")


@pytest.mark.parametrize("protocol", range(6))
def test_data_come_back(protocol):
    def found(module, name):
        assert (module, name) == ("_codecs", "encode")
        return Function(lambda text, encoding: text.encode(encoding))

    assert read_data(pickle.dumps(DATA, protocol), found) == DATA


def test_shared_objects_stay_shared():
    shared = [1]
    first, second = read_data(pickle.dumps([shared, shared]), no_function)
    assert first is second


class Note(Unfinished):
    def __init__(self):
        self.state = None

    def build(self, state):
        self.state = state

    def result(self, finished):
        return finished(self.state)


def test_attributes_belong_to_unfinished_objects():
    read = read_data(b"cm\nNote\n)\x81}\x8c\x04note\x8c\x01xsb.", lambda *name: Function(Note))
    assert read == {"note": "x"}


@pytest.mark.parametrize(
    "target",
    [b"cm\nNote\n", b"}", b"]", b"K\x01", b"(K\x01t"],
    ids=["name", "dict", "list", "int", "tuple"],
)
def test_other_objects_have_no_attributes(target):
    with pytest.raises(StatesError, match="attributes are set on an object that has none"):
        read_data(target + b"}\x8c\x04note\x8c\x01xsb.", lambda *name: Function(Note))
    assert not hasattr(Note, "note")


@pytest.mark.parametrize("protocol", [0, 2, 4])
def test_a_name_that_is_not_known(protocol):
    with pytest.raises(StatesError, match=r"^(builtins|__builtin__)\.len$"):
        read_data(pickle.dumps(len, protocol), no_function)


WRONG = {
    "instruction": (b"Pnote\n.", "the instruction PERSID"),
    "extension": (b"\x82\x01.", "the instruction EXT1"),
    "buffer": (b"\x97.", "the instruction NEXT_BUFFER"),
    "call of data": (b"K\x01)R.", "a int is called"),
    "arguments": (b"cm\nNote\n]R.", "a Function is called"),
    "name as a value": (b"cm\nNote\n.", "a name is used as a value"),
    "name of numbers": (b"K\x01K\x01\x93.", "a name is not text"),
    "key": (b"}((K\x01tt]s.", "a tuple is used as a key"),
    "items": (b"K\x01K\x01K\x01s.", "items are set in a int"),
    "appended": (b")K\x01a.", "items are appended to a tuple"),
    "operands": (b"a.", "too few operands"),
    "mark": (b"K\x01(a.", "too few operands"),
    "no mark": (b"t.", "list index"),
    "memo": (b"h\x07.", "7"),
    "two results": (b"K\x01K\x01.", "too many values"),
    "empty": (b"", "exhausted"),
    "not a pickle": (b"not a pickle", "at position 0"),
    "truncated": (pickle.dumps(DATA)[:-9], "damaged"),
    "bytes beyond the end": (b"B\xff\xff\xff\x7fxx.", "expected 2147483647 bytes"),
    "itself": (b"]\x94h\x00a.", "too many nested"),
    "nested": (b"]" * 100 + b"a" * 99 + b".", "too many nested"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_damaged_files(kind):
    content, message = WRONG[kind]
    with pytest.raises(StatesError, match=message):
        read_data(content, lambda *name: Function(Note))


def test_lists_that_contain_each_other_twice_are_read_once():
    """Visiting each reference would take 2**40 steps."""
    content = b"(]\x94" + b"".join(b"](h%ch%ce\x94" % (i, i) for i in range(40))
    value = read_data(content + b"t.", no_function)[-1]
    for _ in range(40):
        first, second = value
        assert first is second
        value = first
    assert value == []


def test_instructions_are_limited(monkeypatch):
    monkeypatch.setattr("opforge.optimizer.pickled_data._MAX_INSTRUCTIONS", 10)
    with pytest.raises(StatesError, match="more than 10 instructions"):
        read_data(b"(" + b"N" * 20 + b"t.", no_function)


def test_arrays_take_the_size_of_the_file_at_most():
    allowance = Allowance(10)
    allowance.take(6)
    with pytest.raises(StatesError, match="more than the 10 bytes of the file"):
        allowance.take(5)
