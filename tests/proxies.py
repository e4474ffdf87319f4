"""What a test needs to run a proxy of its own before a server: a certificate, and to know that it listens.

The proxies' configurations are the tests' own: ``tests/tunnel/wire/test_proxies.py`` has those of the
documentation, ``tests/deploy/front.py`` the shipped ones.
"""

import subprocess
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from socket import create_connection

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.tunnel.kit import DOMAIN, START_S


def certify(folder: Path) -> Path:
    """A certificate for the site and its tunnels, and its key; returns the certificate's file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "tunnel test")])
    now = datetime.now(UTC)
    names = x509.SubjectAlternativeName([x509.DNSName("localhost"), x509.DNSName(f"*.{DOMAIN}")])
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(names, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    file = folder / "tunnel.pem"
    file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    (folder / "tunnel.key").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    return file


def listens(port: int, process: subprocess.Popen[bytes]) -> bool:
    """Whether somebody answers at the port, now or soon, while the process lives."""
    pause = threading.Event()
    for _ in range(START_S * 20):
        try:
            create_connection(("127.0.0.1", port), START_S).close()
        except ConnectionRefusedError:
            if process.poll() is not None:
                return False
            pause.wait(0.05)
        else:
            return True
    return False
