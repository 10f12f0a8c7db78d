"""Handles, bound attributes and plans: cached entries and limits."""

import weakref

import pytest

from opforge import nd
from opforge.base.context import cpu
from opforge.native.dispatch.invoking import invoke
from opforge.native.dispatch.plans import Bound, Handle, Plan, elementwise_handle
from opforge.op.calling.binding import make_handle
from opforge.op.declaring.attribute import Attribute, Shape
from opforge.op.declaring.declaration import OperatorProp
from opforge.op.registry.entry import Entry

#: Names of arguments, outputs and auxiliary states.
NAMES = (["data"], ["output"], [])

MAX_BOUNDS = 512  # as in plans.pyx
MAX_PLANS = 1024


class Scale(OperatorProp):
    """Multiply by a number; counts how often it is asked for something."""

    name = "scale"
    factor = Attribute(float, default=2.0)
    window = Attribute(Shape, default=())
    alive: "weakref.WeakSet[Scale]" = weakref.WeakSet()

    def __init__(self, **attributes):
        super().__init__(**attributes)
        self.alive.add(self)

    def compute(self, in_data, out_data, req, is_train):
        out_data[0][:] = in_data[0] * self.factor

    def gradient(self, F, out_grad, in_data, out_data):
        return [out_grad[0] * self.factor]


def handle_of(prop_class):
    return make_handle(Entry(prop_class.name, prop_class, "some-plugin", "1.0", "plugin"))


def test_attributes_are_parsed_once_for_each_value():
    handle = handle_of(Scale)
    first = handle.bound((3.0, (1, 2)))
    assert handle.bound((3.0, (1, 2))) is first
    assert handle.bound((4.0, (1, 2))) is not first
    assert first.prop.factor == 3.0
    assert first.handle is handle


def test_lists_among_the_attributes_are_found_like_tuples():
    handle = handle_of(Scale)
    assert handle.bound((3.0, [1, 2])) is handle.bound((3.0, (1, 2)))


def test_attributes_that_cannot_be_hashed_are_parsed_each_time():
    seen = []

    def bind(handle, values):
        seen.append(values)
        return Bound(handle, Scale(), NAMES, None, None)

    handle = Handle("any", None, bind)
    for _ in range(2):
        handle.bound(({"a": 1},))
    handle.bound((([1], [2]),))
    assert len(seen) == 3


def test_attribute_values_are_cached_up_to_a_limit():
    Scale.alive.clear()
    handle = handle_of(Scale)
    x = nd.ones((1,))
    for i in range(2 * MAX_BOUNDS + 10):
        assert invoke(handle, (x,), (float(i), ()), None).asscalar() == i
    assert len(Scale.alive) <= MAX_BOUNDS


def test_shapes_are_cached_up_to_a_limit():
    alive, made = weakref.WeakSet(), []

    class Compute:
        def __call__(self, in_data, out_data, req, is_train):
            out_data[0][:] = 1

    def make_plan(bound, context, shapes, codes):
        made.append(shapes[0])
        compute = Compute()
        alive.add(compute)
        return Plan(bound, shapes, codes, [(1,)], [0], 1, None, compute, False, None)

    def bind(handle, values):
        return Bound(handle, Scale(), NAMES, make_plan, None)

    handle = Handle("any", None, bind)
    memory = nd.zeros((MAX_PLANS + 10,))
    for n in range(1, MAX_PLANS + 11):
        invoke(handle, (memory[:n],), (), None)
    assert len(made) == MAX_PLANS + 10
    assert len(alive) <= MAX_PLANS
    invoke(handle, (memory[: MAX_PLANS + 10],), (), None)
    assert len(made) == MAX_PLANS + 10  # the newest is remembered
    invoke(handle, (memory[:1],), (), None)
    assert len(made) == MAX_PLANS + 11  # the oldest went with the others


def test_plans_are_distinguished_by_shape_dtype_and_device():
    made = []

    def make_plan(bound, context, shapes, codes):
        made.append((context, tuple(shapes), tuple(codes)))
        return Plan(bound, shapes, codes, [(1,)], [0], 1, None, lambda *call: None, True, None)

    handle = Handle("any", None, lambda h, v: Bound(h, Scale(), NAMES, make_plan, None))
    arrays = [
        nd.zeros((2,)),
        nd.zeros((3,)),
        nd.zeros((2,), dtype="int32"),
        nd.zeros((2,), ctx=cpu(1)),
    ]
    for x in arrays * 2:
        invoke(handle, (x,), (), None)
    assert made == [(x.context, (x.shape,), (x.dtype_code,)) for x in arrays]


@pytest.mark.parametrize("named", [("unary", "nothing"), ("ternary", "add")])
def test_unknown_kernel_is_rejected(named):
    kind, kernel = named
    entry = Entry("test_kernel", OperatorProp)
    with pytest.raises(ValueError, match=r"test_kernel.*names no kernel"):
        elementwise_handle(kind, kernel, entry, None, None, (), False, False)
