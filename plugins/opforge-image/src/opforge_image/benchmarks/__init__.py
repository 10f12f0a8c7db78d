"""Benchmark ``opforge bench image`` of record files, optionally against MXNet.

`cases` defines the measured calls for both libraries; `images` creates the files that they read.
"""
