#!/bin/sh
# mxnet 1.9.1 loads a file that was saved from an empty dict as a list.
#
# `mx.nd.save` stores names only if there are arrays, and `mx.nd.load` returns a dict only if there
# are names. A network without parameters, exported by `HybridBlock.export`, thus has a file of
# parameters that loads as [], and code that calls items() on it fails. It needs python3.10, because
# mxnet 1.9.1 requires numpy before 1.24.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3.10 -m venv "$folder"
"$folder/bin/pip" install --quiet mxnet==1.9.1 numpy==1.23.5
cd "$folder"
"$folder/bin/python" - <<'END'
import mxnet as mx

mx.nd.save("none.params", {})
mx.nd.save("one.params", {"w": mx.nd.ones(1)})
none, one = mx.nd.load("none.params"), mx.nd.load("one.params")
print("no arrays:", none, "one array:", one)
assert none == [], "the behavior changed"
assert list(one) == ["w"], "the behavior changed"
END
