"""Outputs, gradients and states of bound symbols against MXNet's."""

import numpy as np

from opforge import cpu, nd, sym

from .networks import NETWORKS


def inputs_of(symbol, shapes, indices, drawn):
    """Draw every array that a symbol needs."""
    args, _, states = symbol.infer_shape(**shapes)
    given = {}
    for name, shape in zip(symbol.list_arguments(), args, strict=True):
        below = indices.get(name)
        value = drawn.normal(size=shape) if below is None else drawn.integers(0, below, shape)
        given[f"arg:{name}"] = value.astype(np.float32)
    for name, shape in zip(symbol.list_auxiliary_states(), states, strict=True):
        given[f"aux:{name}"] = drawn.uniform(0.5, 1.5, shape).astype(np.float32)
    outputs = symbol.infer_shape(**shapes)[1]
    for at, shape in enumerate(outputs):
        given[f"head:{at}"] = drawn.normal(size=shape).astype(np.float32)
    return given


def results_of(symbol, given, smooth):
    args = {k: nd.array(given[f"arg:{k}"]) for k in symbol.list_arguments()}
    states = {k: nd.array(given[f"aux:{k}"]) for k in symbol.list_auxiliary_states()}
    grads = {k: nd.zeros(args[k].shape) for k in smooth}
    wanted = {k: "write" if k in grads else "null" for k in args}
    executor = symbol.bind(cpu(), args, grads, wanted, states)
    results = {}
    for at, x in enumerate(executor.forward(is_train=False)):
        results[f"predicted:{at}"] = x.asnumpy()
    outputs = executor.forward(is_train=True)
    executor.backward([nd.array(given[f"head:{at}"]) for at in range(len(outputs))])
    results |= {f"output:{at}": x.asnumpy() for at, x in enumerate(executor.outputs)}
    results |= {f"grad:{k}": v.asnumpy() for k, v in grads.items()}
    return results | {f"aux:{k}": v.asnumpy() for k, v in executor.aux_dict.items()}


def test_forward_and_backward(oracle, tmp_path):
    drawn = np.random.default_rng(3)
    everything, smooth = {}, {}
    for name, (build, shapes, indices) in NETWORKS.items():
        symbol = build(sym)
        given = inputs_of(symbol, shapes, indices, drawn)
        symbol.save(tmp_path / f"{name}-symbol.json")
        np.savez(tmp_path / f"{name}-inputs.npz", **given)
        smooth[name] = [k for k in symbol.list_arguments() if k not in indices]
        everything[name] = results_of(symbol, given, smooth[name])
    assert oracle("execution", {"networks": smooth}) == "done"
    for name, results in everything.items():
        theirs = np.load(tmp_path / f"{name}-results.npz")
        assert set(theirs.files) == set(results)
        for key, have in results.items():
            np.testing.assert_allclose(
                have, theirs[key], rtol=2e-4, atol=2e-5, err_msg=f"{name} {key}"
            )
