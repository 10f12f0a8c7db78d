"""Benchmark ``opforge bench training`` of epochs in a loop and by an Estimator.

`cases` defines the measured calls for opforge and MXNet.
"""
