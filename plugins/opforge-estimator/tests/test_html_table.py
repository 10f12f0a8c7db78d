from opforge_estimator.html_table import html_table


def test_text_is_escaped_and_first_cells_may_be_titles():
    page = html_table(["", "<n>"], [["a&b", "1"]], has_row_titles=True)
    assert "<th></th><th>&lt;n&gt;</th>" in page
    assert "<tbody><tr><th>a&amp;b</th><td>1</td></tr></tbody>" in page
