"""Tables of single calls that are compared with MXNet's, one file per distribution."""
