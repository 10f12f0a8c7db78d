from opforge.base.html_tables import html_cell, html_table, html_text


def test_texts_are_escaped():
    for made in (html_text("<b> & 'c'"), html_cell("<b> & 'c'"), html_table([], ["<b> & 'c'"])):
        assert "<b>" not in made and "&lt;b&gt; &amp; &#x27;c&#x27;" in made


def test_a_table_has_its_titles_and_rows_in_order():
    made = html_table([[html_cell(1), html_cell(2)], [html_cell(3)]], ["one", "two"])
    assert made.count("<tr>") == 3
    assert made.index("one") < made.index("two") < made.index(">1<") < made.index(">3<")


def test_of_many_rows_only_those_are_made_that_are_shown():
    def rows():
        for number in range(1000):
            made.append(number)
            yield [html_cell(number)]

    made = []
    table = html_table(rows(), most=5)
    assert made == [0, 1, 2, 3, 4, 5]
    assert table.count("<tr>") == 6 and "…" in table and ">5<" not in table
    assert "…" not in html_table([[html_cell(1)]], most=1)


def test_columns_of_text_stay_columns():
    assert "font-family:monospace" in html_text("1 2\n3 4") and "1 2\n3 4" in html_text("1 2\n3 4")
