"""Benchmark ``opforge bench detection`` of the detection operators, optionally against MXNet.

`cases` defines the measured calls for both libraries.
"""
