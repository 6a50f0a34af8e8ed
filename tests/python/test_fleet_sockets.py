"""The listening sockets of scheduler, boards and client: those that other machines reach speak TLS and ask for a certificate."""

from __future__ import annotations

import contextlib
import ipaddress
import os
import pathlib
import re
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import pytest

pytest.importorskip("distributed", reason="dask's distributed is not installed: pip install distributed cryptography")
psutil = pytest.importorskip("psutil")

from tvmq_delegate import fleet  # noqa: E402

DOCS = pathlib.Path(__file__).parents[2] / "docs/fleet.md"
TIMEOUT = 120
Address = tuple[str, int]


def listening(pid: int, children: bool = True) -> set[Address]:
    """The listening sockets of a process, with or without those of the processes that it started."""
    found = set()
    parent = psutil.Process(pid)
    for process in [parent, *(parent.children(recursive=True) if children else [])]:
        with contextlib.suppress(psutil.NoSuchProcess):
            connections = (process.net_connections if hasattr(process, "net_connections") else process.connections)("inet")
            found |= {tuple(each.laddr) for each in connections if each.status == psutil.CONN_LISTEN}
    return found


def open_to_others(pid: int, children: bool = True) -> set[Address]:
    return {(host, port) for host, port in listening(pid, children) if not ipaddress.ip_address(host).is_loopback}


def own_address() -> str:
    """An address of this machine that others reach."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            pytest.skip("the machine has no address beyond itself")
        address: str = probe.getsockname()[0]
        return address


def answer(host: str, port: int) -> bytes:
    """The response to a request in plain HTTP."""
    with socket.create_connection((host, port), timeout=10) as connection, contextlib.suppress(OSError):
        connection.sendall(b"GET /health HTTP/1.0\r\n\r\n")
        return connection.recv(100)
    return b""


def takes(host: str, port: int, security: object) -> bool:
    """Whether TLS is spoken there with a member of the fleet, and refused to a stranger."""
    context = ssl._create_unverified_context()
    with socket.create_connection((host, port), timeout=10) as plain:
        try:
            with context.wrap_socket(plain) as stranger:
                stranger.settimeout(10)
                stranger.sendall(b"x")
                if stranger.recv(1):  # TLS 1.3 refuses a client without a certificate after its handshake
                    return False
        except OSError:
            pass
    context = security.get_connection_args("client")["ssl_context"]  # type: ignore[attr-defined]
    context.check_hostname = False
    with socket.create_connection((host, port), timeout=10) as plain, context.wrap_socket(plain) as member:
        return bool(member.version())


def wait_for(what: Callable[[], object]) -> None:
    end = time.monotonic() + TIMEOUT
    while not what():
        assert time.monotonic() < end
        time.sleep(0.1)


@contextlib.contextmanager
def running(*command: object) -> Iterator[int]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen([sys.executable, "-m", *map(str, command)], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield process.pid
    finally:
        process.kill()
        process.wait()


def documented(certificates: pathlib.Path | None, port: int) -> list[str]:
    """The arguments of the scheduler in the documentation, with other ports; without TLS on this machine alone."""
    (text,) = re.findall(r"^dask (scheduler --protocol tls://.*?[^\\])\n", DOCS.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    given = text.replace("\\\n", " ").replace("--port 8786", f"--port {port}").replace(":8787", ":0")
    if certificates is None:
        given = given.partition(" --tls-ca-file")[0].replace("--protocol tls://", "--host 127.0.0.1")
    return given.replace(" certificates/", f" {certificates}/").split()


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


@pytest.mark.parametrize("protocol", ["tcp", "tls"])
def test_scheduler_board_and_client(tmp_path, protocol):
    port, certificates, host, security = free_port(), None, "127.0.0.1", None
    if protocol == "tls":
        certificates, host = tmp_path / "certificates", own_address()
        fleet.make_certificates(certificates, [host])
        security = fleet.security(certificates)
    address = f"{protocol}://{host}:{port}"
    before = open_to_others(os.getpid(), children=False)
    with contextlib.ExitStack() as stack:
        scheduler = stack.enter_context(running("dask", *documented(certificates, port)))
        wait_for(lambda: any(each[1] == port for each in listening(scheduler)))
        arguments = [address, *(["--certificates", certificates] if certificates else [])]
        board = stack.enter_context(running("tvmq_delegate", "board", *arguments, "--name", "a"))
        with fleet.connect(address, security=security, timeout=TIMEOUT) as boards:
            boards.client.wait_for_workers(1, timeout=TIMEOUT)
            assert [each.name for each in boards.listed()] == ["a"]
            assert open_to_others(os.getpid(), children=False) == before
        for pid in (scheduler, board):
            assert listening(pid), "a process that listens nowhere is not one that serves"
            for there, open_port in open_to_others(pid):
                assert protocol == "tls"
                reached = host if ipaddress.ip_address(there).is_unspecified else there
                assert not answer(reached, open_port).startswith(b"HTTP")
                assert takes(reached, open_port, security)


def test_local_fleet():
    port = free_port()
    with running("tvmq_delegate", "fleet", "local", "--port", port) as pid:
        try:
            with fleet.connect(f"tcp://127.0.0.1:{port}", timeout=TIMEOUT) as boards:
                boards.client.wait_for_workers(1, timeout=TIMEOUT)
                assert listening(pid) and not open_to_others(pid)
        finally:
            os.kill(pid, signal.SIGTERM)  # which ends its boards, too
            wait_for(lambda: psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
