"""A copy of the tree in which lines are changed, so that the tree itself is never a changed one."""

import pathlib
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent


def copy_tree(name):
    """Brings `target/NAME` to what is checked out here, and returns its path."""
    copy = ROOT / "target" / name
    copy.mkdir(parents=True, exist_ok=True)
    for file in subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True
    ).stdout.splitlines():
        here, there = ROOT / file, copy / file
        # What is the same is left as it is, so that it is not built again.
        if here.is_file() and not (there.is_file() and there.read_bytes() == here.read_bytes()):
            there.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(here, there)
    # The cases that some tests read beside the tree.
    shared, link = ROOT.parent / "shared", copy.parent / "shared"
    if shared.is_dir() and not link.exists():
        link.symlink_to(shared)
    return copy
