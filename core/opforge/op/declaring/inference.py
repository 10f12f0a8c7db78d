"""Shape and type inference: asks a declaration and checks everything that it answers.

An unknown dimension is 0 and an unknown shape is (); an unknown type is -1. What the author
returns is validated here once, so that dispatch and the kernels may trust it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...base.dtypes import dtype_of, last_exact
from ...base.errors import DTypeError, OperatorError, ShapeError
from .answers import (
    ROLES,
    UNKNOWN_TYPE,
    Names,
    ShapeTuple,
    answered_code,
    answered_groups,
    answered_shape,
    ask,
    dtype_text,
    names_of,
)
from .errors import origin, shapes_text

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


@dataclass(frozen=True, slots=True)
class Inferred:
    """Shapes and type codes of everything that an operator reads and writes."""

    in_shapes: tuple[ShapeTuple, ...]
    out_shapes: tuple[ShapeTuple, ...]
    aux_shapes: tuple[ShapeTuple, ...]
    in_codes: tuple[int, ...]
    out_codes: tuple[int, ...]
    aux_codes: tuple[int, ...]

    @property
    def complete(self) -> bool:
        """True if everything is known."""
        shapes = (*self.in_shapes, *self.out_shapes, *self.aux_shapes)
        codes = (*self.in_codes, *self.out_codes, *self.aux_codes)
        return UNKNOWN_TYPE not in codes and all(shape and 0 not in shape for shape in shapes)


def infer(prop: Any, entry: Any, in_shapes: Sequence[Any], in_codes: Sequence[int]) -> Inferred:
    """Return the inferred shapes and types of one call.

    Parameters
    ----------
    prop : CustomOpProp
        The declaration with its attributes.
    entry : Entry or str
        For messages.
    in_shapes : sequence of tuple of int
        Shapes of the inputs, without auxiliary states; unknown dimensions 0, None or () unknown.
    in_codes : sequence of int
        Their type codes, -1 where unknown. Both may go on with those of auxiliary states.

    Raises
    ------
    OperatorError
        The author's `infer_shape` or `infer_type` raised; also a `ShapeError` if it was one.
    ShapeError
        The answer is malformed or contradicts the shapes given.
    DTypeError
        The same for types.
    """
    names = names_of(prop, entry)
    n_in = len(names[0])
    shapes = infer_shapes(prop, entry, in_shapes[:n_in], names)
    codes = infer_types(prop, entry, in_codes[:n_in], names, shapes[0])
    _check_states(entry, names[2], in_shapes[n_in:], shapes[2])
    check_positions(prop, entry, shapes[0], codes[1])
    return Inferred(*shapes, *codes)


Shapes = tuple[tuple[ShapeTuple, ...], tuple[ShapeTuple, ...], tuple[ShapeTuple, ...]]
Codes = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]


def infer_shapes(
    prop: Any, entry: Any, in_shapes: Sequence[Any], names: Names | None = None
) -> Shapes:
    """Return the shapes of inputs, outputs and auxiliary states; see `infer`."""
    names = names or names_of(prop, entry)
    given = [tuple(shape) if shape else () for shape in in_shapes]
    # The author gets lists of his own, as in MXNet: he may change them and add lists to them.
    answer = ask(prop.infer_shape, entry, "infer_shape", given, [list(shape) for shape in given])
    try:
        return _checked_shapes(answer, entry, names, given)
    except ShapeError as error:
        raise ShapeError(f"{error} (input shapes: {shapes_text(given)})") from None


def _checked_shapes(answer: Any, entry: Any, names: Names, given: Sequence[ShapeTuple]) -> Shapes:
    """Return what `infer_shape` answered as tuples, after every check."""
    groups = answered_groups(answer, entry, "infer_shape", names)
    shapes = [
        tuple(
            answered_shape(value, entry, role, name)
            for value, name in zip(group, some, strict=True)
        )
        for group, some, role in zip(groups, names, ROLES, strict=True)
    ]
    inputs = tuple(
        _merge(known, found, entry, name)
        for known, found, name in zip(given, shapes[0], names[0], strict=True)
    )
    return inputs, shapes[1], shapes[2]


def infer_types(
    prop: Any,
    entry: Any,
    in_codes: Sequence[int],
    names: Names | None = None,
    in_shapes: Sequence[Any] | None = None,
) -> Codes:
    """Return the type codes of inputs, outputs and auxiliary states; see `infer`.

    `in_shapes` is for messages.
    """
    names = names or names_of(prop, entry)
    given = [None if code < 0 else dtype_of(code) for code in in_codes]
    answer = ask(prop.infer_type, entry, "infer_type", in_shapes, list(given))
    groups = answered_groups(answer, entry, "infer_type", names)
    codes = [
        tuple(
            answered_code(value, entry, role, name) for value, name in zip(group, some, strict=True)
        )
        for group, some, role in zip(groups, names, ROLES, strict=True)
    ]
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


def check_output_shapes(prop: Any, entry: Any, inferred: Inferred) -> None:
    """Refuse outputs of unknown shape: their loops would read dimensions that nobody has.

    () is also the shape of a scalar, so that the author is asked once more which of both he means.

    Raises
    ------
    ShapeError
        `infer_shape` left a shape open although there are arrays for all inputs.
    """
    if () not in inferred.out_shapes:
        return
    answer = prop.infer_shape([list(shape) for shape in inferred.in_shapes])
    if any(shape is None for shape in answer[1]):
        raise ShapeError(
            f"{origin(entry)}: infer_shape finds no shape for an output (input shapes: "
            f"{shapes_text(inferred.in_shapes)}); pass inputs that have dimensions"
        )


def check_output_types(prop: Any, entry: Any, inferred: Inferred) -> None:
    """Refuse outputs of unknown type: no array can be made for them.

    Raises
    ------
    DTypeError
        `infer_type` left a type open although the types of all inputs are known.
    """
    for name, code in zip(prop.list_outputs(), inferred.out_codes, strict=False):
        if code == UNKNOWN_TYPE:
            raise DTypeError(
                f"{origin(entry)}: infer_type left the type of output {name!r} unknown, with "
                f"inputs of {', '.join(map(dtype_text, inferred.in_codes)) or 'no type'}; return "
                "a type for each output"
            )


def check_positions(
    prop: Any, entry: Any, in_shapes: Sequence[ShapeTuple], out_codes: Sequence[int]
) -> None:
    """Refuse outputs whose element type cannot tell all the positions apart that they may hold.

    Nothing is said where a shape or type is unknown.

    Raises
    ------
    DTypeError
        A position would silently become another number.
    """
    if getattr(prop, "highest_position", None) is None or not all(in_shapes):
        return
    highest = ask(prop.highest_position, entry, "highest_position", in_shapes, list(in_shapes))
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
            f"{origin(entry)}: output {name!r} may hold positions up to {position}, but "
            f"{dtype_text(code)} has all whole numbers only up to {last_exact(code)}; {remedy} "
            f"(input shapes: {shapes_text(in_shapes)})"
        )


def united(known: ShapeTuple, found: ShapeTuple) -> ShapeTuple | None:
    """Return what two shapes say together, each perhaps unknown in part; None: they contradict.

    Examples
    --------
    >>> united((2, 0), (0, 3)), united((), (4,)), united((2, 3), (2, 4))
    ((2, 3), (4,), None)
    """
    if not known or not found:
        return known or found
    if len(known) == len(found) and all(
        a == b or not a or not b for a, b in zip(known, found, strict=True)
    ):
        return tuple(a or b for a, b in zip(known, found, strict=True))
    return None


def _merge(known: ShapeTuple, found: ShapeTuple, entry: Any, name: str) -> ShapeTuple:
    """Unite what was given with what was inferred; they may not contradict each other."""
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
    """Return a shape as MXNet's message has it: ``[4,1]``."""
    return "[" + ",".join(map(str, shape)) + "]"
