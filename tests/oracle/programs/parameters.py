"""Array files, in both directions."""

import os

import numpy as np

TYPES = ("float32", "float64", "float16", "uint8", "int8", "int32", "int64")


def run(mx, request, folder):
    """Write arrays of every type; return the contents of the request's files."""
    drawn = np.random.RandomState(0)
    named = {dtype: mx.nd.array(drawn.randint(0, 100, (2, 3)), dtype=dtype) for dtype in TYPES}
    named["arg:long name"] = mx.nd.ones((1,))
    named["flat"] = mx.nd.arange(7)
    mx.nd.save(os.path.join(folder, "from_mxnet.params"), named)
    mx.nd.save(os.path.join(folder, "list.params"), list(named.values()))
    answer = {}
    for name in request["files"]:
        loaded = mx.nd.load(os.path.join(folder, name))
        if isinstance(loaded, list):
            loaded = dict(enumerate(loaded))
        answer[name] = {
            key: [x.dtype.__name__, x.shape, x.asnumpy().ravel().tolist()]
            for key, x in loaded.items()
        }
    answer["written"] = {
        key: [x.dtype.__name__, x.shape, x.asnumpy().ravel().tolist()] for key, x in named.items()
    }
    return answer
