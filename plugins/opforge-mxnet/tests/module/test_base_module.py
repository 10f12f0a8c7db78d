import threading

import pytest

import opforge as mx


class Doubling(mx.mod.BaseModule):
    """A module without symbol and parameters."""

    def __init__(self):
        super().__init__()
        self.binded = self.params_initialized = True

    def forward(self, data_batch, is_train=None):
        self.outputs = [array * 2 for array in data_batch.data]

    def get_outputs(self, merge_multi_context=True):
        return self.outputs


def test_loops_need_the_interface_only():
    source = mx.io.NDArrayIter(mx.nd.arange(4), batch_size=2)
    assert Doubling().predict(source).asnumpy().tolist() == [0, 2, 4, 6]


@pytest.mark.parametrize(
    "name", ["data_names", "output_names", "data_shapes", "label_shapes", "output_shapes"]
)
def test_undefined_properties(name):
    with pytest.raises(NotImplementedError, match=f"BaseModule must define {name}"):
        getattr(mx.mod.BaseModule(), name)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("get_params", []),
        ("init_params", []),
        ("set_params", [{}, {}]),
        ("bind", [[]]),
        ("init_optimizer", []),
        ("install_monitor", [None]),
        ("forward", [None]),
        ("backward", []),
        ("update", []),
        ("update_metric", [None, []]),
        ("get_outputs", []),
        ("get_input_grads", []),
    ],
)
def test_undefined_methods(name, arguments):
    with pytest.raises(NotImplementedError, match="BaseModule must define"):
        getattr(mx.mod.BaseModule(), name)(*arguments)


def test_a_module_without_states():
    module = Doubling()
    assert module.get_states(merge_multi_context=False) == []
    module.set_states(states=[])
    with pytest.raises(AssertionError, match="has no states"):
        module.set_states(value=1)
    assert module.symbol is None


def test_sparse_rows_are_warned_of():
    Doubling().prepare(None)
    with pytest.warns(UserWarning, match="No need to call sparse_row_id_fn"):
        Doubling().prepare(None, sparse_row_id_fn=lambda batch: {})


def test_parameters_go_to_a_file_and_back(make_module, tmp_path):
    module = make_module()
    path = str(tmp_path / "some.params")
    module.save_params(path)
    assert sorted(mx.nd.load(path)) == ["arg:fc_bias", "arg:fc_weight"]
    module.init_params(mx.init.Zero(), force_init=True)
    module.load_params(path)
    assert module.get_params()[0]["fc_weight"].asnumpy().tolist() == [[1, 1]] * 3


def test_of_several_threads_one_binds():
    class Slow(mx.mod.BaseModule):
        def __init__(self):
            super().__init__()
            self.n_bound = 0

        def _bind(self, *args):
            threading.Event().wait(0.01)
            self.n_bound += 1
            self.binded = True

    module = Slow()
    threads = [threading.Thread(target=module.bind, args=([],)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert module.n_bound == 1
