"""The tree that the packages are made of."""

import os
import pathlib
import re
import subprocess
from typing import List

from archives import Entry

ROOT = pathlib.Path(__file__).resolve().parents[1]
LICENCES = ("LICENSE-APACHE", "LICENSE-MIT")
SUMMARY = "The hook engine for AI-agent runtimes: the program, and a client to have each step judged before it happens"
REPOSITORY = "https://github.com/hookgate/hookgate"


def read(name: str) -> bytes:
    return (ROOT / name).read_bytes()


def _said(pattern: str, name: str) -> str:
    found = re.search(pattern, read(name).decode(), re.MULTILINE)
    assert found is not None, f"`{name}` has no version"
    return found.group(1)


def version() -> str:
    """The version, which is the same in all packages."""
    versions = {
        "Cargo.toml": _said(r'^version = "([^"]+)"', "Cargo.toml"),
        "clients/python/pyproject.toml": _said(r'^version = "([^"]+)"', "clients/python/pyproject.toml"),
        "clients/typescript/package.json": _said(r'^  "version": "([^"]+)"', "clients/typescript/package.json"),
    }
    if len(set(versions.values())) != 1:
        raise SystemExit(f"the versions differ: {versions}")
    return versions["Cargo.toml"]


def time() -> int:
    """The time that the files of packages get: that of the commit."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    return int(given or git("log", "-1", "--format=%ct"))


def git(*arguments: str) -> str:
    return subprocess.run(["git", "-C", ROOT, *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout


def tracked(folder: str, *below: str) -> List[Entry]:
    """What git has of files, folders and patterns below a folder, named from there. Neither caches nor what somebody tries out
    are packaged."""
    found = [git("ls-files", "-z", "--", f":(glob){folder}/{name}") for name in below]
    missing = [name for name, said in zip(below, found) if not said]
    if missing:
        raise SystemExit(f"git has nothing of {missing} in `{folder}`")
    names = set("".join(found).split("\0"))
    return [Entry(name[len(folder) + 1 :], read(name)) for name in sorted(names) if name]


def licences(folder: str) -> List[Entry]:
    return [Entry(folder + name, read(name)) for name in LICENCES]
