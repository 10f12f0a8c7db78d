"""Tools for authors of plugins: projects, reference pages, type stubs, and fixtures for pytest.

They import what they need of `opforge` itself, beyond `opforge.plugin_api`: registries, metadata
and what the command line prints with. They are a distribution of their own also because pytest
rewrites the assertions of every module of a distribution that brings a pytest plugin, which slowed
the import of opforge in all test runs.
"""
