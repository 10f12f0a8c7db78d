from opforge import sym
from opforge.symbol.graph_table import graph_html


def test_a_symbol_is_a_table_of_its_nodes():
    x = sym.var("x<y>")
    html = sym.sum(x * x, axis=1, name="total")._repr_html_()
    assert "Symbol of 3 nodes; outputs: total<" in html
    assert html.count("<tr>") == 1 + 3
    assert "x<y>" not in html and "x&lt;y&gt;, x&lt;y&gt;" in html
    assert ">variable<" in html and ">elemwise_mul<" in html and ">axis=1<" in html


def test_groups_name_all_outputs():
    group = sym.Group([sym.var("a"), sym.var("b")])
    assert "Symbol of 2 nodes; outputs: a, b<" in graph_html(group)


def test_large_graphs_and_many_inputs_are_cut():
    x = sym.var("x")
    for at in range(500):
        x = sym.exp(x, name=f"node{at}")
    html = graph_html(x)
    assert html.count("<tr>") == 1 + 200 + 1 and "Symbol of 501 nodes" in html
    wide = graph_html(sym.concat(*(sym.var(f"v{at}") for at in range(50)), dim=0))
    assert "v11, …" in wide
