# Written by scripts/native_stubs.py from the compiled module; do not edit.
