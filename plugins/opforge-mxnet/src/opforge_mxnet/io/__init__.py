"""Iterators over rows of text files, and iterators that wrap others."""
