"""Inference of shapes, element types and storage types in a graph."""
