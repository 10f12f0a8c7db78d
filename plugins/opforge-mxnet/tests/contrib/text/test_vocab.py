from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from opforge.contrib.text.vocab import Vocabulary

COUNTS = Counter(a=1, b=2, c=3, d=2)


@pytest.mark.parametrize(
    ("arguments", "tokens"),
    [
        ({}, ["<unk>"]),
        ({"counter": COUNTS}, ["<unk>", "c", "b", "d", "a"]),
        ({"counter": COUNTS, "min_freq": 2}, ["<unk>", "c", "b", "d"]),
        ({"counter": COUNTS, "most_freq_count": 2}, ["<unk>", "c", "b"]),
        ({"counter": COUNTS, "most_freq_count": 0}, ["<unk>"]),
        ({"counter": COUNTS, "most_freq_count": 2, "min_freq": 3}, ["<unk>", "c"]),
        ({"counter": COUNTS, "unknown_token": "c"}, ["c", "b", "d", "a"]),
        (
            {"counter": COUNTS, "reserved_tokens": ["<pad>", "b"], "most_freq_count": 2},
            ["<unk>", "<pad>", "b", "c", "d"],
        ),
        ({"counter": Counter([(1, 2), 3, 3][:1]), "unknown_token": ()}, [(), (1, 2)]),
    ],
)
def test_tokens_are_numbered(arguments, tokens):
    made = Vocabulary(**arguments)
    assert made.idx_to_token == tokens and len(made) == len(tokens)
    assert made.token_to_idx == {token: at for at, token in enumerate(tokens)}
    assert made.unknown_token == tokens[0]
    assert made.reserved_tokens == arguments.get("reserved_tokens")


@given(st.lists(st.sampled_from("abcdefgh")), st.integers(1, 3), st.none() | st.integers(0, 9))
def test_there_and_back(tokens, least, most):
    made = Vocabulary(Counter(tokens), most, least, reserved_tokens=["a"])
    back = made.to_tokens(made.to_indices(tokens))
    assert all(new in (old, "<unk>") for old, new in zip(tokens, back, strict=True))
    counted = made.idx_to_token[2:]
    assert len(counted) <= (len(tokens) if most is None else most)
    assert all(tokens.count(token) >= least for token in counted)


def test_one_and_several():
    made = Vocabulary(COUNTS)
    assert made.to_indices("c") == 1 and made.to_indices(["c", "x", ("c",)]) == [1, 0, 0]
    assert made.to_tokens(1) == "c" and made.to_tokens([0, np.int64(4)]) == ["<unk>", "a"]


@pytest.mark.parametrize("index", [5, -1, 1.0, "c", None])
def test_numbers_of_no_token(index):
    with pytest.raises(ValueError, match=r"index .* is invalid: expected an integer from 0 to 4"):
        Vocabulary(COUNTS).to_tokens([0, index])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"min_freq": 0}, "min_freq=0, expected at least 1"),
        ({"most_freq_count": -1}, "most_freq_count=-1, expected at least 0"),
        ({"reserved_tokens": ["a", "a"]}, "must be different"),
        ({"reserved_tokens": ["<unk>"]}, "from unknown_token='<unk>'"),
        ({"counter": {"a": 1}}, r"counter is dict, expected a collections\.Counter"),
    ],
)
def test_invalid_vocabularies_raise(arguments, message):
    with pytest.raises(AssertionError, match=message):
        Vocabulary(**arguments)
