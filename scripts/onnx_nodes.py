"""Count the node tests of ONNX that opforge-onnx imports and computes.

    python scripts/onnx_nodes.py [PART OF A NAME ...]

The tests are those of the installed onnx package (onnx.backend.test). Left out are those with types
that opforge lacks, sequences and optional values, arrays without elements, and other domains.
"""

import sys
import warnings
from collections import Counter, defaultdict

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from opforge import cpu, nd
from opforge.onnx import import_model

TYPES = {"float32", "float64", "float16", "uint8", "int8", "int32", "int64", "bool"}
#: Nodes whose inputs after the first are constants in networks.
CONSTANTS = ("Clip", "OneHot", "Pad", "Range", "Resize", "Upsample")


def arrays_of(case):
    """Return the inputs and the outputs of a test."""
    return [
        [numpy_helper.to_array(x) if isinstance(x, TensorProto) else np.asarray(x) for x in part]
        for part in case.data_sets[0]
    ]


def reason_to_skip(model):
    """Return why a test does not count, or an empty string."""
    infos = [*model.graph.input, *model.graph.output]
    if any(not info.type.HasField("tensor_type") for info in infos):
        return "sequence or optional value"
    numbers = {info.type.tensor_type.elem_type for info in infos}
    try:
        types = {helper.tensor_dtype_to_np_dtype(number).name for number in numbers}
    except KeyError:
        return "type"
    if not types <= TYPES:
        return "type"
    standard = all(node.domain in ("", "ai.onnx") for node in model.graph.node)
    return "" if standard else "domain"


def check(model, inputs, outputs):
    """Import a model and compare what it computes."""
    names = [info.name for info in model.graph.input]
    for name, array in list(zip(names, inputs, strict=False))[1:]:
        is_setting = array.dtype.kind in "iu" and array.ndim <= 1
        if is_setting or model.graph.node[0].op_type in CONSTANTS:
            model.graph.initializer.append(numpy_helper.from_array(array, name))
    constants = {tensor.name for tensor in model.graph.initializer}
    shapes = {name: array.shape for name, array in zip(names, inputs, strict=False)}
    symbol, params, states = import_model(model, shapes=shapes)
    given = {
        name: nd.array(np.atleast_1d(array), dtype=array.dtype)
        for name, array in zip(names, inputs, strict=False)
        if name not in constants
    }
    known = {**given, **params, **states}
    arguments = {name: known[name] for name in symbol.list_arguments()}
    auxiliary = {name: known[name] for name in symbol.list_auxiliary_states()}
    found = symbol.bind(cpu(), arguments, aux_states=auxiliary).forward()
    for one, other in zip(found, outputs, strict=True):
        other = np.atleast_1d(other)
        assert one.shape == other.shape, (one.shape, other.shape)
        np.testing.assert_allclose(
            one.asnumpy().astype("float64"),
            other.astype("float64"),
            rtol=1e-3,
            atol=1e-2 if other.dtype == np.float16 else 1e-5,
        )


def main(parts):
    """Print the rate, and the tests that fail by node."""
    from onnx.backend.test.case.node import collect_testcases

    warnings.simplefilter("ignore")
    counts, failed = Counter(), defaultdict(list)
    for case in collect_testcases(None):
        if parts and not any(part in case.name for part in parts):
            continue
        model = case.model
        reason = reason_to_skip(model)
        inputs, outputs = ([], []) if reason else arrays_of(case)
        if not reason and any(array.size == 0 for array in inputs + outputs):
            reason = "array without elements"
        if reason:
            counts[f"left out: {reason}"] += 1
            continue
        try:
            check(model, inputs, outputs)
            counts["passed"] += 1
        except Exception as error:
            counts["failed"] += 1
            nodes = {node.op_type for node in model.graph.node}
            kind = nodes.pop() if len(nodes) == 1 else "several nodes"
            failed[kind].append(f"{case.name}: {str(error).strip().splitlines()[0][:100]}")
    for kind, tests in sorted(failed.items(), key=lambda item: -len(item[1])):
        print(f"{len(tests):4} {kind}", *tests[:3], sep="\n       ")
    print(dict(counts))
    print(f"passed: {counts['passed'] / max(1, counts['passed'] + counts['failed']):.1%}")


if __name__ == "__main__":
    main(sys.argv[1:])
