"""Table of the kinds of contributions that plugins provide: one row each.

A row names the entry point group of the kind, the class that each contribution has to derive from,
and how a program gets one. Discovery, registry, loading, the command line and templates iterate
over this table, so that adding a kind takes a row here and a change in the module that it extends.
"""

from importlib import import_module
from operator import attrgetter
from types import ModuleType
from typing import Any, NamedTuple

__all__ = ["KINDS", "Kind"]


class Kind(NamedTuple):
    """Kind of contribution.

    Parameters
    ----------
    noun, plural : str
        Name of the kind in messages and tables.
    group : str
        Entry point group, name -> ``module:object``.
    expression : str
        Expression by which a program gets one, with ``{name}`` for its name; ``{kind}`` and
        ``{operator}`` are the parts of a rule's name.
    base : str
        Base class of all contributions, as ``module:class``; empty if any callable is valid.
    home : str
        Module that registers opforge's own contributions of the kind; empty if there are none.
    folded : bool
        Whether names are case-insensitive, as in MXNet's registries.
    is_module : bool
        Whether contributions of this kind are modules.
    """

    noun: str
    plural: str
    group: str
    expression: str
    base: str = ""
    home: str = ""
    folded: bool = False
    is_module: bool = False

    def call(self, name: str) -> str:
        """Return the expression by which a program gets the contribution of this name.

        Examples
        --------
        >>> KINDS["optimizer"].call("Adam"), KINDS["rule"].call("onnx:Cast")
        ('optimizer.Adam', "plugin_api.rules.find('onnx', 'Cast')")
        """
        kind, _, operator = name.partition(":")
        return self.expression.format(name=name, kind=kind, operator=operator)

    def key(self, name: str) -> str:
        """Return the form in which names of this kind are compared.

        Examples
        --------
        >>> KINDS["optimizer"].key("AdaBelief"), KINDS["operator"].key("LayerNorm")
        ('adabelief', 'LayerNorm')
        """
        return name.lower() if self.folded else name

    def problem(self, value: Any) -> str:
        """Return why an object cannot be a contribution of this kind; empty if it can.

        Examples
        --------
        >>> KINDS["metric"].problem(dict)
        "<class 'dict'> does not derive from opforge.metric.EvalMetric"
        """
        if self.is_module:
            is_module = isinstance(value, (ModuleType, str))
            return "" if is_module else f"{value!r} is neither a module nor an import path"
        if not self.base:
            return "" if callable(value) else f"{value!r} is not callable"
        module, _, name = self.base.partition(":")
        base = attrgetter(name)(import_module(module))
        if isinstance(value, type) and issubclass(value, base):
            return ""
        return f"{value!r} does not derive from {module}.{name}"


def _named_kind(noun: str, plural: str, module: str, base: str, expression: str) -> Kind:
    """Return a kind that has an MXNet-style registry in a module of opforge."""
    home = f"opforge.{module}"
    return Kind(noun, plural, f"opforge.{plural}", expression, f"{home}:{base}", home, folded=True)


def _module_kind(noun: str, plural: str, module: str, base: str) -> Kind:
    """Return a kind whose contributions are attributes of a module of opforge."""
    home = f"opforge.{module}"
    return Kind(noun, plural, f"opforge.{plural}", f"{module}.{{name}}", f"{home}:{base}", home)


KINDS: dict[str, Kind] = {
    kind.noun: kind
    for kind in (
        Kind("operator", "operators", "opforge.ops", "nd.{name}", home="opforge.std"),
        Kind("layer", "layers", "opforge.layers", "gluon.nn.{name}", home="opforge.gluon.nn"),
        _named_kind("optimizer", "optimizers", "optimizer", "Optimizer", "optimizer.{name}"),
        _named_kind("initializer", "initializers", "initializer", "Initializer", "init.{name}"),
        _named_kind("metric", "metrics", "metric", "EvalMetric", "metric.{name}"),
        _named_kind("kvstore", "kvstores", "kvstore", "KVStoreBase", "kvstore.create('{name}')"),
        _named_kind("exporter", "exporters", "exporter", "Exporter", "exporter.create('{name}')"),
        Kind(
            "backend",
            "backends",
            "opforge.subgraph_backends",
            "symbol.optimize_for('{name}')",
            "opforge.subgraph:SubgraphBackend",
            folded=True,
        ),
        _module_kind("loss", "losses", "gluon.loss", "Loss"),
        _module_kind("scheduler", "schedulers", "lr_scheduler", "LRScheduler"),
        _module_kind("iterator", "iterators", "io", "DataIter"),
        _module_kind("dataset", "datasets", "gluon.data", "Dataset"),
        Kind("model", "models", "opforge.models", "gluon.model_zoo.get_model('{name}')"),
        Kind(
            "device",
            "devices",
            "opforge.devices",
            "Context('{name}')",
            "opforge.op.abi.devices:Device",
        ),
        Kind("rule", "rules", "opforge.rules", "plugin_api.rules.find('{kind}', '{operator}')"),
        Kind("module", "modules", "opforge.modules", "opforge.{name}", is_module=True),
    )
}
