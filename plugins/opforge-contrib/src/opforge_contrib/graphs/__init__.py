"""Operators on graphs, for programs written for DGL on MXNet.

A graph is a square csr matrix of int64: the element in row i and column j is the ID of the edge
between the vertices i and j.
"""
