"""The rows of the table: what is installed, what is broken, and what must come of it."""
import textwrap

#: What the deny of the policy says; the model must hear it.
REASON = "canary.txt is forbidden here"
#: What doctor says where hookgate cannot work.
CLOSED = "everything is denied at"
#: What it says where a hook has a mistake.
SET_ASIDE = "what it is about is denied at"
BLOCKED = "blocked"
REWRITTEN = "rewritten"
RAN = "RAN"


def _policy(body):
    return textwrap.dedent("""\
        version = 1

        [[hook]]
        id = "no-canary"
        event = "pre_tool_use"
        %s
        """) % body


DENY = _policy('writes = ["**/canary.txt"]\nbuiltin = { name = "deny", reason = "%s" }' % REASON)
ASK = _policy('writes = ["**/canary.txt"]\nbuiltin = { name = "ask", reason = "may it?" }')
REWRITE = _policy('builtin = { name = "rewrite", regex = "echo ran > canary", replace = "echo no > rewritten", '
                  'pointer = "POINTER" }')
BROKEN = _policy('builtin = { name = "denny" }')
#: Judges of which none ever answers.
SLEEPING = _policy('command = { argv = ["sleep", "60"] }\ntimeout = "40s"')
SUICIDAL = _policy('command = { shell = "kill -9 $$" }')

#: What remembers from one process to the next: each event starts a process of its own.
LIMIT = _policy('writes = ["**/canary.txt"]\nbuiltin = { name = "limit", of = "calls", over = 1, then = "deny" }')
BUDGET = _policy('writes = ["**/canary.txt"]\nprompt = { model = "script", base_url = "JUDGE", prompt = "may it?", '
                 'cache = false, budget = { session = { calls = 2 } } }')

#: The program that some rows install, and what it leads to: that is what they break.
PROGRAM = '"$(dirname "$HOME")/spare/hookgate"'
TARGET = '"$(dirname "$HOME")/spare/target"'


def _replaced_by(script):
    """Returns the commands that put a script in the place of hookgate."""
    return ["rm " + TARGET, "printf '#!/bin/sh\\n%s\\n' > %s" % (script, TARGET), "chmod +x " + TARGET]


class Row:
    """One row.

    With `gate` hookgate is called at the event before a tool only: else it would refuse the prompt, and the
    tool would not come up. `asks` tells that the agent may wait for its user.
    `expect` is what becomes of the command, `doctor` how `hookgate doctor` must end before the session, and
    `says` what it must say there. `times` is how often the model asks. `faults` are shell commands after the installation, `told` is what the
    model must hear.
    """

    def __init__(self, name, policy=DENY, flags="", faults=(), expect=BLOCKED, install=True, review=True,
                 gate=False, asks=False, doctor=None, says=None, told=None, only=None, times=1):
        self.name = name
        self.policy = policy
        self.flags = flags
        self.faults = list(faults)
        self.expected = expect
        self.install = install
        self.review = review
        self.gate = gate
        self.asks = asks
        self.doctor = doctor
        self.says = says
        self.told = told
        self.only = only
        self.times = times

    def is_about(self, agent):
        return self.only is None or self.only == agent

    def expect(self, agent):
        """Returns the one verdict that is right for an agent."""
        return agent.rewrite if self.expected == REWRITTEN else self.expected

    def policy_for(self, agent):
        """Returns the text of hooks.toml, or None."""
        return self.policy and self.policy.replace("POINTER", agent.pointer)

    def commands(self, agent):
        """Returns the shell commands before the session."""
        lines = []
        if self.install:
            lines.append("hookgate install --agent %s --yes --bin %s %s %s"
                         % (agent.name, PROGRAM, agent.at_gate if self.gate else "", self.flags))
            if self.gate:
                lines.extend(agent.narrow(PROGRAM, TARGET))
            if self.review:
                lines.extend(agent.review)
        lines.extend(self.faults)
        if self.doctor is not None or self.says:
            end = "true" if self.doctor is None else "test $? -eq %d" % self.doctor
            lines.append('hookgate doctor --agent %s --json > "$(dirname "$HOME")/doctor"; %s' % (agent.name, end))
        return lines

    def mistake(self, agent, session):
        """Returns what is wrong with a session, or None."""
        verdict, wanted = session.verdict(), self.expect(agent)
        if verdict != wanted:
            why = session.trouble or "exit %s%s" % (session.exit, ", too late" if session.late else "")
            return "%s in place of %s (%s)" % (verdict, wanted, why)
        if session.late and not (self.asks and agent.waits):
            return "the session did not end"
        if self.told and agent.tells and self.told not in session.told:
            return "the model was not told `%s` but `%s`" % (self.told, session.told[:300])
        if self.says and self.says not in session.doctor:
            return "doctor does not say `%s` but `%s`" % (self.says, session.doctor[:2000])
        return None


