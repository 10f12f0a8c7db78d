"""The tape: scopes, variables, freshness, callbacks."""

import threading
import weakref

import numpy as np
import pytest

from opforge import autograd, nd
from opforge.base.errors import OpforgeError
from opforge.native.dispatch import tape


@pytest.fixture(autouse=True)
def _restore_state():
    yield
    tape.set_recording(False)
    tape.set_training(False)


def variable(values=(1, 2, 3), req="write"):
    x = nd.array(list(values))
    x.attach_grad(req)
    return x


def test_scope_sets_only_passed_values():
    with tape.Scope(recording=True):
        assert (tape.recording(), tape.training()) == (True, False)
        with tape.Scope(training=True):
            assert (tape.recording(), tape.training()) == (True, True)
        assert (tape.recording(), tape.training()) == (True, False)
        with tape.Scope():
            assert (tape.recording(), tape.training()) == (True, False)
    assert (tape.recording(), tape.training()) == (False, False)


def test_one_scope_may_be_entered_again_inside_itself():
    scope = tape.Scope(recording=True, training=True)
    with scope:
        with tape.Scope(recording=False), scope:
            assert tape.recording()
        assert tape.recording()
        with scope:
            pass
        assert tape.recording()
    assert not tape.recording()
    assert not tape.training()


def test_scope_restores_and_passes_the_exception_on():
    with pytest.raises(KeyError, match="inside"), tape.Scope(True, True):
        raise KeyError("inside")
    assert not tape.recording()
    assert not tape.training()


def test_state_belongs_to_the_thread():
    seen = []
    with tape.Scope(True, True):
        thread = threading.Thread(target=lambda: seen.append((tape.recording(), tape.training())))
        thread.start()
        thread.join()
    assert seen == [(False, False)]


def test_setters_return_the_state_before():
    assert tape.set_recording(True) is False
    assert tape.set_recording(False) is True
    assert tape.set_training(True) is False
    assert tape.set_training(False) is True


@pytest.mark.parametrize("shape", [(2,), (1, 3), ()])
def test_mark_rejects_a_gradient_of_another_shape(shape):
    with pytest.raises(ValueError, match=r"must be equal"):
        tape.mark(nd.zeros((3,)), nd.zeros(shape))


def test_mark_rejects_another_dtype_and_an_unknown_req():
    with pytest.raises(ValueError, match=r"int32.*float32"):
        tape.mark(nd.zeros((3,)), nd.zeros((3,), dtype="int32"))
    with pytest.raises(ValueError, match="'often' is unknown"):
        tape.mark(nd.zeros((3,)), nd.zeros((3,)), "often")


def test_mark_sets_and_removes_the_variable():
    x, grad = nd.array([1.0, 2.0]), nd.zeros((2,))
    assert tape.grad_of(x) is None
    tape.mark(x, grad)
    assert tape.grad_of(x) is grad
    assert tape.in_graph(x)
    tape.mark(x, grad, "null")
    assert tape.grad_of(x) is None
    assert not tape.in_graph(x)
    tape.mark(x, grad)
    tape.mark(x, None)
    assert not tape.in_graph(x)


def test_mark_drops_the_history():
    x = variable()
    with autograd.record():
        y = x * 2
        tape.mark(y, nd.zeros((3,)))
        z = y * y
    z.backward()
    assert y.grad.asnumpy().tolist() == [4, 8, 12]
    assert x.grad.asnumpy().tolist() == [0, 0, 0]


def test_gradient_is_fresh_until_it_is_used():
    x, unused = variable(), variable()
    assert not tape.is_fresh(x)
    with autograd.record():
        y = x * x
    y.backward()
    assert tape.is_fresh(x)
    assert not tape.is_fresh(unused)
    tape.set_fresh(x, False)
    assert not tape.is_fresh(x)


def test_freshness_of_a_gradient_that_a_rule_writes_itself():
    x = variable()
    with autograd.record():
        tape.set_fresh(x, False)
        y = nd.sum(x)
    y.backward()
    assert tape.is_fresh(x)


def test_freshness_of_other_arrays():
    x = nd.zeros((2,))
    tape.set_fresh(x, True)
    assert tape.is_fresh(x) is False


def test_autograd_grad_does_not_touch_the_variable():
    x = variable()
    with autograd.record():
        y = x * 3
    (result,) = autograd.grad(y, [x])
    assert result.asnumpy().tolist() == [3, 3, 3]
    assert x.grad.asnumpy().tolist() == [0, 0, 0]
    assert not tape.is_fresh(x)


