"""Subgraph backends: selection of supported nodes, convex subgraphs and their replacement."""
