from collections import Counter

import pytest

from opforge.contrib.text.utils import count_tokens_from_str


@pytest.mark.parametrize(
    ("text", "delimiters", "expected"),
    [
        (" a b \n b\n", {}, {"a": 1, "b": 2}),
        ("", {}, {}),
        ("*a*b*|*b*", {"token_delim": r"\*", "seq_delim": r"\|"}, {"a": 1, "b": 2}),
        ("A a", {"to_lower": True}, {"a": 2}),
        ("A a", {}, {"A": 1, "a": 1}),
    ],
)
def test_tokens_are_split_at_delimiters(text, delimiters, expected):
    assert count_tokens_from_str(text, **delimiters) == expected


def test_counts_are_added_to_others():
    counts = Counter({"a": 2})
    assert count_tokens_from_str("a b", counter_to_update=counts) is counts
    assert counts == {"a": 3, "b": 1}
