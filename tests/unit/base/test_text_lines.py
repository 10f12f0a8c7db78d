"""Text for terminals: its width and line breaks."""

import pytest

from opforge.base.text_lines import text_width, visible, wrapped

BOLD = "\x1b[1m{}\x1b[0m"


@pytest.mark.parametrize(
    ("text", "width"),
    [("", 0), ("name", 4), ("härte", 5), ("e\u0301", 1), ("幅と", 4), (BOLD.format("name"), 4)],
)
def test_width(text, width):
    assert text_width(text) == width


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("", 5, [""]),
        ("fits", 4, ["fits"]),
        ("one two three", 7, ["one two", "three"]),
        ("one  two", 8, ["one  two"]),
        ("one two", 5, ["one", "two"]),
        ("  own blanks stay", 8, ["  own", "blanks", "stay"]),
        ("a\nb c", 3, ["a", "b c"]),
        ("trailing   ", 8, ["trailing"]),
        ("abcdefgh ij", 3, ["abc", "def", "gh", "ij"]),
        ("ab abcdef", 4, ["ab", "abcd", "ef"]),
        ("幅と高さ", 5, ["幅と", "高さ"]),
        ("幅", 1, ["幅"]),
        (f"{BOLD.format('abc')} def", 7, [f"{BOLD.format('abc')} def"]),
        (BOLD.format("abcdef"), 3, ["abc", "def"]),
        ("a\tb", 20, ["a       b"]),
    ],
)
def test_lines_are_broken_between_words(text, width, lines):
    assert wrapped(text, width) == lines


def test_codes_are_shown_and_lines_stay():
    assert visible("a\x07\x1b[2J\n\tb\x9b2J") == "a\\x07\\x1b[2J\n\tb\\x9b2J"
    assert visible("härte") == "härte"
