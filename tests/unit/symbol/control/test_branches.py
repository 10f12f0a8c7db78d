from opforge import sym


def test_cond_has_mxnets_attributes():
    a, b, w = sym.var("a"), sym.var("b"), sym.var("w")
    chosen = sym.contrib.cond(a < b, lambda: a + w, lambda: b * w)
    node = chosen.edges[0][0]
    names = [source.name for source, _ in node.inputs]
    attributes = node.operation.attributes
    assert (attributes["num_args"], attributes["num_outputs"]) == ("7", "1")
    for graph, key in enumerate(("cond_input_locs", "then_input_locs", "else_input_locs")):
        inside = node.operation.prop.subgraphs[graph].symbol.list_inputs()
        outside = [names[at] for at in eval(attributes[key])]
        assert [name.replace("_output", "") for name in inside] == outside


def test_both_branches_determine_shapes():
    a, b = sym.var("a"), sym.var("b")
    chosen = sym.contrib.cond(sym.var("p"), lambda: a * 2, lambda: b * 3)
    shapes = dict(
        zip(chosen.list_arguments(), chosen.infer_shape(b=(2, 3), p=(1,))[0], strict=True)
    )
    assert shapes == {"a": (2, 3), "b": (2, 3), "p": (1,)}
