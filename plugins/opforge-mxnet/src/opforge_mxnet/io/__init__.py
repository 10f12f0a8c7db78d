"""Iterators over rows of text files: `opforge.io.CSVIter` and `opforge.io.LibSVMIter`."""
