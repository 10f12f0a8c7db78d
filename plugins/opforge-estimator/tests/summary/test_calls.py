"""The tree of calls."""

from opforge_estimator.summary.calls import blocks_of, record_calls

from opforge import gluon, nd
from opforge.gluon import nn


def test_blocks_are_listed_once():
    shared = nn.Identity()
    net = nn.HybridSequential(shared, nn.HybridSequential(shared))
    assert {id(block) for block in blocks_of(net)} == {id(net), id(net[1]), id(shared)}
    assert len(blocks_of(net)) == 3


def test_the_tree_has_the_order_and_the_names_of_calls():
    class Net(gluon.Block):
        def __init__(self):
            super().__init__()
            self.later = nn.Identity()
            self.first = nn.Sequential(nn.Identity())

        def forward(self, x):
            return self.later(self.first[0](self.first(self.first(x))))

    net = Net()
    root = record_calls(net, (nd.ones(2),))
    assert [(called.name, called.depth, len(called.outputs)) for called in root.walk()] == [
        (net.name, 0, 1),
        ("first", 1, 2),
        ("0", 2, 2),
        (net.first[0].name, 1, 1),
        ("later", 1, 1),
    ]
