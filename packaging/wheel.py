"""The wheel: `pip install` gives the client, and the programs as they are, without a script around them."""

import base64
import hashlib
import tomllib
from typing import Dict, List

import source
from archives import Entry, in_order, zip_
from targets import Target

METADATA = """\
Metadata-Version: 2.4
Name: hookgate
Version: {version}
Summary: {summary}
License-Expression: MIT OR Apache-2.0
License-File: LICENSE-APACHE
License-File: LICENSE-MIT
Requires-Python: {python}
{extras}Project-URL: Repository, {repository}
Description-Content-Type: text/markdown

{readme}"""


def name(target: Target) -> str:
    return f"hookgate-{source.version()}-py3-none-{'.'.join(target.wheel_tags)}.whl"


def make(target: Target, programs: Dict[str, bytes], sbom: bytes) -> bytes:
    version = source.version()
    info, scripts = f"hookgate-{version}.dist-info/", f"hookgate-{version}.data/scripts/"
    project = tomllib.loads(source.read("clients/python/pyproject.toml").decode())["project"]
    assert not project["dependencies"], "the client needs nothing"
    extras = ""
    for extra, needs in project.get("optional-dependencies", {}).items():
        extras += f"Provides-Extra: {extra}\n" + "".join(f"Requires-Dist: {need}; extra == '{extra}'\n" for need in needs)
    readme = source.read("clients/python/README.md").decode()
    metadata = METADATA.format(
        version=version,
        summary=source.SUMMARY,
        repository=source.REPOSITORY,
        python=project["requires-python"],
        extras=extras,
        readme=readme,
    )
    tags = "".join(f"Tag: py3-none-{tag}\n" for tag in target.wheel_tags)
    entries = source.tracked("clients/python", "hookgate")
    entries += [Entry(scripts + name, data, True) for name, data in programs.items()]
    entries += source.licences(info + "licenses/")
    entries += [
        Entry(info + "METADATA", metadata.encode()),
        Entry(info + "WHEEL", f"Wheel-Version: 1.0\nGenerator: packaging/build\nRoot-Is-Purelib: false\n{tags}".encode()),
        Entry(info + "sboms/hookgate.cdx.json", sbom),
    ]
    return zip_([*entries, Entry(info + "RECORD", _record(entries, info + "RECORD"))])


def _record(entries: List[Entry], own: str) -> bytes:
    lines = []
    for entry in in_order(entries):
        digest = base64.urlsafe_b64encode(hashlib.sha256(entry.data).digest()).rstrip(b"=").decode()
        lines.append(f"{entry.name},sha256={digest},{len(entry.data)}\n")
    return "".join([*lines, f"{own},,\n"]).encode()
