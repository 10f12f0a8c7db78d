"""Table of the kinds of rules that opforge itself asks for."""

from typing import NamedTuple

__all__ = ["RULE_KINDS", "RuleKind", "rule_name"]


class RuleKind(NamedTuple):
    """Kind of rule, which is also the field of `OperatorProp` that holds a declaration's own.

    Parameters
    ----------
    name : str
    parameters : str
        Parameters of the function; the first is the declaration with its attributes.
    purpose : str
        What asks for it, and what for.
    """

    name: str
    parameters: str
    purpose: str


RULE_KINDS = {
    kind.name: kind
    for kind in (
        RuleKind("compute", "prop, in_data, out_data, req, is_train", "fills the outputs"),
        RuleKind(
            "compute_sparse", "prop, *inputs", "computes with sparse arrays, without dense copies"
        ),
        RuleKind(
            "gradient",
            "prop, F, out_grad, in_data, out_data",
            "composes the gradients of the inputs",
        ),
        RuleKind("compose", "prop, F, *inputs", "composes the outputs of other operators"),
        RuleKind(
            "compose_predicting",
            "prop, F, *inputs",
            "composes the outputs in compiled predictions",
        ),
        RuleKind(
            "infer_inputs",
            "prop, in_shapes, out_shapes",
            "infers shapes of inputs from those of outputs",
        ),
        RuleKind(
            "infer_input_types",
            "prop, in_types, out_types",
            "infers types of inputs from those of outputs",
        ),
        RuleKind(
            "keeps_order",
            "prop, in_shapes",
            "says whether graphs may skip the call",
        ),
        RuleKind(
            "blocked_form", "prop, inputs, needs_gradient", "gives the form for blocked arrays"
        ),
    )
}


def rule_name(kind: str, operator: str) -> str:
    """Return the name of a rule in entry points and pins.

    Examples
    --------
    >>> rule_name("gradient", "gammaln")
    'gradient:gammaln'
    """
    return f"{kind}:{operator}"
