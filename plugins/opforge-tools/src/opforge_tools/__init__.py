"""Tools for authors of plugins.

The pytest plugin is a distribution of its own: pytest rewrites the assertions of every module of a
distribution that brings one, which slowed the import of opforge in all test runs.
"""
