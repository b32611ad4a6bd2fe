"""The packages of npm: `hookgate` is the client and finds the program in the one of its platform.

Nothing is run or fetched when they are installed: npm itself leaves out what is for another `os` or `cpu`.
"""

import json
from typing import Any, Dict

import source
from archives import Entry, tar_gz
from targets import RELEASED, Target

CLIENT = "clients/typescript"


def client_name() -> str:
    return f"hookgate-{source.version()}.tgz"


def client() -> bytes:
    manifest = json.loads(source.read(f"{CLIENT}/package.json"))
    files = source.tracked(CLIENT, *manifest["files"])
    # What npm would run.
    del manifest["scripts"]
    manifest["repository"] = {"type": "git", "url": f"git+{source.REPOSITORY}.git", "directory": CLIENT}
    # Of exactly this version: client and program are one release. Not in the tree, where nobody has published them.
    manifest["optionalDependencies"] = {target.npm_name: source.version() for target in RELEASED}
    commands = [path.removeprefix("./") for path in manifest["bin"].values()]
    entries = [file._replace(is_program=file.name in commands) for file in files]
    readme = Entry("README.md", source.read(f"{CLIENT}/README.md"))
    return _packed(manifest, [*entries, readme, *source.licences("")])


def platform_name(target: Target) -> str:
    return f"hookgate-{target.npm_os}-{target.npm_cpu}-{source.version()}.tgz"


def platform(target: Target, programs: Dict[str, bytes], sbom: bytes) -> bytes:
    manifest = {
        "name": target.npm_name,
        "version": source.version(),
        "description": f"The program hookgate for {target.npm_os} on {target.npm_cpu}: the package hookgate brings it",
        "license": "MIT OR Apache-2.0",
        "repository": {"type": "git", "url": f"git+{source.REPOSITORY}.git"},
        "os": [target.npm_os],
        "cpu": [target.npm_cpu],
        # A program cannot be started within an archive.
        "preferUnplugged": True,
    }
    readme = f"# {target.npm_name}\n\n{manifest['description']}.\n".encode()
    entries = [Entry(f"bin/{name}", data, True) for name, data in programs.items()]
    entries += [Entry("README.md", readme), Entry("hookgate.cdx.json", sbom), *source.licences("")]
    return _packed(manifest, entries)


def _packed(manifest: Dict[str, Any], entries: Any) -> bytes:
    text = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
    entries = [*entries, Entry("package.json", text.encode())]
    return tar_gz([entry._replace(name=f"package/{entry.name}") for entry in entries], source.time())
