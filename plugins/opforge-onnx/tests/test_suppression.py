"""box_nms in ONNX, and its restoration by the import."""

import numpy as np
import onnx
import pytest

from opforge import nd, sym
from opforge.onnx import ExportError, ImportModelError, export_model, import_to_gluon

CASES = [
    ((2, 30, 6), {}),
    ((30, 6), {"topk": 10}),
    ((2, 3, 30, 7), {"id_index": 0}),
    ((2, 30, 6), {"id_index": 0, "topk": 12, "force_suppress": True}),
    ((2, 30, 6), {"in_format": "center"}),
    (
        (2, 30, 7),
        {"in_format": "center", "out_format": "corner", "id_index": 0, "background_id": 1},
    ),
    ((2, 30, 7), {"out_format": "center", "id_index": 0, "valid_thresh": 0.3}),
    ((1, 5, 6), {"valid_thresh": 2}),
    ((1, 5, 6), {"topk": 0}),
]


def boxes(shape, form="corner"):
    """Return rows of class, score, box, and more; some start left of the image."""
    generator = np.random.default_rng(3)
    found = generator.standard_normal(shape).astype("float32")
    found[..., 0] = generator.integers(-1, 3, shape[:-1])
    found[..., 1] = generator.uniform(-0.2, 1, shape[:-1]).round(1)  # some are equal
    found[..., 2:4] = generator.uniform(-5, 20, (*shape[:-1], 2))
    found[..., 4:6] = generator.uniform(1, 20, (*shape[:-1], 2))
    if form == "corner":
        found[..., 4:6] += found[..., 2:4]
    return found


@pytest.mark.parametrize("is_open", [False, True])
@pytest.mark.parametrize(("shape", "attributes"), CASES)
def test_boxes_that_are_kept(shape, attributes, is_open, run, tmp_path):
    x = boxes(shape, attributes.get("in_format", "corner"))
    out = sym.contrib.box_nms(sym.var("x"), **attributes)
    names = [(*(f"size{i}" for i in range(len(shape) - 1)), shape[-1])]
    path = tmp_path / "m.onnx"
    given = [shape if not is_open else tuple(2 if n != shape[-1] else n for n in shape)]
    export_model(out, {}, given, np.float32, path, False, is_open, names if is_open else None)
    want = nd.contrib.box_nms(nd.array(x), **attributes).asnumpy()
    np.testing.assert_allclose(run(path, x)[0], want, rtol=1e-6)
    again = import_to_gluon(path, shapes={"x": shape})
    np.testing.assert_array_equal(again(nd.array(x)).asnumpy(), want)


def test_a_threshold_below_zero(tmp_path):
    out = sym.contrib.box_nms(sym.var("x"), overlap_thresh=-1)
    with pytest.raises(ExportError, match=r"overlap_thresh -1\.0 is no ratio; use a value from 0"):
        export_model(out, {}, [(2, 3, 6)], onnx_file_path=tmp_path / "m.onnx")


def marked_model(tmp_path, mark):
    """Return a model whose mark is replaced."""
    out = sym.contrib.box_nms(sym.var("x"))
    model = onnx.load(export_model(out, {}, [(1, 3, 6)], onnx_file_path=tmp_path / "m.onnx"))
    (item,) = (item for node in model.graph.node for item in node.metadata_props)
    item.value = mark
    return model


@pytest.mark.parametrize("mark", ["", "{}", "[1, 2, 3]", '["a", ["x"]]', '["a", ["x"], [1]]'])
def test_a_damaged_mark(mark, tmp_path):
    with pytest.raises(ImportModelError, match="which is no operator with inputs and attributes"):
        import_to_gluon(marked_model(tmp_path, mark))


def test_a_mark_of_an_operator_that_is_missing(tmp_path):
    model = marked_model(tmp_path, '["no_such", ["x"], {}]')
    with pytest.raises(ImportModelError, match=r"no_such.*operator that is not installed; install"):
        import_to_gluon(model)


def test_a_mark_whose_inputs_another_program_has_removed(tmp_path):
    model = marked_model(tmp_path, '["_contrib_box_nms", ["y"], {}]')
    with pytest.raises(ImportModelError, match="NonMaxSuppression"):  # as without the mark
        import_to_gluon(model)
