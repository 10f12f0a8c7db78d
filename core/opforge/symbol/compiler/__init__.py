"""From a symbol to a native program, one pass a module; `compiling` puts them in order."""
