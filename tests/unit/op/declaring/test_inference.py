"""Tests of inference: results of authors' methods are checked and named in errors."""

import numpy as np
import pytest

from opforge.base.errors import DTypeError, OperatorError, ShapeError
from opforge.op.declaring.custom import CustomOpProp
from opforge.op.declaring.inference import infer, infer_shapes


def prop_with(shapes=None, types=None, arguments=("data",), aux=()):
    """Return a Prop that returns the given result, or raises it if it is an exception."""

    def answer(given):
        def method(self, incoming):
            if isinstance(given, BaseException):
                raise given
            return given(incoming) if callable(given) else given

        return method

    body = {
        "list_arguments": lambda self: list(arguments),
        "list_auxiliary_states": lambda self: list(aux),
    }
    if shapes is not None:
        body["infer_shape"] = answer(shapes)
    if types is not None:
        body["infer_type"] = answer(types)
    return type("Prop", (CustomOpProp,), body)()


def test_default_inference():
    found = infer(prop_with(), "op", [(2, 3)], [1])
    assert found.in_shapes == found.out_shapes == ((2, 3),)
    assert found.in_codes == found.out_codes == (1,)
    assert found.aux_shapes == ()
    assert found.complete


def test_unknown_dimensions_are_filled():
    prop = prop_with(lambda s: ([s[0], (4, s[0][1])], [(s[0][0], 4)]), arguments=("x", "w"))
    found = infer(prop, "op", [(2, 3), (0, 0)], [0, 0])
    assert found.in_shapes == ((2, 3), (4, 3))
    assert infer_shapes(prop, "op", [(2, 3), None])[0] == ((2, 3), (4, 3))


def test_given_dimensions_fill_the_answer():
    prop = prop_with(lambda s: ([[0, 3]], [s[0]]))
    assert infer(prop, "op", [(2, 0)], [0]).in_shapes == ((2, 3),)


def test_authors_get_lists_of_their_own():
    def shapes(given):
        given[0].append(7)
        return given, [given[0] + [1]]

    assert infer_shapes(prop_with(shapes), "op", [()])[1] == ((7, 1),)


def test_auxiliary_states_are_checked():
    prop = prop_with(lambda s: (s, s, [(3,)]), aux=("moving",))
    assert infer(prop, "op", [(2, 3), (3,)], [0, 0]).aux_shapes == ((3,),)
    with pytest.raises(ShapeError, match=r"Provided = \[4\], inferred shape=\[3\]"):
        infer(prop, "op", [(2, 3), (4,)], [0, 0])


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (None, "returned None, expected 2 or 3 lists"),
        (([],), "returned 1 lists, expected 2 or 3 lists"),
        (([], [], [], []), "returned 4 lists"),
        (([[2]], []), r"returned 0 outputs, expected 1 \(output\)"),
        (([[2], [3]], [[2]]), r"returned 2 inputs, expected 1 \(data\)"),
        (([[2]], [[2]], [[1]]), r"returned 1 auxiliary states, expected 0 \(none\)"),
        (([[2]], 5), "returned 5 for the outputs"),
        (([[2]], [5]), r"returned 5 as the shape of output 'output'.*write \[5\]"),
        (([[2]], [[2.5]]), r"returned 2.5 \(float\) as dimension 0 of output 'output'"),
        (([[2]], [[-1]]), "returned -1 as dimension 0"),
        (([[4]], [[2]]), r"Shape inconsistent, Provided = \[4,1\], inferred shape=\[4\]"),
    ],
)
def test_malformed_shapes(answer, message):
    with pytest.raises(ShapeError, match=message) as caught:
        infer(prop_with(lambda given: answer), "scale", [(4, 1)], [0])
    assert str(caught.value).startswith("operator 'scale'")


def test_authors_exception_is_chained():
    with pytest.raises(OperatorError, match=r"raised KeyError in infer_shape.*\(2,\)") as caught:
        infer(prop_with(KeyError("k")), "op", [(2,)], [0])
    assert isinstance(caught.value.__cause__, KeyError)


def test_authors_shape_error_stays_one():
    with pytest.raises(ShapeError, match="too small") as caught:
        infer(prop_with(ShapeError("too small")), "op", [(2,)], [0])
    assert isinstance(caught.value, OperatorError)


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_exits_pass_unchanged(error):
    with pytest.raises(error):
        infer(prop_with(error()), "op", [(2,)], [0])


def test_types():
    prop = prop_with(types=lambda t: ([np.float32], ["int32"]))
    assert infer(prop, "op", [(1,)], [-1]).in_codes == (0,)
    assert infer(prop, "op", [(1,)], [0]).out_codes == (4,)
    with pytest.raises(DTypeError, match="has dtype float64, but its infer_type expects float32"):
        infer(prop, "op", [(1,)], [1])
    with pytest.raises(DTypeError, match="returned 'complex64' as the type of output"):
        infer(prop_with(types=lambda t: (t, ["complex64"])), "op", [(1,)], [0])


def test_unknown_types_stay_unknown():
    found = infer(prop_with(arguments=("a", "b")), "op", [(1,), (1,)], [0, -1])
    assert found.in_codes == (0, -1)
    assert not found.complete


def test_highest_position_is_the_authors_and_checked():
    def prop(answer):
        found = prop_with()
        found.highest_position = lambda shapes: answer
        return found

    assert infer(prop([300]), "op", [(300,)], [0]).out_codes == (0,)
    assert infer(prop([None]), "op", [(300,)], [3]).out_codes == (3,)
    with pytest.raises(DTypeError, match=r"'op': output 'output' .*300, but uint8.*cast the input"):
        infer(prop([300]), "op", [(300,)], [3])
    with pytest.raises(OperatorError, match=r"returned \[1, 2\], expected one number or None"):
        infer(prop([1, 2]), "op", [(300,)], [3])
