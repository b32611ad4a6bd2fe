"""What is in the programs, as CycloneDX: each package of the build and how it got there, C code too.

Packages that only take part in the build (`build.rs`, macros) are in no program, so they are not listed.
"""

import datetime
import hashlib
import json
import pathlib
import re
import subprocess
import tomllib
import uuid
from typing import Any, Dict, List, Tuple

import source
from targets import Target

#: What `cargo tree` says of a package.
LINE = re.compile(r"^(\d+) (\S+) v(\S+)(?: \(.*?\))?\|([^|]*?)(?: \(\*\))?$")


def make(target: Target, programs: Dict[str, bytes]) -> bytes:
    packages, edges = _tree(target)
    edges = {ref: sorted(set(needs)) for ref, needs in edges.items()}
    own = _ref("hookgate-cli", source.version())
    components = [packages[ref] for ref in sorted(packages) if ref != own]
    for parent, component in (_sqlite(packages), (own, _rust())):
        components.append(component)
        edges[component["bom-ref"]] = []
        edges[parent] = sorted([*edges[parent], component["bom-ref"]])
    bom = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "timestamp": datetime.datetime.fromtimestamp(source.time(), datetime.timezone.utc).isoformat(),
            "component": {
                **packages[own],
                "type": "application",
                "name": "hookgate",
                "description": f"for {target.triple}",
                "components": [
                    {"type": "file", "bom-ref": f"file:{name}", "name": name, "hashes": _hashes(data)}
                    for name, data in sorted(programs.items())
                ],
            },
        },
        "components": components,
        "dependencies": [{"ref": ref, "dependsOn": edges[ref]} for ref in sorted(edges)],
    }
    # The same programs have the same number.
    bom["serialNumber"] = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(bom, sort_keys=True)).urn
    return (json.dumps(bom, indent=1, ensure_ascii=False) + "\n").encode()


def _hashes(data: bytes) -> List[Dict[str, str]]:
    return [{"alg": "SHA-256", "content": hashlib.sha256(data).hexdigest()}]


def _ref(name: str, version: str) -> str:
    return f"pkg:cargo/{name}@{version}"


def cargo(*arguments: str) -> str:
    command = ["cargo", *arguments, "--locked"]
    return subprocess.run(command, cwd=source.ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def _tree(target: Target) -> Tuple[Dict[str, Any], Dict[str, List[str]]]:
    lock = tomllib.loads(source.read("Cargo.lock").decode())["package"]
    sums = {_ref(package["name"], package["version"]): package.get("checksum") for package in lock}
    said = cargo(
        *("tree", "-p", "hookgate-cli", "-e", "normal,no-proc-macro", "--target", target.triple),
        *("--prefix", "depth", "--format", " {p}|{l}"),
    )
    packages: Dict[str, Any] = {}
    edges: Dict[str, List[str]] = {}
    above: List[str] = []
    for line in said.splitlines():
        found = LINE.match(line)
        assert found is not None, f"`cargo tree` says `{line}`"
        depth, name, version, licence = int(found[1]), found[2], found[3], found[4].replace("/", " OR ")
        ref = _ref(name, version)
        above[depth:] = [ref]
        edges.setdefault(ref, [])
        if depth > 0:
            edges[above[depth - 1]].append(ref)
        component = {"type": "library", "bom-ref": ref, "name": name, "version": version, "purl": ref}
        component["licenses"] = [{"expression": licence}]
        if sums[ref] is not None:
            component["hashes"] = [{"alg": "SHA-256", "content": sums[ref]}]
        packages[ref] = component
    return packages, edges


def _sqlite(packages: Dict[str, Any]) -> Tuple[str, Dict[str, Any]]:
    """The C library within a package of Rust: a list of known weaknesses knows it by its own name."""
    metadata = json.loads(cargo("metadata", "--format-version", "1"))["packages"]
    found = [package for package in metadata if _ref(package["name"], package["version"]) in packages]
    bringing = next(package for package in found if package["name"] == "libsqlite3-sys")
    header = pathlib.Path(bringing["manifest_path"]).parent / "sqlite3" / "sqlite3.h"
    version = re.search(r'^#define SQLITE_VERSION +"(.+)"', header.read_text(), re.MULTILINE)
    assert version is not None, f"`{header}` has no version"
    purl = f"pkg:generic/sqlite@{version[1]}"
    component = {"type": "library", "bom-ref": purl, "name": "sqlite", "version": version[1], "purl": purl}
    component["licenses"] = [{"expression": "blessing"}]
    return _ref("libsqlite3-sys", bringing["version"]), component


def _rust() -> Dict[str, Any]:
    said = subprocess.run(["rustc", "--version"], cwd=source.ROOT, check=True, stdout=subprocess.PIPE, text=True)
    version = said.stdout.split()[1]
    purl = f"pkg:generic/rust@{version}"
    component = {"type": "library", "bom-ref": purl, "name": "rust", "version": version, "purl": purl}
    return {**component, "description": "its standard library", "licenses": [{"expression": "MIT OR Apache-2.0"}]}
