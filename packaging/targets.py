"""Which systems there are packages for."""

from dataclasses import dataclass
from typing import Optional, Tuple

#: What a package brings: the program, and the small one that has a daemon answer and is looked for beside it.
PROGRAMS = ("hookgate", "hookgate-call")


@dataclass(frozen=True)
class Target:
    """A system, with the names that each kind of package has for it."""

    triple: str
    #: The platform tags of a wheel. A static program runs with any C library, or with none.
    wheel_tags: Tuple[str, ...]
    npm_os: str
    npm_cpu: str
    debian: Optional[str] = None
    suffix: str = ""

    @property
    def programs(self) -> Tuple[str, ...]:
        return tuple(name + self.suffix for name in PROGRAMS)

    @property
    def npm_name(self) -> str:
        return f"@hookgate/{self.npm_os}-{self.npm_cpu}"


def _linux(machine: str, npm_cpu: str, debian: str) -> Target:
    kinds = ("manylinux2014", "manylinux_2_17", "musllinux_1_1")
    tags = tuple(f"{kind}_{machine}" for kind in kinds)
    return Target(f"{machine}-unknown-linux-musl", tags, "linux", npm_cpu, debian)


#: What a release has packages for, and what the package `hookgate` of npm asks for.
RELEASED = (_linux("x86_64", "x64", "amd64"), _linux("aarch64", "arm64", "arm64"))

#: Built if it is asked for: the program does not compile for Windows yet.
OTHERS = (Target("x86_64-pc-windows-gnu", ("win_amd64",), "win32", "x64", None, ".exe"),)


def find(triple: str) -> Target:
    for target in RELEASED + OTHERS:
        if target.triple == triple:
            return target
    known = ", ".join(target.triple for target in RELEASED + OTHERS)
    raise SystemExit(f"there are no packages for `{triple}`, but for {known}")


def of_machine(machine: str) -> Target:
    """The target whose programs run on this machine."""
    return find({"arm64": "aarch64", "amd64": "x86_64"}.get(machine.lower(), machine) + "-unknown-linux-musl")
