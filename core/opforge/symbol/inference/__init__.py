"""Shapes and types of the values of a graph, from what is known of some of them."""
