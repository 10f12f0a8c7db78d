"""Parameters with row-sparse values: a store keeps them, batches take rows."""

import copy
import pickle

import numpy as np
import pytest

from opforge import autograd, cpu, gluon, init, kvstore, nd

CONTEXTS = [cpu(0), cpu(1)]
VALUES = np.arange(12, dtype="float32").reshape(6, 2)


def made(ctx=None, grad_stype="row_sparse", **kwargs):
    """Return a parameter with VALUES."""
    param = gluon.Parameter("w", shape=(6, 2), stype="row_sparse", grad_stype=grad_stype, **kwargs)
    param.initialize(ctx=ctx, init=init.Constant(VALUES.tolist()))
    return param


def test_rows_come_from_the_store():
    param = made(CONTEXTS)
    trainer = gluon.Trainer([param], "sgd")
    for ids, wanted in (([4, 1, 4], [1, 4]), ([[0], [5]], [0, 5]), ([], [])):
        rows = param.row_sparse_data(nd.array(ids, ctx=cpu(1)))
        assert rows.context == cpu(1) and rows.shape == (6, 2)
        assert rows.indices.asnumpy().tolist() == wanted
        np.testing.assert_array_equal(rows.data.asnumpy(), VALUES[wanted])
    both = param.list_row_sparse_data(nd.array([2]))
    assert [one.context for one in both] == CONTEXTS
    assert all(one.indices.asnumpy().tolist() == [2] for one in both)
    assert trainer._kvstore.type == "device"
    assert param.var().attr("__storage_type__") == "1"


@pytest.mark.parametrize("ctx", [[cpu(0)], CONTEXTS])
@pytest.mark.parametrize("grad_stype", ["row_sparse", "default"])
def test_a_step_is_that_of_a_dense_parameter(ctx, grad_stype):
    dense = gluon.Parameter("w", shape=(6, 2))
    dense.initialize(ctx=ctx, init=init.Constant(VALUES.tolist()))
    sparse = made(ctx, grad_stype)
    settings = {"learning_rate": 0.1, "momentum": 0.9, "wd": 0.1, "lazy_update": False}
    trainers = [gluon.Trainer([param], "sgd", settings) for param in (dense, sparse)]
    for ids in ([1, 4], [4, 5], [0, 0]):
        rows = nd.array(ids)
        for param, trainer in zip((dense, sparse), trainers, strict=True):
            values = param.list_row_sparse_data(rows) if param is sparse else param.list_data()
            with autograd.record():
                losses = [
                    nd.square(nd.take(value, rows.as_in_context(value.context))).sum()
                    for value in values
                ]
            autograd.backward(losses)
            trainer.step(1)
    np.testing.assert_allclose(sparse._reduce().asnumpy(), dense._reduce().asnumpy(), rtol=1e-5)


@pytest.mark.parametrize("name", ["adam", "adagrad", "rmsprop", "nag", "adadelta"])
def test_every_optimizer_takes_a_step(name):
    param = made()
    trainer = gluon.Trainer([param], name)
    with autograd.record():
        loss = (param.row_sparse_data(nd.array([2, 3])) * nd.array(VALUES)).sum()
    loss.backward()
    trainer.step(1)
    after = param._reduce().asnumpy()
    assert (after != VALUES).any() and np.isfinite(after).all()


def test_without_a_trainer_there_are_no_rows():
    param = made()
    with pytest.raises(RuntimeError, match="no Trainer is created with it"):
        param.row_sparse_data(nd.array([0]))
    with pytest.raises(RuntimeError, match="Please use row_sparse_data"):
        param.data()
    with pytest.raises(RuntimeError, match="Please use row_sparse_data"):
        param.list_data()
    trainer = gluon.Trainer([param], "sgd")
    with pytest.raises(TypeError, match="row_id is list, expected an NDArray"):
        param.row_sparse_data([0])
    with pytest.raises(RuntimeError, match="More than one trainers"):
        gluon.Trainer([param], "sgd")
    with pytest.raises(RuntimeError, match="not initialized on context"):
        param.row_sparse_data(nd.array([0], ctx=cpu(3)))
    dense = gluon.Parameter("d", shape=(2, 2))
    dense.initialize()
    with pytest.raises(RuntimeError, match="storage type is default"):
        dense.row_sparse_data(nd.array([0]))
    del trainer


