"""A guard: it gets each step, and returns a verdict, or nothing for no opinion.

Try it:  echo '{"hook_event_name":"pre_tool_use","tool_name":"Bash",
                "tool_input":{"command":"sudo ls"}}' | hookgate eval --hook python-guard --trace
"""
import hookgate


def guard(step):
    command = step["tool_input"].get("command", "")
    if "sudo " in command:
        return hookgate.deny("no sudo here")
    # Also: hookgate.ask("…"), hookgate.context("text for the model").
    # `hookgate schema verdict` shows all of it; `hookgate events pre_tool_use` what is legal here.


hookgate.run(guard)
