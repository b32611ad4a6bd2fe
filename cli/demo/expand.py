"""Writes shortcuts out, so that the guards judge what will really run."""
import json
import sys

SHORTCUTS = {
    "git st": "git status --short --branch",
    "git pf": "git push --force origin HEAD",
    "make test": "cargo test --workspace --quiet",
}

tool_input = json.load(sys.stdin)["tool_input"]
command = SHORTCUTS.get(tool_input["command"])
if command:
    print(json.dumps({"patch": {"tool_input": {**tool_input, "command": command}}}))
else:
    print("{}")