def test_writes_are_rejected_only_while_recording_and_only_in_the_graph():
    x = variable()
    tape.reject_recorded_write(x)
    with autograd.record():
        tape.reject_recorded_write(nd.zeros((2,)))
        with pytest.raises(OpforgeError, match="not supported when recording"):
            tape.reject_recorded_write(x)
        with autograd.pause():
            tape.reject_recorded_write(x)


def test_detach_shares_memory_without_history():
    x = variable()
    other = tape.detach(x)
    assert not tape.in_graph(other)
    other[:] = 7
    assert x.asnumpy().tolist() == [7, 7, 7]


def callback_square(x, seen=None):
    y = nd.array(x.asnumpy() ** 2)

    def backward(out_grads):
        if seen is not None:
            seen.append([grad.asnumpy().tolist() for grad in out_grads])
        return [2 * tape.detach(x) * out_grads[0]]

    tape.record_callback((x,), [y], backward)
    return y


def test_callbacks_are_differentiated_in_a_chain():
    x, seen = variable(), []
    with autograd.record():
        y = callback_square(x * 2, seen) * 10
    y.backward()
    assert seen == [[[10, 10, 10]]]
    assert x.grad.asnumpy().tolist() == [80, 160, 240]


def test_callbacks_are_recorded_only_when_it_matters():
    x = variable()
    assert not tape.in_graph(callback_square(x))
    with autograd.record():
        assert not tape.in_graph(callback_square(nd.ones((2,))))
        assert tape.in_graph(callback_square(x))


def test_callback_gets_zeros_for_unused_outputs():
    x, seen = variable(), []

    def backward(out_grads):
        seen.append([grad.asnumpy().tolist() for grad in out_grads])
        return [out_grads[0] + out_grads[1]]

    outputs = [nd.ones((3,)), nd.ones((2,)), nd.ones((3,))]
    with autograd.record():
        tape.record_callback((x,), outputs, lambda grads: backward([grads[0], grads[2], grads[1]]))
        y = outputs[2] * 5
    y.backward()
    assert seen == [[[0, 0, 0], [5, 5, 5], [0, 0]]]
    assert x.grad.asnumpy().tolist() == [5, 5, 5]


@pytest.mark.parametrize("results", [[], [None]])
def test_callback_with_too_few_or_no_gradients(results):
    x = variable()
    y = nd.ones((3,))
    with autograd.record():
        tape.record_callback((x,), [y], lambda grads: results)
    if results:
        y.backward()
        assert x.grad.asnumpy().tolist() == [0, 0, 0]
    else:
        with pytest.raises(OpforgeError, match="returned 0 gradients for 1 inputs"):
            y.backward()


def test_exception_in_a_callback_leaves_the_modes_and_may_be_tried_again():
    x, answers = variable(), iter([KeyError("once"), None])
    y = nd.ones((3,))

    def backward(grads):
        error = next(answers)
        if error is not None:
            raise error
        return grads

    with autograd.record():
        tape.record_callback((x,), [y], backward)
    with pytest.raises(KeyError, match="once"):
        y.backward()
    assert not tape.recording()
    assert not tape.training()
    y.backward()
    assert x.grad.asnumpy().tolist() == [1, 1, 1]


@pytest.mark.usefixtures("no_collector")
def test_tape_is_freed_with_the_outputs():
    class Token:
        def __call__(self, grads):
            return grads

    token = Token()
    gone = weakref.ref(token)
    x, y = variable(), nd.ones((3,))
    with autograd.record():
        tape.record_callback((x,), [y], token)
    del token
    assert gone() is not None
    del y
    assert gone() is None


def test_gradient_add_accumulates_over_passes():
    x = variable(req="add")
    for _ in range(3):
        with autograd.record():
            y = callback_square(x)
        y.backward()
    np.testing.assert_array_equal(x.grad.asnumpy(), [6, 12, 18])


def test_bare_node_has_no_operation():
    assert tape.Node.__new__(tape.Node).operation is None


def test_hooks_are_read_when_a_gradient_is_complete():
    x, y = variable(), variable()
    seen = []
    hooks = {}
    tape.set_hooks(x, hooks)
    hooks["later"] = seen.append

    def backward():
        with autograd.record():
            z = x * y + x
        z.backward()

    backward()
    assert len(seen) == 1 and seen[0] is x.grad
    hooks.clear()
    backward()
    tape.set_hooks(x, {"gone": seen.append})
    tape.set_hooks(x, None)
    backward()
    assert len(seen) == 1


def test_hooks_of_other_arrays_are_ignored():
    x = nd.ones(2)
    tape.set_hooks(x, {"never": print})
    x.attach_grad()
    with autograd.record():
        y = x * 2
    tape.set_hooks(y, {"never": print})
    y.backward()
    assert x.grad.asnumpy().tolist() == [2, 2]
