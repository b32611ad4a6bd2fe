"""A server of MCP for tests, with nothing but the standard library.

It serves stdin and stdout, or with `--http` a port of the loopback, which it prints. What is asked of it
says how it behaves: a tool that is called with the command `hang` hangs.
"""

import json
import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

FLAGS = set(sys.argv[1:])
TOOLS = ["scan", "structured", "environment"]
INTERCEPTORS = [
    {"name": "deny-all", "type": "validation", "hooks": [{"events": ["tools/call"], "phase": "request"}]},
    {"name": "note", "type": "validation", "hook": {"events": ["*"], "phase": "both"}},
    {"name": "upper", "type": "mutation", "hook": {"events": ["*"], "phase": "both"}},
    {"name": "auditor", "type": "validation", "mode": "audit", "hook": {"events": ["*"], "phase": "both"}},
    {"name": "prompts", "type": "validation", "hook": {"events": ["prompts/get"], "phase": "both"}},
]
META = "io.modelcontextprotocol/protocolVersion"
state = {"calls": 0, "cancelled": 0, "sessions": set()}


class Error(Exception):
    """An error of the protocol."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def text(value, **more):
    value = value if isinstance(value, str) else json.dumps(value)
    return {"content": [{"type": "text", "text": value}], **more}


def deny(reason):
    return text({"decision": "deny", "reason": str(reason)})


def scan(command):
    if command == "crash":
        sys.stderr.write("the disk is full\n")
        sys.stderr.flush()
        os._exit(3)
    if command == "hang":
        time.sleep(60)
    if command == "slow":
        time.sleep(0.4)
    if command == "fail":
        return text("the database is down", isError=True)
    if command == "fail-deny":
        return text({"decision": "deny", "reason": "no"}, isError=True)
    if command == "error":
        raise Error(-32603, "it broke: s3cret-of-the-server")
    if command == "prose":
        return text("looks fine to me")
    if command == "big":
        return deny("x" * 500_000)
    if command == "pid":
        return deny(os.getpid())
    if command == "count":
        return deny(f"{state['calls']} {state['cancelled']}")
    return deny("no deletes") if command.startswith("rm") else text("{}")


def invoke(params):
    name, payload = params["name"], params["payload"]
    base = {"interceptor": name, "phase": params["phase"]}
    if name in ("deny-all", "auditor"):
        messages = [{"message": "denied by policy", "severity": "error"}]
        return {**base, "type": "validation", "valid": False, "severity": "error", "messages": messages}
    if name == "note":
        facts = json.dumps([params["event"], params["phase"], payload, params.get("config")], sort_keys=True)
        return {**base, "type": "validation", "valid": False, "messages": [{"message": facts}]}
    if name == "upper":
        def upper(value, key=None):
            if isinstance(value, dict):
                return {key: upper(inner, key) for key, inner in value.items()}
            if isinstance(value, list):
                return [upper(inner) for inner in value]
            return value.upper() if isinstance(value, str) and key not in ("name", "type") else value

        changed = upper(payload)
        return {**base, "type": "mutation", "modified": True, "payload": changed}
    raise Error(-32602, f"unknown interceptor {name}")


def answer(method, params):
    if "--stateless" in FLAGS:
        if method == "initialize":
            raise Error(-32601, "no such method")
        if META not in params.get("_meta", {}):
            raise Error(-32602, "no _meta")
    if method == "initialize":
        version = "1999-01-01" if "--old" in FLAGS else "2025-06-18"
        return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": {"name": "t", "version": "1"}}
    if method == "ping":
        return {}
    if method == "tools/list":
        # One tool a page.
        at = int(params.get("cursor", "0"))
        more = {"nextCursor": str(at + 1)} if at + 1 < len(TOOLS) else {}
        return {"tools": [{"name": TOOLS[at], "inputSchema": {"type": "object"}}], **more}
    if method == "interceptors/list":
        return {"interceptors": INTERCEPTORS}
    if method == "interceptor/invoke":
        return invoke(params)
    if method != "tools/call":
        raise Error(-32601, "no such method")
    state["calls"] += 1
    arguments = params["arguments"]
    if params["name"] == "environment":
        return deny(" ".join(sorted(os.environ)))
    if params["name"] == "structured":
        return {"content": [], "structuredContent": {"decision": "ask", "reason": json.dumps(arguments, sort_keys=True)}}
    if params["name"] != "scan":
        raise Error(-32602, "unknown tool")
    command = arguments.get("command")
    return scan(command if command is not None else arguments["envelope"]["tool_input"]["command"])


def reply(message):
    """Returns the answer to a request."""
    try:
        result = answer(message["method"], message.get("params", {}))
        return {"jsonrpc": "2.0", "id": message["id"], "result": result}
    except Error as error:
        return {"jsonrpc": "2.0", "id": message["id"], "error": {"code": error.code, "message": str(error)}}


def command_of(message):
    return message.get("params", {}).get("arguments", {}).get("command")


def write(line):
    sys.stdout.write((line if isinstance(line, str) else json.dumps(line)) + "\n")
    sys.stdout.flush()


def serve_stdio():
    if "--crash" in FLAGS:
        os._exit(4)
    if "--banner" in FLAGS:
        write("My server 1.0 is listening")
    while line := sys.stdin.readline():
        message = json.loads(line)
        if message.get("method") == "notifications/cancelled":
            state["cancelled"] += 1
        if "id" not in message or "method" not in message:
            continue
        command = command_of(message)
        if command == "chatty":
            write({"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": "one"}})
            write({"jsonrpc": "2.0", "id": "mine", "method": "ping"})
            assert json.loads(sys.stdin.readline()) == {"jsonrpc": "2.0", "id": "mine", "result": {}}
            write({"jsonrpc": "2.0", "id": 5, "method": "roots/list"})
            assert json.loads(sys.stdin.readline())["error"]["code"] == -32601
        if command == "stray":
            write({"jsonrpc": "2.0", "id": 1, "result": deny("stray")})
        if command == "print":
            write("debug: decision deny")
        if command == "cut-deny":
            whole = json.dumps(reply({**message, "params": {"name": "scan", "arguments": {"command": "rm"}}}))
            sys.stdout.write(whole[:-4])
            sys.stdout.flush()
            os._exit(0)
        write(reply(message))


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def send(self, status, body=b"", kind="application/json", **headers):
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        assert "text/event-stream" in self.headers["accept"]
        session = self.headers.get("mcp-session-id")
        if self.headers.get("authorization") != "Bearer t0ken" and "--auth" in FLAGS:
            return self.send(401)
        if message["method"] == "initialize" and "--stateless" not in FLAGS:
            session = f"session-{len(state['sessions'])}"
            state["sessions"].add(session)
            return self.send(200, json.dumps(reply(message)).encode(), mcp_session_id=session)
        if "--stateless" in FLAGS:
            if message["method"] == "initialize":
                return self.send(400, json.dumps(reply(message)).encode())
            if self.headers.get("mcp-method") != message["method"]:
                return self.send(400)
        elif session not in state["sessions"]:
            return self.send(404)
        elif self.headers.get("mcp-protocol-version") != "2025-06-18":
            return self.send(400)
        if "id" not in message:
            return self.send(202)
        command = command_of(message)
        if command == "forget":
            state["sessions"].clear()
            # It is asked again in a new session, and answers there.
            message["params"]["arguments"]["command"] = "count"
        if command == "500":
            return self.send(500, json.dumps(deny("no")).encode())
        answered = reply(message)
        if "--events" not in FLAGS:
            return self.send(200, json.dumps(answered).encode())
        note = {"jsonrpc": "2.0", "method": "notifications/progress", "params": {}}
        events = [f"event: message\ndata: {json.dumps(one)}\n\n" for one in (note, answered)]
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for event in events:
            self.wfile.write(event.encode())
            self.wfile.flush()
        # The stream stays open: the answer counts when it is there.
        if command != "close":
            time.sleep(3)
        self.close_connection = True


def serve_http():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    write(str(server.server_address[1]))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    # It ends with its parent.
    sys.stdin.read()


if __name__ == "__main__":
    serve_http() if "--http" in FLAGS else serve_stdio()
