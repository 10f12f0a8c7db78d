"""Import and run a program of examples/; in MXNet, what it imports as opforge is MXNet."""

import importlib
import os
import sys

EXAMPLES = os.path.join(os.path.dirname(__file__), *[os.pardir] * 3, "examples")


def load(mx, name):
    """Return the example as a module; names that MXNet lacks are added to it."""
    if mx.__name__ == "mxnet":
        estimator = importlib.import_module("mxnet.gluon.contrib.estimator")
        estimator.ProgressBarHandler = type("ProgressBarHandler", (estimator.EpochBegin,), {})
        estimator.Estimator.batches_per_epoch = 1
        mx.gluon.nn.MultiHeadAttention = composed_attention(mx)
        for module in [key for key in sys.modules if key.split(".")[0] == "mxnet"]:
            sys.modules["opforge" + module[len("mxnet") :]] = sys.modules[module]
    sys.path.insert(0, EXAMPLES)
    return importlib.import_module(name)


def start(example, folder, arguments):
    """Run the example as from the command line on the file `text` of a folder, without dropout."""
    text = ["--data", os.path.join(folder, "text"), "--dropout", "0"]
    sys.argv = [example.__file__, *text, *arguments]
    example.main()


def composed_attention(mx):
    """Return opforge's layer as a user of MXNet writes it, with the same parameter names."""

    class MultiHeadAttention(mx.gluon.HybridBlock):
        def __init__(self, units, num_heads, causal):
            super().__init__()
            assert causal
            self.units, self.heads = units, num_heads
            for part in ("query", "key", "value", "out"):
                weight, bias = part + "_weight", part + "_bias"
                setattr(self, weight, self.params.get(weight, shape=(units, units)))
                setattr(self, bias, self.params.get(bias, shape=(units,), init="zeros"))

        def hybrid_forward(self, F, x, **params):
            def projected(part, x):
                weight, bias = params[part + "_weight"], params[part + "_bias"]
                return F.FullyConnected(x, weight, bias, num_hidden=self.units, flatten=False)

            def heads_apart(x):
                x = F.transpose(F.reshape(x, shape=(0, 0, self.heads, -1)), axes=(0, 2, 1, 3))
                return F.reshape(x, shape=(-3, 0, 0))

            query, key, value = (
                heads_apart(projected(part, x)) for part in ("query", "key", "value")
            )
            scores = F.batch_dot(query, key, transpose_b=True) / (self.units / self.heads) ** 0.5
            queries = F.reshape(F.contrib.arange_like(scores, axis=1), shape=(1, -1, 1))
            keys = F.reshape(F.contrib.arange_like(scores, axis=2), shape=(1, 1, -1))
            is_hidden = F.broadcast_lesser(queries, keys)
            weights = F.softmax(F.broadcast_sub(scores, is_hidden * 1e9))
            found = F.reshape(F.batch_dot(weights, value), shape=(-4, -1, self.heads, 0, 0))
            found = F.reshape(F.transpose(found, axes=(0, 2, 1, 3)), shape=(0, 0, -3))
            return projected("out", found)

    return MultiHeadAttention
