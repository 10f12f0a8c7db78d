"""Modules of `opforge.contrib`."""
