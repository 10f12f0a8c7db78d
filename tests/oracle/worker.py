"""Run one program in MXNet 1.9.1: ``python worker.py PROGRAM FOLDER``.

It runs in another interpreter (Python 3.10, NumPy before 1.24) than the tests, and shares nothing
with them but FOLDER. A program is a module of programs/ with ``run(mx, request, folder)``: it gets
the contents of request.json and returns those of answer.json; arrays are files next to them.
"""

import importlib
import json
import os
import sys


def main(program, folder):
    import mxnet as mx

    with open(os.path.join(folder, "request.json"), encoding="utf-8") as file:
        request = json.load(file)
    answer = importlib.import_module("programs." + program).run(mx, request, folder)
    with open(os.path.join(folder, "answer.json"), "w", encoding="utf-8") as file:
        json.dump(answer, file)


if __name__ == "__main__":
    main(*sys.argv[1:])
