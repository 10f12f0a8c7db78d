"""Shape and type inference: calls the methods of a declaration and validates their results.

An unknown dimension is 0 and an unknown shape is (); an unknown type is -1. Results of the author's
methods are validated here once, so that dispatch and kernels can rely on them.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from ...base.dtypes import dtype_of, last_exact
from ...base.errors import DTypeError, OperatorError, ShapeError
from .declaration import OperatorProp
from .element_types import check_types
from .errors import origin, shapes_text
from .validation import (
    ROLES,
    UNKNOWN_TYPE,
    Names,
    ShapeTuple,
    call_method,
    dtype_text,
    names_of,
    validated_code,
    validated_groups,
    validated_shape,
)

__all__ = [
    "Inferred",
    "check_output_shapes",
    "check_output_types",
    "check_positions",
    "infer",
    "infer_shapes",
    "infer_types",
    "united",
]


class Inferred(NamedTuple):
    """Shapes and type codes of inputs, outputs and auxiliary states."""

    in_shapes: tuple[ShapeTuple, ...]
    out_shapes: tuple[ShapeTuple, ...]
    aux_shapes: tuple[ShapeTuple, ...]
    in_codes: tuple[int, ...]
    out_codes: tuple[int, ...]
    aux_codes: tuple[int, ...]

    @property
    def complete(self) -> bool:
        """True if all shapes and types are known."""
        shapes = (*self.in_shapes, *self.out_shapes, *self.aux_shapes)
        codes = (*self.in_codes, *self.out_codes, *self.aux_codes)
        return UNKNOWN_TYPE not in codes and all(shape and 0 not in shape for shape in shapes)


def infer(
    prop: Any,
    entry: Any,
    in_shapes: Sequence[Any],
    in_codes: Sequence[int],
    names: Names | None = None,
) -> Inferred:
    """Return the inferred shapes and types of one call.

    Parameters
    ----------
    prop : CustomOpProp
        The declaration with its attributes.
    entry : Entry or str
        Operator for error messages.
    in_shapes : sequence of tuple of int
        Shapes of the inputs. Unknown dimensions are 0; an unknown shape is None or ().
    in_codes : sequence of int
        Their type codes, -1 if unknown. Both may also include those of auxiliary states.
    names : tuple of list of str, optional
        The result of `names_of`, if the caller has it.

    Raises
    ------
    OperatorError
        The author's `infer_shape` or `infer_type` raised; a `ShapeError` stays one.
    ShapeError
        The result is malformed or contradicts the given shapes.
    DTypeError
        The same for types.
    """
    names = names or names_of(prop, entry)
    n_in = len(names[0])
    shapes = infer_shapes(prop, entry, in_shapes[:n_in], names)
    codes = infer_types(prop, entry, in_codes[:n_in], names, shapes[0])
    _check_states(entry, names[2], in_shapes[n_in:], shapes[2])
    _check_types(prop, entry, names[2], in_codes[n_in:])
    check_positions(prop, entry, shapes[0], codes[1])
    _check_sizes(prop, entry, shapes[0])
    return Inferred(*shapes, *codes)


Shapes = tuple[tuple[ShapeTuple, ...], tuple[ShapeTuple, ...], tuple[ShapeTuple, ...]]
Codes = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]


def infer_shapes(
    prop: Any, entry: Any, in_shapes: Sequence[Any], names: Names | None = None
) -> Shapes:
    """Return the shapes of inputs, outputs and auxiliary states; see `infer`."""
    names = names or names_of(prop, entry)
    given = [tuple(shape) if shape else () for shape in in_shapes]
    # The method gets new lists, as in MXNet, which it may change.
    answer = call_method(
        prop.infer_shape, entry, "infer_shape", given, [list(shape) for shape in given]
    )
    try:
        return _checked_shapes(answer, entry, names, given)
    except ShapeError as error:
        raise ShapeError(f"{error} (input shapes: {shapes_text(given)})") from None


def _checked_shapes(answer: Any, entry: Any, names: Names, given: Sequence[ShapeTuple]) -> Shapes:
    """Return the result of `infer_shape` as tuples, after validation."""
    groups = validated_groups(answer, entry, "infer_shape", names)
    shapes: list[tuple[ShapeTuple, ...]] = []
    # Loops instead of generators, which cost a call for each value: graphs infer every node.
    for group, some, role in zip(groups, names, ROLES, strict=True):
        found = []
        for value, name in zip(group, some, strict=True):
            found.append(validated_shape(value, entry, role, name))
        shapes.append(tuple(found))
    inputs = []
    for known, answered, name in zip(given, shapes[0], names[0], strict=True):
        same = known == answered
        inputs.append(answered if same else _merge(known, answered, entry, name))
    return tuple(inputs), shapes[1], shapes[2]


def infer_types(
    prop: Any,
    entry: Any,
    in_codes: Sequence[int],
    names: Names | None = None,
    in_shapes: Sequence[Any] | None = None,
) -> Codes:
    """Return the type codes of inputs, outputs and auxiliary states; see `infer`.

    `in_shapes` is for error messages.
    """
    names = names or names_of(prop, entry)
    _check_types(prop, entry, names[0], in_codes)
    given = [None if code < 0 else dtype_of(code) for code in in_codes]
    answer = call_method(prop.infer_type, entry, "infer_type", in_shapes, list(given))
    groups = validated_groups(answer, entry, "infer_type", names)
    codes: list[tuple[int, ...]] = []
    for group, some, role in zip(groups, names, ROLES, strict=True):
        answered = []
        for value, name in zip(group, some, strict=True):
            answered.append(validated_code(value, entry, role, name))
        codes.append(tuple(answered))
    inputs = []
    for known, found, name in zip(in_codes, codes[0], names[0], strict=True):
        if known >= 0 and found >= 0 and known != found:
            raise DTypeError(
                f"{origin(entry)}: input {name!r} has dtype {dtype_text(known)}, but its "
                f"infer_type expects {dtype_text(found)}. Pass {name}.astype("
                f"{dtype_text(found)!r}), or accept the type in infer_type"
            )
        inputs.append(known if known >= 0 else found)
    return tuple(inputs), codes[1], codes[2]


def _check_types(prop: Any, entry: Any, names: Sequence[str], codes: Sequence[int]) -> None:
    """Reject types that the declaration excludes; a `CustomOpProp` declares none."""
    if isinstance(prop, OperatorProp):
        check_types(prop, entry, names, codes)


def check_output_shapes(prop: Any, entry: Any, inferred: Inferred) -> None:
    """Reject outputs of unknown shape, for which loops would have no bounds.

    () is also the shape of a scalar; another call of `infer_shape` distinguishes both.

    Raises
    ------
    ShapeError
        `infer_shape` returned an unknown shape although all inputs are known.
    """
    if () not in inferred.out_shapes:
        return
    answer = prop.infer_shape([list(shape) for shape in inferred.in_shapes])
    if any(shape is None for shape in answer[1]):
        raise ShapeError(
            f"{origin(entry)}: infer_shape returned no shape for an output (input shapes: "
            f"{shapes_text(inferred.in_shapes)}); pass inputs that have dimensions"
        )


def check_output_types(prop: Any, entry: Any, inferred: Inferred) -> None:
    """Reject outputs of unknown type, for which no array can be allocated.

    Raises
    ------
    DTypeError
        `infer_type` returned an unknown type although the types of all inputs are known.
    """
    for name, code in zip(prop.list_outputs(), inferred.out_codes, strict=False):
        if code == UNKNOWN_TYPE:
            raise DTypeError(
                f"{origin(entry)}: infer_type left the type of output {name!r} unknown, with "
                f"inputs of {', '.join(map(dtype_text, inferred.in_codes)) or 'no type'}; return "
                "a type for each output"
            )


def _check_sizes(prop: Any, entry: Any, in_shapes: Sequence[ShapeTuple]) -> None:
    """Let a declaration reject arrays without elements, which graphs do not have."""
    check = getattr(prop, "check_sizes", None)
    if check is not None and any(0 in shape for shape in in_shapes):
        call_method(check, entry, "check_sizes", in_shapes, list(in_shapes))


def check_positions(
    prop: Any, entry: Any, in_shapes: Sequence[ShapeTuple], out_codes: Sequence[int]
) -> None:
    """Reject outputs whose element type cannot represent all indices that they may contain.

    Unknown shapes and types are not checked.

    Raises
    ------
    DTypeError
        An index would silently be rounded.
    """
    if getattr(prop, "highest_position", None) is None or not all(in_shapes):
        return
    highest = call_method(
        prop.highest_position, entry, "highest_position", in_shapes, list(in_shapes)
    )
    if len(highest) != len(out_codes):
        raise OperatorError(
            f"{origin(entry)}: highest_position returned {highest!r}, expected one number or None "
            f"for each of {len(out_codes)} outputs"
        )
    for name, code, position in zip(prop.list_outputs(), out_codes, highest, strict=True):
        if position is None or code == UNKNOWN_TYPE or position <= last_exact(code):
            continue
        has_choice = "dtype" in getattr(prop, "attributes", ())
        remedy = "pass dtype='int64'" if has_choice else "cast the input to a wider type"
        raise DTypeError(
            f"{origin(entry)}: output {name!r} may contain indices up to {position}, but "
            f"{dtype_text(code)} represents all integers only up to {last_exact(code)}; {remedy} "
            f"(input shapes: {shapes_text(in_shapes)})"
        )


def united(known: ShapeTuple, found: ShapeTuple) -> ShapeTuple | None:
    """Merge two partially unknown shapes; return None if they contradict each other.

    Examples
    --------
    >>> united((2, 0), (0, 3)), united((), (4,)), united((2, 3), (2, 4))
    ((2, 3), (4,), None)
    """
    if not known or not found or known == found:
        return known or found
    if len(known) == len(found) and all(
        a == b or not a or not b for a, b in zip(known, found, strict=True)
    ):
        return tuple(a or b for a, b in zip(known, found, strict=True))
    return None


def _merge(known: ShapeTuple, found: ShapeTuple, entry: Any, name: str) -> ShapeTuple:
    """Merge a given shape with the inferred one; raise an error if they contradict."""
    merged = united(known, found)
    if merged is None:
        raise ShapeError(
            f"{origin(entry)}: input {name!r}: Shape inconsistent, Provided = {_brackets(known)}, "
            f"inferred shape={_brackets(found)}. Pass {name} with the inferred shape, or correct "
            "infer_shape"
        )
    return merged


def _check_states(
    entry: Any, names: Sequence[str], given: Sequence[Any], inferred: Sequence[ShapeTuple]
) -> None:
    """Check the shapes of auxiliary states that were passed."""
    for name, known, found in zip(names, given, inferred, strict=False):
        if known:
            _merge(tuple(known), found, entry, name)


def _brackets(shape: ShapeTuple) -> str:
    """Return a shape in the format of MXNet's message: ``[4,1]``."""
    return "[" + ",".join(map(str, shape)) + "]"
