"""A model that follows a script: it asks for its shell commands one after the other, and then it is done.

It listens on the loopback. A request that offers no shell is an errand of the agent (a title, a summary)
and gets a short text. Below `/judge` it answers as a judge that allows all.
"""
import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from . import wires

#: The tools that run a shell command: their names, and the argument that takes the command.
SHELLS = {
    "exec_command": "cmd",
    "shell_command": "command",
    "shell": "command",
    "run_shell_command": "command",
    "bash": "command",
    "Bash": "command",
    "run_commands": "commands",
    "execute_command": "command",
}
#: Values for arguments that a tool insists on and that do not matter here.
ANY = {"boolean": False, "integer": 1, "number": 1, "array": [], "object": {}}


def filler(schema):
    """Returns some value that a schema takes."""
    choices = schema.get("enum")
    return choices[0] if choices else ANY.get(schema.get("type"), "scripted")


def shell_call(tools, command, number):
    """Returns the call of the agent's own shell tool, or None if it offers none. `number` tells calls apart."""
    for name, argument in SHELLS.items():
        if name not in tools:
            continue
        properties = tools[name].get("properties") or {}
        takes_list = (properties.get(argument) or {}).get("type") == "array"
        arguments = {required: filler(properties.get(required) or {})
                     for required in tools[name].get("required") or []}
        # Of a list it is either the words of one command, or a list of commands.
        words = [command] if argument == "commands" else ["bash", "-c", command]
        arguments[argument] = words if takes_list else command
        return name, arguments, number
    return None


def allow(body):
    """Returns the answer of a judge that allows what it is asked about."""
    nonce = re.search(r"The nonce of this question: (\w+)", json.dumps(body)).group(1)
    return json.dumps({"nonce": nonce, "decision": "allow", "reason": "nothing against it"})


class Model:
    """The server; `asked` is for how many commands it asked, `told` is what it heard of them, and `judged` counts
    what it was asked as a judge."""

    def __init__(self, commands):
        self.commands = commands
        self.asked = 0
        self.judged = 0
        self.told = []
        self.requests = []
        self.lock = threading.Lock()
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_args):
                pass

            def do_GET(self):
                self._send("application/json", json.dumps({"object": "list", "data": []}))

            def do_POST(self):
                try:
                    body = json.loads(self._body() or b"{}")
                except ValueError:
                    body = {}
                kind, text = model.answer(self.path.partition("?")[0], body)
                self._send(kind, text, 200 if kind else 404)

            def _body(self):
                if "chunked" not in self.headers.get("Transfer-Encoding", ""):
                    return self.rfile.read(int(self.headers.get("Content-Length") or 0))
                whole = b""
                while True:
                    size = int(self.rfile.readline().strip() or b"0", 16)
                    whole += self.rfile.read(size)
                    self.rfile.readline()
                    if size == 0:
                        return whole

            def _send(self, kind, text, status=200):
                data = text.encode()
                self.send_response(status)
                self.send_header("Content-Type", kind or "text/plain")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                try:
                    self.wfile.write(data)
                except OSError:
                    pass  # The agent was killed in the meantime.

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def answer(self, path, body):
        """Returns the type and the text of a reply; an empty type is no such page."""
        wire = next((wire for wire in wires.ALL if path.endswith(wire.ends)), None)
        with self.lock:
            self.requests.append({"path": path, "wire": wire.__name__ if wire else None})
            if path.startswith("/judge/"):
                self.judged += 1
                return wire.reply(body, path, None, allow(body))
            if wire is None:
                return ("application/json", '{"totalTokens": 9}') if path.endswith(":countTokens") else ("", "")
            made = wire.calls(body)
            command = self.commands[min(made, len(self.commands) - 1)]
            call = shell_call(wire.tools(body), command, made + 1)
            if call is None:
                return wire.reply(body, path, None, "an errand")
            self.told = wire.results(body) or self.told
            if made >= len(self.commands):
                return wire.reply(body, path, None, "finished")
            self.asked = max(self.asked, made + 1)
            return wire.reply(body, path, call, None)
