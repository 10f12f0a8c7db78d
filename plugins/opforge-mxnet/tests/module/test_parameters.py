import numpy as np
import pytest

import opforge as mx
from opforge.base.errors import ShapeError


def bound(symbol, label=True, **settings):
    module = mx.mod.Module(symbol, label_names=("softmax_label",) if label else None, **settings)
    module.bind([("data", (4, 2))], [("softmax_label", (4,))] if label else None)
    return module


def values(module):
    return {name: array.asnumpy().tolist() for name, array in module.get_params()[0].items()}


WEIGHT, BIAS = [[1, 2], [3, 4], [5, 6]], [7, 8, 9]


def given():
    return {"fc_weight": mx.nd.array(WEIGHT), "fc_bias": mx.nd.array(BIAS)}


def test_names_decide_and_variables_overrule(net):
    module = bound(net(weight=mx.sym.var("fc_weight", init=mx.init.Constant(5))))
    module.init_params(mx.init.One())
    assert values(module) == {"fc_weight": [[5, 5]] * 3, "fc_bias": [0, 0, 0]}
    module = bound(net())
    module.init_params()
    assert 0 < np.abs(values(module)["fc_weight"]).max() <= 0.01


def test_an_initializer_may_be_given_by_name(net):
    module = bound(net())
    module.init_params("ones")
    assert values(module) == {"fc_weight": [[1, 1]] * 3, "fc_bias": [0, 0, 0]}


def test_given_values_come_first(net):
    module = bound(net())
    module.init_params(mx.init.One(), arg_params=given())
    assert values(module) == {"fc_weight": WEIGHT, "fc_bias": BIAS}
    some = {"fc_bias": mx.nd.array(BIAS)}
    with pytest.raises(RuntimeError, match="fc_weight is not presented"):
        module.init_params(mx.init.One(), some, force_init=True)
    module.init_params(mx.init.One(), some, allow_missing=True, force_init=True)
    assert values(module) == {"fc_weight": [[1, 1]] * 3, "fc_bias": BIAS}


def test_second_initialisation_is_ignored(make_module, net):
    module = make_module()
    with pytest.warns(UserWarning, match="Parameters already initialized and force_init=False"):
        module.init_params(mx.init.Zero())
    with pytest.warns(UserWarning, match="Parameters already initialized"):
        module.set_params(given(), {}, force_init=False)
    assert values(module)["fc_weight"] == [[1, 1]] * 3
    with pytest.raises(AssertionError, match="call bind first"):
        mx.mod.Module(net()).init_params()
    with pytest.raises(AssertionError, match="call init_params or set_params first"):
        mx.mod.Module(net()).get_params()


def test_set_params(make_module):
    module = make_module()
    module.set_params({**given(), "more": mx.nd.ones(1)}, None)
    assert values(module) == {"fc_weight": WEIGHT, "fc_bias": BIAS}
    with pytest.raises(RuntimeError, match="fc_weight is not presented"):
        module.set_params({"fc_bias": mx.nd.zeros(3)}, {})
    module.set_params({"fc_bias": mx.nd.zeros(3)}, {}, allow_missing=True)
    assert values(module) == {"fc_weight": WEIGHT, "fc_bias": [0, 0, 0]}
    more = {"more": mx.nd.ones(1)}
    with pytest.raises(ValueError, match='Find name "more" that is not in the argument'):
        module.set_params(more, {}, allow_missing=True)
    module.set_params(more, {}, allow_missing=True, allow_extra=True)
    with pytest.raises(ShapeError, match=r"'fc_bias' has shape \(3,\), its value \(5,\)"):
        module.set_params({**given(), "fc_bias": mx.nd.zeros(5)}, {})


def test_get_params_returns_copies(make_module):
    module = make_module()
    module.get_params()[0]["fc_weight"][:] = 7
    assert values(module)["fc_weight"] == [[1, 1]] * 3


def test_states_are_neither_data_nor_parameters():
    net = mx.sym.var("data") + mx.sym.var("state")
    module = bound(net, label=False, state_names=["state"])
    module.init_params()
    assert module.get_params() == ({}, {})
    batch = mx.io.DataBatch([mx.nd.ones((4, 2))])
    module.forward(batch)
    assert module.get_outputs()[0].asnumpy().max() == 1
    module.set_states(value=2)
    module.forward(batch)
    assert module.get_outputs()[0].asnumpy().max() == 3
    module.set_states(states=[module.get_outputs(merge_multi_context=False)[0]])
    ((state,),) = module.get_states(merge_multi_context=False)
    assert state.asnumpy().tolist() == [[3, 3]] * 4
    with pytest.raises(AssertionError, match="exactly one of states and value"):
        module.set_states()
    with pytest.raises(AssertionError, match="merge_multi_context=False"):
        module.get_states()


def test_auxiliary_states():
    class Counting(mx.operator.CustomOp):
        def forward(self, is_train, req, in_data, out_data, aux):
            aux[0][:] = aux[0] + 1
            self.assign(out_data[0], req[0], in_data[0] + aux[0])

    @mx.operator.register("module_tests_counting")
    class CountingProp(mx.operator.CustomOpProp):
        def list_auxiliary_states(self):
            return ["count"]

        def infer_shape(self, in_shape):
            return in_shape, in_shape, [[1]]

        def create_operator(self, ctx, shapes, dtypes):
            return Counting()

    net = mx.sym.Custom(mx.sym.var("data"), op_type="module_tests_counting", name="counting")
    module = bound(net, label=False)
    with pytest.raises(ValueError, match="Unknown initialization pattern for counting_count"):
        module.init_params()
    module.init_params(aux_params={"counting_count": mx.nd.array([5])})
    module.forward(mx.io.DataBatch([mx.nd.zeros((4, 2))]))
    assert module.get_outputs()[0].asnumpy().max() == 6
    assert module.get_params()[1]["counting_count"].asscalar() == 6


def test_parameters_are_assigned_before_binding():
    """Subclasses with a `load` of their own do so."""
    network = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=1, no_bias=True, name="fc")
    module = mx.mod.Module(network, label_names=None)
    module._arg_params, module._aux_params = {"fc_weight": mx.nd.ones((1, 3))}, {}
    module.params_initialized = True
    module.bind([("data", (2, 3))])
    module._sync_params_from_devices()
    assert module._arg_params["fc_weight"].asnumpy().tolist() == [[1, 1, 1]]
