"""A step that is denied through the client, and one that is not, each by the program that the package brings."""

import asyncio
import pathlib
import sys

import hookgate
import hookgate.aio

HOOKS = pathlib.Path(__file__).with_name("hooks.toml")
EVENTS = ["pre_tool_use"]


def program_of_child():
    for entry in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        words = entry.read_bytes().split(b"\0")
        if b"serve" in words:
            return (entry.parent / "exe").resolve()
    sys.exit("there is no server")


with hookgate.spawn(HOOKS, events=EVENTS) as gate:
    tree = pathlib.Path(hookgate.__file__).resolve().parents[1]
    environments = {pathlib.Path(sys.prefix).resolve(), tree}
    program = program_of_child()
    if not environments & set(program.parents):
        sys.exit(f"{program} is not that of the package")
    session = gate.session("s")
    ran = session.tool("Bash", {"command": "git push"}).run(lambda payload: True)
    assert ran is True
    try:
        session.tool("Bash", {"command": "git push --force"}).run(lambda payload: sys.exit("it ran"))
        sys.exit("it was not denied")
    except hookgate.Denied as denied:
        assert "it rewrites" in denied.reason, denied.reason


async def asynchronous():
    async with await hookgate.aio.spawn(HOOKS, events=EVENTS) as gate:
        try:
            async with gate.session("s").tool("Bash", {"command": "git push --force"}):
                sys.exit("it ran")
        except hookgate.Denied as denied:
            assert "it rewrites" in denied.reason, denied.reason


asyncio.run(asynchronous())