def test_the_store_must_update():
    param = made()
    trainer = gluon.Trainer([param], "sgd", update_on_kvstore=False)
    with pytest.raises(ValueError, match="update_on_kvstore=False when sparse weights"):
        param.row_sparse_data(nd.array([0]))
    other = made()
    nobody = gluon.Trainer([other], "sgd", kvstore=None)
    with pytest.raises(ValueError, match="a store that runs an optimizer"):
        other.row_sparse_data(nd.array([0]))
    third = made()
    given = kvstore.create("local")
    last = gluon.Trainer([third], "sgd", kvstore=given)
    third.row_sparse_data(nd.array([0]))
    assert last._kvstore is given
    del trainer, nobody


def test_the_whole_value_is_saved_and_read(tmp_path):
    params = gluon.ParameterDict("net_")
    params._params["net_w"] = param = made()
    param.name = "net_w"
    trainer = gluon.Trainer(params, "sgd")
    param.row_sparse_data(nd.array([3]))  # the parameter itself has one row from now on
    params.save(str(tmp_path / "w"))
    loaded = nd.load(str(tmp_path / "w"))["net_w"]
    assert loaded.stype == "row_sparse"
    np.testing.assert_array_equal(loaded.asnumpy(), VALUES)
    for stype in ("default", "row_sparse"):
        other = gluon.ParameterDict("net_")
        other.get("w", shape=(6, 2), stype=stype)
        other.load(str(tmp_path / "w"))
        np.testing.assert_array_equal(other["net_w"]._reduce().asnumpy(), VALUES)
    del trainer


def test_new_values_reach_the_store():
    param = made(CONTEXTS)
    trainer = gluon.Trainer([param, kept := made(CONTEXTS)], "sgd")
    rows = nd.array([1, 3])
    for one in (param, kept):
        one.row_sparse_data(rows)
    param.set_data(nd.array(VALUES + 1))
    np.testing.assert_array_equal(param.row_sparse_data(rows).data.asnumpy(), VALUES[[1, 3]] + 1)
    param.initialize(ctx=CONTEXTS, init="ones", force_reinit=True)
    assert param.row_sparse_data(rows).data.asnumpy().tolist() == [[1, 1], [1, 1]]
    trainer._reset_kvstore()
    np.testing.assert_array_equal(kept._reduce().asnumpy(), VALUES)
    param.reset_ctx([cpu(1), cpu(2)])
    assert param.row_sparse_data(nd.array([2], ctx=cpu(2))).data.asnumpy().tolist() == [[1, 1]]


def test_copies_and_pickles_are_whole():
    param = made()
    trainer = gluon.Trainer([param], "sgd")
    param.row_sparse_data(nd.array([3]))
    for other in (copy.deepcopy(param), pickle.loads(pickle.dumps(param))):
        assert other._trainer is None
        np.testing.assert_array_equal(other._reduce().asnumpy(), VALUES)
    del trainer


def test_types_and_requests_change():
    param = made()
    param.cast("float64")
    assert param._reduce().dtype == np.float64
    param.grad_req = "null"
    with pytest.raises(RuntimeError, match="grad_req='null'"):
        param.grad()
    param.grad_req = "add"
    assert param.grad().stype == "row_sparse"


def test_states_are_saved_with_the_trainer(tmp_path):
    param = made(lr_mult=1.0)
    trainer = gluon.Trainer([param], "sgd", {"learning_rate": 0.1})
    with autograd.record():
        loss = param.row_sparse_data(nd.array([0])) * 1
    loss.backward()
    trainer.step(1)
    trainer.save_states(str(tmp_path / "states"))
    trainer.load_states(str(tmp_path / "states"))
    param.lr_mult = 2.0
    assert trainer._kvstore._updater.optimizer._get_lr(0) == 0.2
