"""A guard: reads a step on stdin, prints a verdict; `{}` is no opinion.

Try it:  echo '{"hook_event_name":"pre_tool_use","tool_name":"Bash",
                "tool_input":{"command":"sudo ls"}}' | hookgate eval
"""
import json
import sys

step = json.load(sys.stdin)
command = step["tool_input"].get("command", "")

if "sudo " in command:
    print(json.dumps({"decision": "deny", "reason": "no sudo here"}))
else:
    print("{}")
# Also: {"decision": "ask", "reason": "…"}, {"context": ["text for the model"]}.
# `hookgate schema verdict` shows all of it; `hookgate events pre_tool_use` what is legal here.
