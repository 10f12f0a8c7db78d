"""Results of MXNet's quantized operators, as symbols."""

import numpy as np


def run(mx, request, folder):
    """Return the outputs of each row as lists of type, shape and elements."""
    return {row["name"]: outputs(mx, row) for row in request["rows"]}


def outputs(mx, row):
    arrays = {
        f"x{at}": mx.nd.array(np.array(values, dtype).reshape(shape), dtype=dtype)
        for at, (dtype, shape, values) in enumerate(row["inputs"])
    }
    operator = getattr(mx.sym.contrib, row["operator"])
    variables = list(map(mx.sym.var, arrays))
    if "names" in row:
        symbol = operator(**dict(zip(row["names"], variables, strict=False)), **row["attributes"])
    else:
        symbol = operator(*variables, **row["attributes"])
    states = {name: arrays.pop(name) for name in symbol.list_auxiliary_states()}
    executor = symbol.bind(mx.cpu(), arrays, grad_req="null", aux_states=states)
    found = [x.asnumpy() for x in executor.forward()]
    return [[str(x.dtype), list(x.shape), x.ravel().tolist()] for x in found]
