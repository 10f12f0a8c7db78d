"""Optimizers, each an entry point of the group ``opforge.optimizers``."""
