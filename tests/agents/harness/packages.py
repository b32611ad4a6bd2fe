"""The pinned agents: fetched from the npm registry once, kept in a cache."""
import json
import os
import shutil
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
CACHE = os.environ.get("HOOKGATE_AGENTS") or os.path.expanduser("~/.cache/hookgate-agents")
#: What the agents that are written in JavaScript run on.
NODE = "node"
#: Seconds for one package.
LIMIT = 300


def pins():
    """Returns the pinned packages by the names of their agents."""
    with open(os.path.join(HERE, os.pardir, "versions.json"), encoding="utf-8") as file:
        return json.load(file)


def folder(name):
    """Returns the folder in which the package of an agent is installed."""
    return os.path.join(CACHE, name)


def program(name, *path):
    """Returns a path below `node_modules` of an agent."""
    return os.path.join(folder(name), "node_modules", *path)


def version(name):
    """Returns the pinned version of an agent."""
    return pins()[name]["package"].rpartition("@")[2]


def is_there(name):
    """Tells whether exactly the pinned version is installed, to its last file."""
    package, _, wanted = pins()[name]["package"].rpartition("@")
    # npm writes this list of files last.
    if not os.path.exists(program(name, ".package-lock.json")):
        return False
    try:
        with open(program(name, *package.split("/"), "package.json"), encoding="utf-8") as file:
            return json.load(file)["version"] == wanted
    except (OSError, ValueError, KeyError):
        return False


def fetch(name):
    """Installs one package. Returns an error, or None."""
    if is_there(name):
        return None
    at = folder(name)
    shutil.rmtree(at, ignore_errors=True)
    os.makedirs(at)
    with open(os.path.join(at, "package.json"), "w", encoding="utf-8") as file:
        json.dump({"name": "hookgate-tests-" + name, "private": True}, file)
    command = ["npm", "install", "--no-audit", "--no-fund", "--loglevel=error", "--save-exact",
               pins()[name]["package"]]
    began = time.monotonic()
    try:
        done = subprocess.run(command, cwd=at, timeout=LIMIT, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    except FileNotFoundError:
        return "the program npm is not installed"
    except subprocess.TimeoutExpired:
        return "npm took more than %d s" % LIMIT
    if done.returncode != 0 or not is_there(name):
        return done.stdout.decode("utf-8", "replace")[-1500:].strip() or "npm failed"
    print("fetched %-8s %s in %.0f s" % (name, version(name), time.monotonic() - began), flush=True)
    return None


class Fetching:
    """Fetches packages in the background, the first ones first."""

    def __init__(self, names):
        self.pool = ThreadPoolExecutor(max_workers=3)
        self.running = {name: self.pool.submit(fetch, name) for name in [NODE] + list(names)}

    def wait(self, name):
        """Waits for one package. Returns an error, or None."""
        return self.running[name].result()


def registry_answers():
    """Tells whether the npm registry can be reached at all."""
    try:
        done = subprocess.run(["npm", "ping", "--fetch-retries=1", "--fetch-timeout=20000"],
                              timeout=60, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
