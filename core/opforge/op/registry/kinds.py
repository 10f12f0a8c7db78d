"""The kinds of things that plugins bring: one row each, from which the rest follows.

A row names the entry point group by which things of the kind are found, the class that each has to
derive from, and where a program gets them. Discovery, registry, loading, the command line and
templates walk this table, so that a kind is added here and in the module that it extends.
"""

from dataclasses import dataclass
from importlib import import_module
from operator import attrgetter
from types import ModuleType
from typing import Any

__all__ = ["KINDS", "Kind"]


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of thing.

    Parameters
    ----------
    noun, plural : str
        What messages and tables call it.
    group : str
        Entry point group, name -> ``module:object``.
    place : str
        How a program gets one; ``{name}`` stands for its name.
    base : str
        ``module:class`` that each derives from; empty if any callable will do.
    home : str
        Module that registers what opforge itself has of the kind; empty if there is nothing.
    folded : bool
        Whether names are compared without regard to case, as MXNet's registries do.
    is_module : bool
        Whether things of this kind are whole modules.
    """

    noun: str
    plural: str
    group: str
    place: str
    base: str = ""
    home: str = ""
    folded: bool = False
    is_module: bool = False

    def key(self, name: str) -> str:
        """Return the form in which names of this kind are compared.

        Examples
        --------
        >>> KINDS["optimizer"].key("AdaBelief"), KINDS["operator"].key("LayerNorm")
        ('adabelief', 'LayerNorm')
        """
        return name.lower() if self.folded else name

    def problem(self, thing: Any) -> str:
        """Return why an object is no thing of this kind; empty if it is one.

        Examples
        --------
        >>> KINDS["metric"].problem(dict)
        "<class 'dict'> does not derive from opforge.metric.EvalMetric"
        """
        if self.is_module:
            is_module = isinstance(thing, (ModuleType, str))
            return "" if is_module else f"{thing!r} is no module, and no import path of one"
        if not self.base:
            return "" if callable(thing) else f"{thing!r} cannot be called"
        module, _, name = self.base.partition(":")
        base = attrgetter(name)(import_module(module))
        if isinstance(thing, type) and issubclass(thing, base):
            return ""
        return f"{thing!r} does not derive from {module}.{name}"


def _named(noun: str, plural: str, module: str, base: str, place: str) -> Kind:
    """Return a kind with a registry by name, as MXNet has it, in a module of opforge."""
    home = f"opforge.{module}"
    return Kind(noun, plural, f"opforge.{plural}", place, f"{home}:{base}", home, folded=True)


KINDS: dict[str, Kind] = {
    kind.noun: kind
    for kind in (
        Kind("operator", "operators", "opforge.ops", "nd.{name}", home="opforge.std"),
        Kind("layer", "layers", "opforge.layers", "gluon.nn.{name}"),
        _named("optimizer", "optimizers", "optimizer", "Optimizer", "optimizer.{name}"),
        _named("initializer", "initializers", "initializer", "Initializer", "init.{name}"),
        _named("metric", "metrics", "metric", "EvalMetric", "metric.{name}"),
        _named("kvstore", "kvstores", "kvstore", "KVStoreBase", "kvstore.create('{name}')"),
        _named("exporter", "exporters", "exporter", "Exporter", "exporter.create('{name}')"),
        Kind("loss", "losses", "opforge.losses", "gluon.loss.{name}", "opforge.gluon.loss:Loss"),
        Kind(
            "scheduler",
            "schedulers",
            "opforge.schedulers",
            "lr_scheduler.{name}",
            "opforge.lr_scheduler:LRScheduler",
        ),
        Kind("iterator", "iterators", "opforge.iterators", "io.{name}", "opforge.io:DataIter"),
        Kind(
            "dataset",
            "datasets",
            "opforge.datasets",
            "gluon.data.{name}",
            "opforge.gluon.data:Dataset",
        ),
        Kind("model", "models", "opforge.models", "gluon.model_zoo.get_model('{name}')"),
        Kind("module", "modules", "opforge.modules", "opforge.{name}", is_module=True),
    )
}
