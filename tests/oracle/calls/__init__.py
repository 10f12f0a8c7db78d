"""Tables of single calls that are compared with MXNet's, a file for each distribution."""
