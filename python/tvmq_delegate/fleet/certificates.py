"""TLS for a fleet: an authority of its own, which signs a certificate for the scheduler, the boards and the clients. Making them needs the extra `fleet`."""

from __future__ import annotations

import datetime
import ipaddress
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from distributed.security import Security

AUTHORITY, CERTIFICATE, KEY = "authority.pem", "certificate.pem", "key.pem"
DAYS = 3650


def make_certificates(folder: str | os.PathLike[str], hosts: Sequence[str] = ()) -> list[Path]:
    """Writes authority.pem, certificate.pem and key.pem, for whoever takes part in the fleet: all of them copy the three files.

    The authority's own key is not kept, so that nobody can sign more. hosts: names and addresses of the scheduler, beside localhost.

    Raises:
      FileExistsError: the folder has certificates already. OSError: it cannot be written.
    """
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    where = Path(folder)
    where.mkdir(parents=True, exist_ok=True)
    paths = [where / name for name in (AUTHORITY, CERTIFICATE, KEY)]
    for path in paths:
        if path.exists():
            raise FileExistsError(f"{path} is there already")
    now = datetime.datetime.now(datetime.timezone.utc)

    def certificate(subject: str, key: Any, issuer: str, issuer_key: Any, extensions: Sequence[tuple[Any, bool]]) -> bytes:
        def name(text: str) -> x509.Name:
            return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])

        builder = x509.CertificateBuilder().subject_name(name(subject)).issuer_name(name(issuer)).public_key(key.public_key())
        builder = builder.serial_number(x509.random_serial_number())
        builder = builder.not_valid_before(now - datetime.timedelta(days=1)).not_valid_after(now + datetime.timedelta(days=DAYS))  # clocks need not agree
        for extension, critical in extensions:
            builder = builder.add_extension(extension, critical)
        encoded: bytes = builder.sign(issuer_key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
        return encoded

    authority, own = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    named = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1")), *map(_general_name, hosts)]
    issuer, no_authority = "tvmq fleet", x509.BasicConstraints(ca=False, path_length=None)
    contents = [
        certificate(issuer, authority, issuer, authority, [(x509.BasicConstraints(ca=True, path_length=0), True)]),
        certificate("tvmq board", own, issuer, authority, [(no_authority, True), (x509.SubjectAlternativeName(named), False)]),
        own.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()),
    ]
    for path, content in zip(paths, contents):
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
    return paths


def _general_name(host: str) -> Any:
    from cryptography import x509

    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def security(folder: str | os.PathLike[str]) -> Security:
    """The certificates of a folder, as dask takes them. Whoever has no certificate of the same authority gets no connection.

    Raises:
      FileNotFoundError: one of the files is missing.
    """
    where = Path(folder)
    for name in (AUTHORITY, CERTIFICATE, KEY):
        if not (where / name).is_file():
            raise FileNotFoundError(f"{where / name} is missing: `tvmq fleet certificates` makes it")
    files = {f"tls_{role}_{kind}": str(where / name) for role in ("scheduler", "worker", "client") for kind, name in (("cert", CERTIFICATE), ("key", KEY))}
    return Security(tls_ca_file=str(where / AUTHORITY), require_encryption=True, **files)


def checked(address: str, given: Security | None) -> Security | None:
    """The security for an address. Beyond this machine it must be TLS.

    Raises:
      ValueError: it is not.
    """
    protocol, separator, rest = address.partition("://")
    if not separator:
        protocol, rest = "tcp", address
    if ":" not in rest:
        raise ValueError(f"{address!r} is not the address of a scheduler, such as tls://HOST:8786 or tcp://127.0.0.1:8786")
    host = rest.rpartition(":")[0].strip("[]")
    if protocol == "tls":
        if given is None:
            raise ValueError(f"{address} wants certificates: --certificates FOLDER, which `tvmq fleet certificates` makes")
        return given
    if protocol != "tcp" or host not in ("localhost", "127.0.0.1", "::1"):
        raise ValueError(f"{address} is beyond this machine, where only tls:// is allowed: a board runs whatever a client sends")
    return None
