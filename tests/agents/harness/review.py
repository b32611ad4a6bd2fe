"""Reviews the hooks of Codex, as its user does in /hooks: asks Codex which there are, and notes each as
trusted. For the sandbox of a session only.
"""
import json
import os
import subprocess
import sys

REQUESTS = [
    {"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "review", "version": "1"}}},
    {"method": "initialized"},
    {"id": 2, "method": "hooks/list", "params": {"cwds": [os.getcwd()]}},
]


def main(codex):
    child = subprocess.Popen([codex, "app-server"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL)
    for request in REQUESTS:
        child.stdin.write((json.dumps(request) + "\n").encode())
    child.stdin.flush()
    hooks = []
    for line in child.stdout:
        answer = json.loads(line)
        if answer.get("id") == 2:
            hooks = answer["result"]["data"][0]["hooks"]
            break
    child.kill()
    child.wait()
    with open(os.path.join(os.environ["HOME"], ".codex", "config.toml"), "a", encoding="utf-8") as file:
        for hook in hooks:
            file.write('\n[hooks.state.%s]\ntrusted_hash = "%s"\n'
                       % (json.dumps(hook["key"]), hook["currentHash"]))
    return 0 if hooks else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
