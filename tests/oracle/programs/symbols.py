"""MXNet's reading of symbols that opforge saved."""

import os


def run(mx, request, folder):
    """Return MXNet's version of each file."""
    found = []
    for name in request["files"]:
        symbol = mx.sym.load(os.path.join(folder, name))
        found.append(
            {
                "json": symbol.tojson(),
                "debug": symbol.debug_str(),
                "arguments": symbol.list_arguments(),
                "outputs": symbol.list_outputs(),
                "states": symbol.list_auxiliary_states(),
                "attributes": symbol.attr_dict(),
            }
        )
    return found
