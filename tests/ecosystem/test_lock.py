"""A lock file decides which plugins load, without importing any other."""

import json


def states(own, **settings):
    done = own.run("opforge", "plugins", "--json", **settings)
    return {row["plugin"]: row["state"] for row in json.loads(done.stdout)}


def test_only_plugins_as_locked_load(environment, wheels, stranger, tmp_path):
    names = ["opforge", "opforge-softmax", "opforge-pooling"]
    own = environment(*(wheels[name] for name in names))
    file = tmp_path / "opforge.lock"
    written = json.loads(own.run("opforge", "lock", "-o", str(file), "--json").stdout)
    rows = {row["name"]: row for row in written["plugins"]}
    assert set(rows) == set(names)
    assert all(row["record"].startswith("sha256:") for row in rows.values())
    assert (
        rows["opforge-pooling"]["abi"] and "baseline" in rows["opforge-pooling"]["instruction_sets"]
    )
    assert not rows["opforge-softmax"]["abi"]
    assert "as locked" in own.run("opforge", "lock", "check", str(file)).stdout
    only = {"OPFORGE_PLUGINS": f"-lock {file}"}
    assert states(own, **only) == {
        "opforge-pooling": "not loaded",
        "opforge-softmax": "not loaded",
    }

    (module,) = own.folder.glob("lib/*/site-packages/opforge_softmax/__init__.py")
    module.write_text(f"{module.read_text()}\nprint('changed')\n")
    found = json.loads(own.run("opforge", "lock", "check", str(file), "--json", code=1).stdout)
    assert found == {
        "opforge-softmax": "its files differ from its RECORD: opforge_softmax/__init__.py"
    }
    assert states(own, **only)["opforge-softmax"] == "disabled"
    told = own.run("opforge", "plugins", "why", "opforge-softmax", **only).stdout
    assert "its files differ from its RECORD" in told and "opforge lock" in told
    rejected = own.run("opforge", "lock", "-o", str(file), code=1).stderr
    assert "pip install --force-reinstall --no-deps opforge-softmax" in rejected
    assert json.loads(own.run("opforge", "lock", "check", str(file), "--json", code=1).stdout)


def test_plugins_that_are_not_locked_are_rejected_unseen(environment, wheels, stranger, tmp_path):
    own = environment(wheels["opforge"])
    file = tmp_path / "opforge.lock"
    own.run("opforge", "lock", "-o", str(file))
    wheel = stranger("acme-extra", "acme_op", "raise SystemExit('this ran')")
    other = environment(wheels["opforge"], wheel)
    told = other.run("opforge", "lock", "check", str(file), code=1).stdout
    assert told == "acme-extra: not in the lock file\n"
    program = "from opforge import nd; nd.acme_op"
    only = {"OPFORGE_PLUGINS": f"-lock {file}"}
    done = other.run("python", "-c", program, code=1, **only)
    assert "not in the lock file" in done.stderr and "this ran" not in done.stderr