#: What every agent must obey.
ROWS = [
    # Without a hook it runs: else the other rows would prove nothing.
    Row("no hook", policy=None, install=False, expect=RAN),
    Row("allowed", policy=_policy('tool = "none-of-these"\nbuiltin = { name = "deny", reason = "no" }'), expect=RAN),
    Row("deny", told=REASON, doctor=0),
    Row("ask", policy=ASK, asks=True),
    Row("rewrite", policy=REWRITE, expect=REWRITTEN),
    Row("limit of one, three calls", policy=LIMIT, times=3, expect="1 of 3"),
    Row("judge with a budget of two, three calls", policy=BUDGET, times=3, expect="2 of 3"),
    Row("broken config", gate=True, policy=BROKEN, says=SET_ASIDE),
    Row("no config", gate=True, policy=None, says=CLOSED),
    Row("killed judge", policy=SUICIDAL),
    Row("sleeping judge", policy=SLEEPING, flags="--seconds 2"),
    Row("missing program", gate=True, faults=["rm " + TARGET], says=CLOSED),
    Row("killed program", gate=True, faults=_replaced_by("kill -9 $$")),
    Row("crashing program", gate=True, faults=_replaced_by("exit 101")),
    Row("hanging program", gate=True, flags="--seconds 1", faults=_replaced_by("exec sleep 60")),
]


def _edit(file, old, new):
    """Returns a command that replaces a text in a file of the home folder, and fails if it is not there."""
    program = ("import os, sys; path = os.path.join(os.environ['HOME'], sys.argv[1]); text = open(path).read(); "
               "assert sys.argv[2] in text, text; open(path, 'w').write(text.replace(sys.argv[2], sys.argv[3], 1))")
    quoted = " ".join("'%s'" % argument.replace("'", "'\\''") for argument in (program, file, old, new))
    return "python3 -c " + quoted


def _open(agent, name, says, faults=(), **more):
    """A row in which the agent itself lets everything pass: nothing that hookgate can do there, but `doctor`
    says so beforehand."""
    return Row("open: " + name, faults=faults, expect=RAN, doctor=more.pop("doctor", 2), says=says, only=agent, **more)


#: What the agents do not let a hook decide, and the sentence of `hookgate doctor` about it.
OPEN_ROWS = [
    _open("codex", "nobody reviewed the hooks", "were not reviewed: Codex skips them", review=False),
    _open("codex", "features.hooks = false", "switched off by `features.hooks`",
          [_edit(".codex/config.toml", "[analytics]", "[features]\nhooks = false\n\n[analytics]")]),
    _open("codex", "a comma too many", "runs no hook of this file",
          [_edit(".codex/hooks.json", '"hooks": {', '"hooks": {"x": [1,],')]),
    _open("gemini", "hooksConfig.enabled = false", "switched off by `hooksConfig.enabled`",
          [_edit(".gemini/settings.json", '"telemetry"', '"hooksConfig": {"enabled": false}, "telemetry"')]),
    _open("gemini", "the event in another case", "there is no event `beforetool`",
          [_edit(".gemini/settings.json", '"BeforeTool"', '"beforetool"')]),
    _open("qwen", "disableAllHooks", "switched off by `disableAllHooks`",
          [_edit(".qwen/settings.json", '"telemetry"', '"disableAllHooks": true, "telemetry"')]),
    _open("qwen", "a handler without a type", "has no `type`",
          [_edit(".qwen/settings.json", '"name": "hookgate-PreToolUse",\n            "type": "command"',
                 '"name": "hookgate-PreToolUse"')]),
    _open("copilot", "version 2", "`version` is 2",
          [_edit(".copilot/hooks/hookgate.json", '"version": 1', '"version": 2')]),
    _open("copilot", "a folder that is not trusted", "skips the hooks of a folder that is not trusted",
          flags="--project", doctor=0),
    _open("opencode", "a plugin that does not load", "the plugin is not what `hookgate install` wrote",
          [_edit(".config/opencode/plugin/hookgate.js", "const SECONDS", "const const SECONDS")]),
]
