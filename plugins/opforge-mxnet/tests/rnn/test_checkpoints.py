import numpy as np
import pytest

from opforge import nd, rnn, sym

pytestmark = pytest.mark.plugins


def saved(folder):
    cell = rnn.LSTMCell(2, prefix="l_")
    outputs, _ = cell.unroll(2, sym.var("data"), merge_outputs=True)
    rng = np.random.default_rng(0)
    shapes = zip(outputs.list_arguments(), outputs.infer_shape(data=(1, 2, 3))[0], strict=True)
    args = {name: nd.array(rng.uniform(size=shape)) for name, shape in shapes if name != "data"}
    return cell, outputs, args, f"{folder}/net"


def test_a_checkpoint_has_the_weights_of_each_gate(tmp_path):
    cell, symbol, args, prefix = saved(tmp_path)
    rnn.save_rnn_checkpoint(cell, prefix, 3, symbol, args, {})
    assert "arg:l_i2h_f_weight" in nd.load(f"{prefix}-0003.params")
    loaded, found, states = rnn.load_rnn_checkpoint([cell], prefix, 3)
    assert loaded.list_arguments() == symbol.list_arguments()
    assert states == {} and found.keys() == args.keys()
    for name, array in args.items():
        np.testing.assert_array_equal(found[name].asnumpy(), array.asnumpy())


def test_checkpoint_callback_saves_every_n_epochs(tmp_path):
    cell, symbol, args, prefix = saved(tmp_path)
    save = rnn.do_rnn_checkpoint(cell, prefix, period=2)
    for epoch in range(4):
        save(epoch, symbol, args, {})
    names = sorted(path.name for path in tmp_path.glob("*.params"))
    assert names == ["net-0002.params", "net-0004.params"]
