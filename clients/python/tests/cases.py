"""Has the steps of a file judged and prints what came of each, a line of JSON for each: `python3 -m tests.cases PROGRAM
CONFIG STEPS`. `cli/tests/serve/same_verdicts.rs` compares it with every other way to the engine."""

import json
import sys

import hookgate

ALL = ("deny", "ask", "halt", "patch", "answer", "context")


def outcome(session, step):
    try:
        with session.step(step) as permit:
            verdict = "allow" if permit.report["by"] else "pass"
            return {"verdict": verdict, "step": permit.payload, "report": permit.report}
    except hookgate.Refused as refused:
        if refused.name != "only_observed":
            raise
        return session.observe(step)
    except hookgate.NotCleared as error:
        words = {hookgate.Asked: "ask", hookgate.Halted: "halt", hookgate.Answered: "answered"}
        # What was cancelled is denied, too.
        denied = "cancelled" if error.report["decision"] == "cancelled" else "deny"
        verdict = words.get(type(error), denied)
        return {"verdict": verdict, "step": None, "report": error.report}


def main(program, config, steps):
    with open(steps, encoding="utf-8", newline="\n") as lines:
        steps = [json.loads(line) for line in lines]
    events = {step["hook_event_name"] for step in steps}
    with hookgate.spawn(config, events=events, enforces=ALL, program=program) as gate:
        for step in steps:
            print(json.dumps(outcome(gate.session(step["session_id"]), step)))


if __name__ == "__main__":
    main(*sys.argv[1:])
