"""What the tests run against: the program, and hooks for it."""

import os
import pathlib
import signal
import subprocess
import tempfile
import time

PROGRAM = os.environ.get("HOOKGATE", "hookgate")
EVENTS = ["pre_tool_use", "post_tool_use", "session_end"]

HOOKS = (pathlib.Path(__file__).parents[2] / "cases" / "gate.toml").read_text(encoding="utf-8")


class Folder:
    """A folder with hooks, and servers that end with it."""

    def __init__(self):
        self._folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self._folder.name)
        self.hooks = self.path / "hooks.toml"
        self.hooks.write_text(HOOKS)
        self.socket = self.path / "run" / "s.sock"
        self._servers = []

    def listen(self):
        """Starts a server on the socket, and returns when it listens."""
        server = subprocess.Popen(
            [PROGRAM, "serve", "--socket", str(self.socket), "--config", str(self.hooks)],
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        self._servers.append(server)
        for line in server.stderr:
            if b"listening" in line:
                return server
        raise AssertionError("the server does not listen")

    def close(self):
        for server in self._servers:
            if server.poll() is None:
                server.send_signal(signal.SIGCONT)
                server.kill()
            server.wait()
            server.stderr.close()
        self._folder.cleanup()


def stop(server):
    """Stops a server as a whole: the signal reaches one thread first, and the others go on until that has run."""
    server.send_signal(signal.SIGSTOP)
    tasks = pathlib.Path(f"/proc/{server.pid}/task")
    for _ in range(500):
        states = [(task / "stat").read_text().rsplit(")", 1)[1].split()[0] for task in tasks.iterdir()]
        if all(state == "T" for state in states):
            return
        time.sleep(0.01)
    raise AssertionError("the server does not stop")


def child_of_this_process():
    """Returns the id of the only server that this process has started."""
    own = os.getpid()
    for _ in range(100):
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                stat = (entry / "stat").read_text()
                line = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if int(stat.rsplit(")", 1)[1].split()[1]) == own and b"serve" in line:
                found.append(int(entry.name))
        if len(found) == 1:
            return found[0]
        time.sleep(0.02)
    raise AssertionError(f"there are {len(found)} servers")
