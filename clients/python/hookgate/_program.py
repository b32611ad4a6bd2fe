"""Where the program is: the wheel installs it where commands of this Python are."""

from __future__ import annotations

import os
import pathlib
from importlib import metadata


def find() -> str:
    """Returns the program that was installed with this package, or the name `hookgate` if it brought none."""
    name = "hookgate.exe" if os.name == "nt" else "hookgate"
    package = pathlib.Path(__file__).resolve().parent
    # `pip install --target` moves what it has noted to here.
    candidates = [package.parent / folder / name for folder in ("bin", "Scripts")]
    try:
        files = metadata.distribution("hookgate").files or []
    except metadata.PackageNotFoundError:
        files = []
    # Of another copy of this package, which this Python has as well, the program is another version's.
    if any(pathlib.Path(str(file.locate())).resolve() == package / "__init__.py" for file in files):
        candidates = [pathlib.Path(str(file.locate())) for file in files if file.name == name] + candidates
    for candidate in candidates:
        if candidate.is_file():
            return str(candidate.resolve())
    return "hookgate"
