"""One session of one agent, shut in: a home of its own, no network but the loopback, a time limit.

`run` starts this file again inside of new namespaces, where `_inside` starts the model, sets the agent
up, runs the commands that install hookgate, breaks what the row breaks, and starts the agent.
"""
import fcntl
import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
#: Seconds for the agent; each command before it has as many.
LIMIT = 60
#: Seconds for an agent that waits for its user.
SHORT_LIMIT = 25
#: What the model asks for. The file is the proof that it ran.
FORBIDDEN = "echo ran > canary.txt"
#: What it asks for where it asks several times: a line of the file for each command that ran.
FORBIDDEN_AGAIN = "echo ran %d >> canary.txt"


class Session:
    """What a session left behind."""

    def __init__(self, folder, limit, times=1):
        work = os.path.join(folder, "work")
        self.times = times
        self.ran = os.path.exists(os.path.join(work, "canary.txt"))
        self.lines = len(_read(os.path.join(work, "canary.txt")).splitlines())
        self.rewritten = os.path.exists(os.path.join(work, "rewritten.txt"))
        self.said = _read(os.path.join(folder, "stdout")) + _read(os.path.join(folder, "stderr"))
        self.before = _read(os.path.join(folder, "before"))
        self.doctor = _read(os.path.join(folder, "doctor"))
        found = json.loads(_read(os.path.join(folder, "result.json")) or "{}")
        self.trouble = found.get("trouble")
        self.asked = found.get("asked", 0)
        self.told = "\n".join(found.get("told", []))
        self.exit = found.get("exit")
        self.late = found.get("late", False)
        self.seconds = found.get("seconds", limit)

    def verdict(self):
        """Returns what became of the command; of several, how many ran."""
        if self.times > 1 and not self.trouble and self.asked == self.times:
            return "%d of %d" % (self.lines, self.times)
        if self.ran:
            return "RAN"
        if self.trouble:
            return "TROUBLE"
        if not self.asked:
            return "NO SESSION"
        return "rewritten" if self.rewritten else "blocked"


def _read(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def namespaces():
    """Returns the command that shuts a session in, or an empty one where the system has none."""
    wanted = ["unshare", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]
    for command in (wanted, wanted + ["--user", "--map-root-user"]):
        try:
            done = subprocess.run(command + ["true"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL, check=False)
        except FileNotFoundError:
            return []
        if done.returncode == 0:
            return command
    return []


def run(agent, row, hookgate, shut_in, keep=None):
    """Runs a session of an agent as a row says; `hookgate` is the program under test.

    The folder of the session is moved to `keep`, if that is given, for those who look for a fault.
    """
    folder = tempfile.mkdtemp(prefix="hookgate-agents-")
    for name in ("home", "work", "bin", "spare"):
        os.mkdir(os.path.join(folder, name))
    for program, target in (("bin/hookgate", hookgate), ("spare/target", hookgate), ("spare/hookgate", "target")):
        os.symlink(target, os.path.join(folder, program))
    plan = {"agent": agent.name, "shut_in": bool(shut_in), "policy": row.policy_for(agent), "before": row.commands(agent),
            "limit": SHORT_LIMIT if row.asks and agent.waits else LIMIT, "times": row.times}
    try:
        with open(os.path.join(folder, "plan.json"), "w", encoding="utf-8") as file:
            json.dump(plan, file)
        subprocess.run(shut_in + [sys.executable, "-B", "-m", "harness.session", folder], cwd=TOP,
                       stdin=subprocess.DEVNULL, timeout=LIMIT * 3, check=False)
        return Session(folder, LIMIT, row.times)
    except subprocess.TimeoutExpired:
        return Session(folder, LIMIT, row.times)
    finally:
        if keep:
            shutil.move(folder, keep)
        else:
            shutil.rmtree(folder, ignore_errors=True)


def _raise_loopback():
    """A new network has a loopback that is down."""
    set_flags, up_and_running = 0x8914, 0x1 | 0x40
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as handle:
        fcntl.ioctl(handle, set_flags, struct.pack("16sh", b"lo", up_and_running))


def _inside(folder):
    from . import agents, model

    with open(os.path.join(folder, "plan.json"), encoding="utf-8") as file:
        plan = json.load(file)
    if plan["shut_in"]:
        _raise_loopback()
    home, work = os.path.join(folder, "home"), os.path.join(folder, "work")
    times = plan["times"]
    server = model.Model([FORBIDDEN] if times == 1 else [FORBIDDEN_AGAIN % (number + 1) for number in range(times)])
    agent = agents.ALL[plan["agent"]]()
    agent.settings(home, server.port)
    if plan["policy"] is not None:
        # That of the user: hookgate trusts no project by itself, and rows have hooks that are programs.
        policy = plan["policy"].replace("JUDGE", "http://127.0.0.1:%d/judge/v1" % server.port)
        agents.write(os.path.join(home, ".config", "hookgate", "hooks.toml"), policy)
    env = agent.environment(home, server.port, [os.path.join(folder, "bin")])
    if not plan["shut_in"]:
        # Nothing listens there, so whoever tries to call home does not get through.
        env.update(HTTPS_PROXY="http://127.0.0.1:9", NO_PROXY="127.0.0.1,localhost")
    how = {"cwd": work, "env": env, "stdin": subprocess.DEVNULL}
    result = {"trouble": _prepare(["git init --quiet"] + agent.login(server.port) + plan["before"], folder, how)}
    if result["trouble"] is None:
        result.update(_start(agent.command(), folder, how, plan["limit"]))
    result.update(asked=server.asked, judged=server.judged, told=server.told, requests=server.requests)
    with open(os.path.join(folder, "result.json"), "w", encoding="utf-8") as file:
        json.dump(result, file)


def _prepare(lines, folder, how):
    """Runs the commands before a session. Returns what went wrong, or None."""
    with open(os.path.join(folder, "before"), "wb") as log:
        for line in lines:
            done = subprocess.run(["bash", "-c", line], stdout=log, stderr=log, timeout=LIMIT, check=False, **how)
            if done.returncode != 0:
                return "`%s` ended with %d" % (line, done.returncode)
    return None


def _start(command, folder, how, limit):
    began = time.monotonic()
    with open(os.path.join(folder, "stdout"), "wb") as out, open(os.path.join(folder, "stderr"), "wb") as err:
        child = subprocess.Popen(command, stdout=out, stderr=err, start_new_session=True, **how)
        try:
            status, late = child.wait(limit), False
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            status, late = child.wait(), True
    return {"exit": status, "late": late, "seconds": round(time.monotonic() - began, 1)}


if __name__ == "__main__":
    _inside(sys.argv[1])
