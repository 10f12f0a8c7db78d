"""Registries: names, kinds, their tables, and the choice between providers of a name."""
