"""The commands of ``opforge``: a module for each, named as it is typed."""
