from opforge import gluon, nd
from opforge.gluon.block_table import block_html


class Scale(gluon.HybridBlock):
    def __init__(self, shape=(0, 3), **kwargs):
        super().__init__(**kwargs)
        self.factor = self.params.get("factor", shape=shape, allow_deferred_init=True)

    def hybrid_forward(self, F, x, factor):
        return x * factor

    def __repr__(self):
        return "Scale(<b>&)\nof two lines"


def network():
    net = gluon.nn.HybridSequential(prefix="net_")
    net.add(Scale((2, 3)), gluon.nn.HybridSequential())
    net[1].add(Scale(), Scale((4,)))
    return net


def test_a_net_is_a_table_of_its_parts():
    html = network()._repr_html_()
    assert "net: 3 parameters of 10 numbers, 1 of which get their shape in the first call" in html
    assert html.count("<tr>") == 1 + 5
    assert "factor 2x3" in html and "factor ?x3" in html and ">6<" in html
    assert html.index("padding-left:6px") < html.index("padding-left:18px")
    assert "padding-left:30px" in html


def test_repr_in_html_is_escaped():
    html = Scale()._repr_html_()
    assert "<b>" not in html and "Scale(&lt;b&gt;&amp;) of two lines" in html


def test_shapes_are_those_of_now():
    block = Scale(prefix="scale_")
    block.factor.shape = (1, 3)
    block.initialize()
    block(nd.ones((2, 3)))
    assert "scale: 1 parameters of 3 numbers<" in block_html(block)


def test_of_many_parts_some_are_shown():
    net = gluon.nn.Sequential()
    net.add(*(Scale((1,)) for _ in range(500)))
    html = net._repr_html_()
    assert html.count("<tr>") == 1 + 200 + 1 and "…" in html
    assert "500 parameters of 500 numbers" in html


def test_a_long_description_is_cut():
    class Wordy(gluon.Block):
        def __repr__(self):
            return "word " * 1000

    assert len(Wordy()._repr_html_()) < 2000
