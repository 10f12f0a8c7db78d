from opforge import gluon, name
from opforge.gluon.block_scope import BlockScope


def test_names_count_by_class():
    with name.NameManager():
        assert [gluon.Block().name, gluon.HybridBlock().name, gluon.Block().prefix] == [
            "block0",
            "hybridblock0",
            "block1_",
        ]


def test_scope_prefixes_children_and_restarts_the_count(scale):
    net = gluon.nn.Sequential(prefix="net_")
    with net.name_scope():
        net.add(scale(), scale(prefix="mine_"), scale())
        inner = gluon.nn.Sequential()
        with inner.name_scope():
            inner.add(scale())
        net.add(inner)
    with name.NameManager():
        net.add(scale())
    assert [block.prefix for block in net] == [
        "net_scale0_",
        "net_mine_",
        "net_scale1_",
        "net_sequential0_",
        "scale0_",
    ]
    assert list(net.collect_params())[-2:] == ["net_sequential0_scale0_factor", "scale0_factor"]


def test_empty_prefix_leaves_the_outer_scope(scale):
    net = gluon.nn.Sequential(prefix="net_")
    with net.name_scope():
        inner = gluon.nn.Sequential(prefix="")
        with inner.name_scope():
            inner.add(scale())
    assert inner[0].prefix == "net_scale0_"


def test_scope_is_reentrant_and_names_operators(scale):
    net = gluon.nn.Sequential(prefix="net_")
    with net.name_scope(), net.name_scope():
        assert name.NameManager.current.get(None, "fc") == "net_fc0"
    assert not isinstance(name.NameManager.current, name.Prefix)


def test_shared_parameters(scale):
    first = scale(prefix="a_")
    second = scale(prefix="b_", params=first.params)
    assert second.factor is first.factor
    prefix, params = BlockScope.create("c_", first.params, "scale")
    assert prefix == "c_"
    assert params.get("factor") is first.factor


def test_sharing_inside_a_scope(scale):
    first = gluon.nn.Sequential(prefix="net_")
    with first.name_scope():
        first.add(scale(), scale())
    second = gluon.nn.Sequential(prefix="net_", params=first.collect_params())
    with second.name_scope():
        second.add(scale(), scale())
    assert [b.factor for b in second] == [a.factor for a in first]
