"""The programs, built static and without a trace of the folder that they were built in."""

import os
import pathlib
import subprocess
import sys
from typing import Dict

import source
from targets import Target

#: What builds for other systems: a C compiler with the C libraries of all of them, and what has cargo use it.
TOOLS = pathlib.Path(__file__).with_name("tools.txt")


def read(target: Target, folder: pathlib.Path) -> Dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in target.programs}


def build(target: Target, packages: pathlib.Path) -> pathlib.Path:
    """Builds the programs and returns their folder."""
    tools = _tools(packages.parent / "packaging-tools")
    installed = _said("rustup", "target", "list", "--installed").split()
    if target.triple not in installed:
        subprocess.run(["rustup", "target", "add", target.triple], cwd=source.ROOT, check=True)
    built = pathlib.Path(os.environ.get("CARGO_TARGET_DIR") or source.ROOT / "target").resolve()
    compiler = _said("rustc", "-vV").split("commit-hash: ")[1].split()[0]
    registry = os.environ.get("CARGO_HOME") or pathlib.Path.home() / ".cargo"
    # Of two that match, the later one counts.
    renamed = {
        source.ROOT: "/hookgate",
        registry: "/cargo",
        f"{_said('rustc', '--print', 'sysroot').strip()}/lib/rustlib/src/rust": f"/rustc/{compiler}",
        built: "/target",
    }
    environment = {
        **os.environ,
        "CARGO_INCREMENTAL": "0",
        "CARGO_TARGET_DIR": str(built),
        "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
        "RUSTFLAGS": " ".join(f"--remap-path-prefix={here}={there}" for here, there in renamed.items()),
        "CFLAGS_" + target.triple.replace("-", "_"): " ".join(
            f"-ffile-prefix-map={here}={there}" for here, there in renamed.items() if there[1:6] != "rustc"
        ),
    }
    command = ["cargo", "zigbuild", "--profile", "dist", "--locked", "-p", "hookgate-cli", "--bins"]
    subprocess.run([*command, "--target", target.triple], cwd=source.ROOT, env=environment, check=True)
    return built / target.triple / "dist"


def _said(*command: str) -> str:
    return subprocess.run(command, cwd=source.ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def _tools(folder: pathlib.Path) -> pathlib.Path:
    """Installs what builds, of exactly the versions and bytes that are listed, unless it is there."""
    wanted, noted = TOOLS.read_text(), folder / "tools.txt"
    if not noted.exists() or noted.read_text() != wanted:
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
        pip = [folder / "bin" / "pip", "install", "--quiet", "--require-hashes", "--only-binary", ":all:"]
        subprocess.run([*pip, "-r", TOOLS], check=True)
        noted.write_text(wanted)
    return folder / "bin"
