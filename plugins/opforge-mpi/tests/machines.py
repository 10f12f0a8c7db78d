"""Machines simulated by network namespaces of one kernel, with names, addresses and virtual cables.

Ranks in different namespaces share no memory as far as MPI knows, and communicate over TCP.
Creating them requires root and Linux's tools for namespaces.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["Machines", "joined_machines"]

#: Remote shell for mpiexec, called like ssh with a host and a command line.
_REMOTE_SHELL = """#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift; done
host=$1
shift
exec ip netns exec "PREFIX$host" unshare --uts sh -c "hostname machine${host##*.}; $*"
"""

#: Program that ends when the kernel reports the link of its namespace as up: it subscribes to
#: changes of links before it reads the state, so that it misses none.
_LINK_IS_UP = """
import pathlib, socket
state = pathlib.Path("/sys/class/net/cable/operstate")
with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as events:
    events.settimeout(30)
    events.bind((0, 1))
    while state.read_text() != "up\\n":
        events.recv(65536)
"""


class Machines:
    """Two machines; the launcher runs on the first one.

    Parameters
    ----------
    prefix : str
        Prefix of the namespaces' names, followed by an address.
    folder : Path
        Folder for the remote-shell program.
    """

    hosts = ("10.213.0.1", "10.213.0.2")

    def __init__(self, prefix: str, folder: Path) -> None:
        self._prefix = prefix
        shell, hosts = folder / "remote_shell", folder / "hosts"
        shell.write_text(_REMOTE_SHELL.replace("PREFIX", prefix))
        shell.chmod(0o755)
        hosts.write_text("".join(f"{host}\n" for host in self.hosts))
        #: For programs on the first machine: `mpiexec` starts every second rank on the other one.
        self.environment = {
            "HYDRA_LAUNCHER": "ssh",
            "HYDRA_LAUNCHER_EXEC": str(shell),
            "HYDRA_HOST_FILE": str(hosts),
            # Restrict UCX to TCP; its other transports would work because the kernel is shared.
            "UCX_TLS": "tcp,self",
            "UCX_NET_DEVICES": "cable",
            "FI_PROVIDER": "tcp",
            "FI_TCP_IFACE": "cable",
            "GLOO_SOCKET_IFNAME": "cable",
        }

    def on_first(self, *command: str) -> list[str]:
        """Return a command that runs one on the first machine."""
        there = ["ip", "netns", "exec", self._prefix + self.hosts[0], "unshare", "--uts"]
        return [*there, "sh", "-c", 'hostname machine1; exec "$@"', "sh", *command]

    def launcher(self, mpiexec: str, count: int) -> list[str]:
        """Return the launcher command for `count` ranks, the first half on the first machine."""
        return self.on_first(mpiexec, "-ppn", str(count // len(self.hosts)))


@contextmanager
def joined_machines(folder: Path) -> Iterator[Machines]:
    """Create two machines, and remove them at the end.

    Raises
    ------
    OSError
        They cannot be created in this environment.
    """
    prefix = f"opforge-{os.getpid()}-"
    names = [prefix + host for host in Machines.hosts]
    made = []
    try:
        for name in names:
            _ip("netns", "add", name)
            made.append(name)
        one, other = names
        _ip("-n", one, "link", "add", "cable", "type", "veth", "peer", "cable", "netns", other)
        for name, host in zip(names, Machines.hosts, strict=True):
            _ip("-n", name, "address", "add", f"{host}/24", "dev", "cable")
            for device in ("lo", "cable"):
                _ip("-n", name, "link", "set", device, "up")
        for name in names:
            _wait_for_link(name)
        yield Machines(prefix, folder)
    finally:
        for name in made:
            _ip("netns", "delete", name)


def _wait_for_link(name: str) -> None:
    """Wait until the cable of a machine is up, because MPI skips interfaces that are not."""
    command = ["ip", "netns", "exec", name, sys.executable, "-c", _LINK_IS_UP]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise OSError(f"the cable of {name} does not come up: {done.stderr.strip()}")


def _ip(*arguments: str) -> str:
    done = subprocess.run(["ip", *arguments], capture_output=True, text=True)
    if done.returncode:
        raise OSError(f"ip {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout
