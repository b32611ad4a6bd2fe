"""How each agent is set up without hooks, and how one session of it is started.

Every agent is told to run tools without asking its user, so that nothing but a hook can keep a command
from running; and to leave the network alone.
"""
import json
import os

from . import packages

HERE = os.path.dirname(os.path.abspath(__file__))
PROMPT = "please run the command"


def write(path, content):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(content if isinstance(content, str) else json.dumps(content, indent=2) + "\n")


class Agent:
    """One agent. `home` is the folder of its user, `port` that of the model."""

    name = ""
    #: What a rewrite by a hook comes to: "rewritten", or "blocked" where the agent has none.
    rewrite = "rewritten"
    #: Where the command is in what the agent's shell tool gets.
    pointer = "/command"
    #: Whether the model gets the reason of a deny: else the session ends.
    tells = True
    #: Whether a session without a terminal waits for ever if a hook wants its user to be asked.
    waits = False
    #: What makes `hookgate install` write the hook before a tool only.
    at_gate = ""
    #: Shell commands that do what its user does once hooks are installed.
    review = ()

    def login(self, _port):
        """Returns shell commands that must have run once before the first session."""
        return []

    def narrow(self, _program, _target):
        """Returns shell commands that keep other events away from `program`, where `at_gate` cannot."""
        return []

    def settings(self, home, port):
        """Writes the agent's own settings."""

    def variables(self, port):
        """Returns what the agent needs in its environment."""
        return {}

    def command(self):
        """Returns the command line of one session."""
        raise NotImplementedError

    def environment(self, home, port, folders):
        """Returns the whole environment of a session; `folders` come first in the PATH."""
        path = list(folders) + [packages.program(packages.NODE, ".bin"),
                                "/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"]
        known = {"HOME": home, "PATH": os.pathsep.join(path), "SHELL": "/bin/bash", "LANG": "C.UTF-8",
                 "TERM": "dumb", "NO_COLOR": "1", "DO_NOT_TRACK": "1"}
        known.update(self.variables(port))
        return known


class Codex(Agent):
    name = "codex"
    at_gate = "--event PreToolUse"
    review = ("python3 %s %s" % (os.path.join(HERE, "review.py"), packages.program("codex", ".bin", "codex")),)

    def settings(self, home, port):
        write(os.path.join(home, ".codex", "config.toml"), """\
# The model is a script.
model = "gpt-5.5"
model_provider = "script"
check_for_update_on_startup = false

[model_providers.script]
name = "script"
base_url = "http://127.0.0.1:%d/v1"
wire_api = "responses"
env_key = "SCRIPT_KEY"
request_max_retries = 0
stream_max_retries = 0

[analytics]
enabled = false
""" % port)

    def variables(self, port):
        return {"SCRIPT_KEY": "none"}

    def command(self):
        return [packages.program(self.name, ".bin", "codex"), "exec", "--skip-git-repo-check",
                "--dangerously-bypass-approvals-and-sandbox", PROMPT]


class Gemini(Agent):
    name = "gemini"
    at_gate = "--event BeforeTool"
    waits = True

    def settings(self, home, port):
        write(os.path.join(home, ".gemini", "settings.json"), {
            "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
            "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
            "telemetry": {"enabled": False},
            "privacy": {"usageStatisticsEnabled": False},
        })

    def variables(self, port):
        return {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": "http://127.0.0.1:%d" % port,
                "NO_BROWSER": "1"}

    def command(self):
        return [packages.program(self.name, ".bin", "gemini"), "--model", "gemini-2.5-pro", "--yolo",
                "--prompt", PROMPT]


class Qwen(Agent):
    name = "qwen"
    at_gate = "--event PreToolUse"
    rewrite = "blocked"

    def settings(self, home, port):
        write(os.path.join(home, ".qwen", "settings.json"), {
            "security": {"auth": {"selectedType": "openai"}, "folderTrust": {"enabled": False}},
            "general": {"enableAutoUpdate": False, "disableAutoUpdate": True},
            "telemetry": {"enabled": False},
            "privacy": {"usageStatisticsEnabled": False},
        })

    def variables(self, port):
        return {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": "http://127.0.0.1:%d/v1" % port,
                "OPENAI_MODEL": "script"}

    def command(self):
        return [packages.program(self.name, ".bin", "qwen"), "--yolo", "--prompt", PROMPT]


