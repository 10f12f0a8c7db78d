"""Plain text tables."""

import pytest

from opforge.base.text_lines import text_width
from opforge.base.text_tables import Column, TextTable

ROWS = [("exp", "Return e to the power of each element."), ("log", "Return the logarithm.")]


def table(*columns, rows=ROWS, title=""):
    return TextTable(columns, list(rows), title)


def tagged(text, style):
    return f"<{style}>{text}</>"


def test_columns_are_as_wide_as_their_widest_cell():
    found = table(Column("name"), Column("description"), title="Title").lines(240)
    assert found == [
        "Title",
        "name  description",
        "exp   Return e to the power of each element.",
        "log   Return the logarithm.",
    ]


def test_no_headings_no_line_of_them():
    assert table(Column(), Column()).lines(240)[0].startswith("exp  Return")
    assert TextTable([Column(), Column()]).lines(80) == []
    assert TextTable([Column("a"), Column("b")]).lines(80) == ["a  b"]


@pytest.mark.parametrize("width", [20, 24, 30, 41, 80])
def test_breakable_columns_are_wrapped(width):
    lines = table(Column("name", whole=True), Column("description")).lines(width)
    assert max(map(text_width, lines)) <= width
    words = " ".join(" ".join(lines).split())
    assert words.replace("log ", "").startswith("name description exp Return e to the power")


def test_the_widest_column_gives_way_first():
    rows = [("n" * 20, "a " * 30, "short")]
    (first, *_) = table(Column(), Column(), Column(), rows=rows).lines(60)
    assert first.split()[0] == "n" * 20
    assert first.endswith("short")


def test_whole_columns_are_never_wrapped():
    rows = [("n" * 30, "some words here")]
    lines = table(Column(whole=True), Column(), rows=rows).lines(20)
    assert lines[0].split()[0] == "n" * 30
    assert [line.split()[-1] for line in lines] == ["some", "words", "here"]


def test_a_column_has_its_most():
    lines = table(Column(most=5), Column(), rows=[("abcdefgh", "x")]).lines(80)
    assert lines == ["abcde  x", "fgh"]


def test_numbers_are_right_aligned_and_wide_characters_counted():
    rows = [("幅", "1"), ("ab", "1000")]
    assert table(Column(), Column("ms", right=True), rows=rows).lines(80) == [
        "      ms",
        "幅     1",
        "ab  1000",
    ]


def test_styles_do_not_move_columns():
    columns = [Column("check", style="bold"), Column("result", style={"failed": "red"}, whole=True)]
    rows = [("forward", "passed"), ("slices", "failed")]
    assert table(*columns, rows=rows, title="T").lines(80, tagged) == [
        "<bold>T</>",
        "<bold>check</>    <bold>result</>",
        "<bold>forward</>  passed",
        "<bold>slices</>   <red>failed</>",
    ]


def test_lines_of_a_cell_stay_lines():
    assert table(Column(), Column(), rows=[("a\nbb", "c")]).lines(80) == ["a   c", "bb"]
