"""Names that this plugin adds to modules of opforge."""

__all__ = ["ALIASES"]

#: Module below `opforge`, "" for `opforge` itself -> name -> import path.
ALIASES = {"": {"summary": "opforge_estimator.summary:summary"}}
