"""Hooks for hookgate in Python. One file, no dependencies; put it beside your hook.

    import hookgate

    def guard(step):
        if "--force" in step.get("tool_input", {}).get("command", ""):
            return hookgate.deny("no force push")

    hookgate.run(guard)

The function gets the envelope as a dict and returns a verdict, or None for no opinion. The same
script serves `mode = "plain"` and `mode = "worker"`. What it prints goes to stderr.
"""

import json
import os
import sys
import traceback


def allow(**more):
    """Lets the step go on."""
    return {"decision": "allow", **more}


def ask(reason, **more):
    """Lets the user decide."""
    return {"decision": "ask", "reason": reason, **more}


def deny(reason, **more):
    """Refuses the step; the model reads the reason."""
    return {"decision": "deny", "reason": reason, **more}


def halt(reason, **more):
    """Stops the whole run."""
    return {"decision": "halt", "reason": reason, **more}


def patch(**fields):
    """Sets fields of the payload."""
    return {"patch": fields}


def context(*texts):
    """Adds texts for the model."""
    return {"context": list(texts)}


def run(hook):
    """Answers with what the hook returns: once, or as a worker until stdin ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    os.dup2(2, 1)  # A print in the hook, or in what it starts, is not part of an answer.
    sys.stdin.reconfigure(encoding="utf-8")
    sys.stdout.reconfigure(line_buffering=True)  # A worker shows at once what its hook prints.
    if os.environ.get("HOOKGATE_WORKER") == "1":
        _serve(hook, answers)
        return
    # An unfinished answer is a failure. So a process that ends too early, even by os._exit, does not
    # look like one without an opinion.
    answers.write("{")
    answers.flush()
    try:
        answer = _json(_verdict(hook(json.load(sys.stdin))))
    except SystemExit as end:
        if end.code in (None, 0):
            sys.exit("the hook called sys.exit before it answered: return a verdict, or None")
        raise
    answers.write(answer[1:])
    answers.flush()


def _serve(hook, answers):
    _write_line(answers, {"ready": 1})
    for line in sys.stdin:
        call = json.loads(line)
        try:
            answer = {"verdict": _verdict(hook(call["envelope"]))}
            _json(answer)
        except Exception as error:
            traceback.print_exc()
            answer = {"error": f"{type(error).__name__}: {error}", **_at(error, hook)}
        _write_line(answers, {"id": call["id"], **answer})


def _at(error, hook):
    """Names the innermost line of the hook's own files that led to an error, else where it begins."""
    folder = os.path.join(os.path.dirname(os.path.abspath(sys.argv[0])), "")
    code = getattr(hook, "__code__", None)
    places = [(code.co_filename, code.co_firstlineno)] if code else []
    steps = traceback.walk_tb(error.__traceback__)
    places += [(step.f_code.co_filename, line) for step, line in steps]
    for file, line in reversed(places):
        path = os.path.abspath(file)
        if path != os.path.abspath(__file__) and path.startswith(folder):
            return {"at": f"{path[len(folder):]}:{line}"}
    return {}


def _verdict(verdict):
    if verdict is None:
        return {}
    if not isinstance(verdict, dict):
        raise TypeError(f"a hook returns a verdict or None, not {type(verdict).__name__}")
    return verdict


def _write_line(answers, frame):
    answers.write(_json(frame) + "\n")
    answers.flush()


def _json(value):
    return json.dumps(value, allow_nan=False, separators=(",", ":"))
