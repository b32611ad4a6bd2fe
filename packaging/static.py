"""The programs alone, in an archive: what `cargo binstall` takes, and what a container is made of."""

from typing import Dict

import source
from archives import Entry, tar_gz, zip_
from targets import Target


def folder(target: Target) -> str:
    return f"hookgate-{source.version()}-{target.triple}"


def name(target: Target) -> str:
    return folder(target) + (".zip" if target.suffix else ".tar.gz")


def make(target: Target, programs: Dict[str, bytes], sbom: bytes) -> bytes:
    entries = [Entry(name, data, True) for name, data in programs.items()]
    entries += [Entry(name, source.read(name)) for name in ("README.md", "CHANGELOG.md", *source.LICENCES)]
    entries += [Entry("hookgate.cdx.json", sbom)]
    entries = [entry._replace(name=f"{folder(target)}/{entry.name}") for entry in entries]
    return zip_(entries) if target.suffix else tar_gz(entries, source.time())