class Copilot(Agent):
    name = "copilot"
    at_gate = "--event preToolUse"

    def variables(self, port):
        return {"COPILOT_OFFLINE": "true", "COPILOT_AUTO_UPDATE": "false",
                "COPILOT_PROVIDER_BASE_URL": "http://127.0.0.1:%d/v1" % port,
                "COPILOT_PROVIDER_API_KEY": "none", "COPILOT_MODEL": "claude-sonnet-4.5"}

    def command(self):
        return [packages.program(self.name, ".bin", "copilot"), "--allow-all-tools", "--no-color",
                "--prompt", PROMPT]


class Opencode(Agent):
    name = "opencode"

    def narrow(self, program, target):
        # Its plugin is for all events.
        script = 'case "$*" in *"--event tool.execute.before"*) exec %s "$@";; esac; echo "{\\"decision\\":\\"pass\\"}"'
        return ["rm " + program, "echo '#!/bin/sh' > " + program,
                "echo '%s' >> %s" % (script % "TARGET", program),
                'sed -i "s#TARGET#%s#" %s' % (target.strip('"'), program), "chmod +x " + program]

    def settings(self, home, port):
        write(os.path.join(home, ".config", "opencode", "opencode.json"), {
            "$schema": "https://opencode.ai/config.json",
            "autoupdate": False,
            "share": "disabled",
            "model": "script/script",
            "small_model": "script/script",
            "provider": {"script": {
                "npm": "@ai-sdk/openai-compatible", "name": "script",
                "options": {"baseURL": "http://127.0.0.1:%d/v1" % port, "apiKey": "none"},
                "models": {"script": {"name": "script", "tool_call": True,
                                      "limit": {"context": 100000, "output": 4000}}}}},
            "permission": {"bash": "allow", "edit": "allow", "webfetch": "deny"},
        })
        # Beside a plugin it asks npm for a package of types, and waits for minutes if nobody answers.
        write(os.path.join(home, ".npmrc"), "offline=true\nfetch-retries=0\n")

    def variables(self, port):
        return {"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1",
                "OPENCODE_DISABLE_LSP_DOWNLOAD": "1", "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1"}

    def command(self):
        return [packages.program(self.name, ".bin", "opencode"), "run", "--format", "json",
                "--model", "script/script", PROMPT]


class Kimi(Agent):
    name = "kimi"
    rewrite = "blocked"
    at_gate = "--event PreToolUse"

    def settings(self, home, port):
        write(os.path.join(home, ".kimi-code", "config.toml"), """\
default_model = "script" # the model is a script
telemetry = false

[providers.script]
type = "openai"
base_url = "http://127.0.0.1:%d/v1"
api_key = "none"

[models.script]
provider = "script"
model = "script"
max_context_size = 100000
""" % port)

    def variables(self, port):
        return {"KIMI_DISABLE_TELEMETRY": "1", "KIMI_CODE_NO_AUTO_UPDATE": "1"}

    def command(self):
        return [packages.program(self.name, ".bin", "kimi"), "--output-format", "stream-json",
                "--prompt", PROMPT]


class Cline(Agent):
    name = "cline"
    pointer = "/commands/0"
    tells = False
    at_gate = "--event PreToolUse"

    def login(self, port):
        return ["%s auth -p openai-compatible -k none -m script -b http://127.0.0.1:%d/v1"
                % (packages.program(self.name, ".bin", "cline"), port)]

    def variables(self, port):
        return {"CLINE_TELEMETRY_DISABLED": "1", "CLINE_NO_AUTO_UPDATE": "1"}

    def command(self):
        return [packages.program(self.name, ".bin", "cline"), "--json", "--auto-approve", "true",
                "-P", "openai-compatible", "-m", "script", PROMPT]


#: Those that run if none is named.
USUAL = ("codex", "gemini", "qwen", "copilot", "opencode")
ALL = {agent.name: agent for agent in (Codex, Gemini, Qwen, Copilot, Opencode, Kimi, Cline)}
