#!/usr/bin/env python3
"""No force push, no removal outside the project, no secrets in files."""

import re

import hookgate

FORCE_PUSH = re.compile(r"\bgit\s+push\b.*(\s--force\b|\s-f\b)")
REMOVAL = re.compile(r"\brm\s+(-\w+\s+)*(/|~|\.\.)")
SECRET = re.compile(r"AKIA[0-9A-Z]{16}|-----BEGIN [A-Z ]*PRIVATE KEY-----")


def guard(step):
    name, given = step["tool_name"], step["tool_input"]
    if name == "Bash" and FORCE_PUSH.search(given.get("command", "")):
        return hookgate.deny("force push is not allowed: push to a branch of your own")
    if name == "Bash" and REMOVAL.search(given.get("command", "")):
        return hookgate.ask("this removes files outside the project")
    if name == "Write" and SECRET.search(given.get("content", "")):
        return hookgate.deny("the file would hold a secret: read it from the environment")


hookgate.run(guard)
