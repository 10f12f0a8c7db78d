"""The environment in which operator code runs."""

import sys

import pytest

import opforge as mx
from opforge import autograd, nd
from opforge.base.context import cpu, current_context
from opforge.base.errors import OperatorError
from opforge.native.dispatch.invoking import invoke
from opforge.op.calling.binding import make_handle
from opforge.op.declaring.custom import CustomOp
from opforge.op.declaring.declaration import OperatorProp
from opforge.op.registry.entry import Entry


def handle_of(prop_class):
    return make_handle(Entry(prop_class.name, prop_class, "some-plugin", "1.0", "plugin"))


def call(prop_class, *inputs):
    return invoke(handle_of(prop_class), inputs, (), None)


def test_authors_code_runs_on_the_inputs_device_with_recording_off():
    seen = []

    class Looks(OperatorProp):
        """Notes where it runs."""

        name = "looks"

        def compute(self, in_data, out_data, req, is_train):
            seen.append((current_context(), autograd.is_recording(), is_train, list(req)))
            out_data[0][:] = in_data[0]

    before = current_context()
    with autograd.record():
        result = call(Looks, nd.ones((2,), ctx=cpu(1)))
        assert autograd.is_recording()
    assert seen == [(cpu(1), False, 1, ["write"])]
    assert result.context == cpu(1)
    assert current_context() == before


def test_device_and_modes_are_restored_after_an_error():
    class Fails(OperatorProp):
        """Raises."""

        name = "fails"

        def compute(self, in_data, out_data, req, is_train):
            raise KeyError("the author's own")

    before = current_context()
    with autograd.record(), pytest.raises(OperatorError, match="forward"):
        call(Fails, nd.ones((2,), ctx=cpu(1)))
    assert current_context() == before
    assert not autograd.is_training()


def test_one_object_serves_all_calls_of_a_stateless_declaration():
    made = []

    class Same(CustomOp):
        def forward(self, is_train, req, in_data, out_data, aux):
            self.assign(out_data[0], req[0], in_data[0])

    class Fresh(OperatorProp):
        """Makes an object each time."""

        name = "fresh"

        def create_operator(self, ctx, shapes, dtypes):
            made.append(shapes)
            return Same()

    class Kept(Fresh):
        """Makes one object for each plan."""

        name = "kept"
        stateless = True

    for prop_class, expected in [(Fresh, 3), (Kept, 1)]:
        made.clear()
        handle = handle_of(prop_class)
        for _ in range(3):
            invoke(handle, (nd.ones((2,)),), (), None)
        assert made == [[[2]]] * expected


@pytest.mark.parametrize("context", [cpu(0), cpu(1)])
def test_an_interruption_anywhere_leaves_modes_and_device_of_the_thread(context):
    """An exception is raised at each line of opforge's Python code that one call runs."""

    class Double(mx.operator.CustomOp):
        def forward(self, is_train, req, in_data, out_data, aux):
            self.assign(out_data[0], req[0], in_data[0] * 2)

    @mx.operator.register("double_in_test_running")
    class DoubleProp(mx.operator.CustomOpProp):
        def create_operator(self, ctx, shapes, dtypes):
            return Double()

    x = nd.ones((2,), ctx=context)
    nd.Custom(x, op_type="double_in_test_running")
    started = planted = 0

    def in_function(frame, event, argument):
        nonlocal started
        if event == "line":
            started += 1
            if started == planted:
                sys.settrace(None)
                raise KeyboardInterrupt
        return in_function

    def on_call(frame, event, argument):
        return in_function if "opforge" in frame.f_code.co_filename else None

    before = sys.gettrace()
    with autograd.record(train_mode=False):
        while started >= planted:
            started, planted = 0, planted + 1
            sys.settrace(on_call)
            try:
                nd.Custom(x, op_type="double_in_test_running")
            except KeyboardInterrupt:
                pass
            finally:
                sys.settrace(before)
            assert autograd.is_recording() and not autograd.is_training()
            assert current_context() == cpu(0)
    assert planted > 10
