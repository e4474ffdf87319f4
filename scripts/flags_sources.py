"""The public packages the flags are made from: fetched with `npm pack`, pinned by version and by content.

Development only. What is kept of them is listed in THIRD-PARTY-NOTICES.md; to move to a newer version, change
the row here, run `build_flags.py` and review its contact sheets.
"""

import base64
import hashlib
import subprocess
import tarfile
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Package:
    """One npm package; `integrity` is what the registry states (`npm view NAME@VERSION dist.integrity`)."""

    name: str
    version: str
    integrity: str


FLAG_ICONS = Package(  # MIT: the drawings and the list of ISO 3166-1 codes
    "flag-icons",
    "7.5.0",
    "sha512-kd+MNXviFIg5hijH766tt+3x76ele1AXlo4zDdCxIvqWZhKt4T83bOtxUOOMlTx/EcFdUMH5yvQgYlFh1EqqFg==",
)
CLDR_NAMES = Package(  # Unicode-3.0: names, in the spelling that browsers use as well
    "cldr-localenames-full",
    "48.2.0",
    "sha512-4o0paYDz0UXhfhChAVFkmVl2CP0YTSEqE6WrC0fNafaSC5u5DAXphxH3SZ1Ujczarikr8DToKZfiok6EqWLdNQ==",
)
CLDR_CORE = Package(  # Unicode-3.0: which territory lies in which UN M49 region
    "cldr-core",
    "48.2.0",
    "sha512-zfmLothncSwfv2jlevoSrgI2VGgH8SDGHXst6jUEotHA8nq9Igeg9jzdJDFtBso9pgJuG89DK16TzrmZDdo2Bg==",
)
SVGO = Package(  # MIT: the minifier; a tool, nothing of it is kept
    "svgo",
    "4.1.0",
    "sha512-bkxnTg1kSU0guhIBmibA6UUhrQmPVA1XsQLN+ylCd+UWzbnLkySOcXpyk1mrl05f+pcaCx2eHb+sp6BgMZWX+Q==",
)


def fetch(package: Package, cache: Path) -> Path:
    """The package's archive in `cache`, downloaded if need be; raises if it is not the pinned content."""
    archive = cache / f"{package.name}-{package.version}.tgz"
    if not archive.exists():
        cache.mkdir(parents=True, exist_ok=True)
        command = [
            "npm",
            "pack",
            f"{package.name}@{package.version}",
            "--pack-destination",
            str(cache),
            "--silent",
        ]
        subprocess.run(command, check=True)
    digest = base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
    if f"sha512-{digest}" != package.integrity:
        raise ValueError(f"{archive} is not {package.name} {package.version}: its content is sha512-{digest}")
    return archive


def texts(archive: Path, wanted: str) -> dict[str, str]:
    """The archive's text files that start with `wanted`, by their path in the package."""
    with tarfile.open(archive) as tar:
        names = [name for name in tar.getnames() if name.removeprefix("package/").startswith(wanted)]
        members = {name.removeprefix("package/"): tar.extractfile(name) for name in names}
        return {name: file.read().decode() for name, file in members.items() if file is not None}
