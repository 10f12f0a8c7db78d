"""Tools for opforge and its plugins.

Tests of operators (`opforge.testing`), benchmarks (`opforge.benchmarks`), new projects, reference
pages, type stubs, and fixtures for pytest, with their commands. Unlike other
plugins they import more than `opforge.plugin_api`: registries, metadata and the console. They are a
separate distribution because pytest rewrites the assertions of every module of a distribution
with a pytest plugin, which slowed down the import of opforge in all test runs.
"""
