"""A server of MCP with one tool, which finds credentials. It needs nothing but Python."""

import json
import re
import sys

CREDENTIALS = {
    "the key of an AWS account": r"\bAKIA[0-9A-Z]{16}\b",
    "a token of GitHub": r"\bgh[pousr]_[0-9A-Za-z]{36,}\b",
    "a private key": r"-----BEGIN [A-Z ]*PRIVATE KEY-----",
}
TOOL = {
    "name": "find_credentials",
    "description": "Denies input with credentials in it",
    "inputSchema": {"type": "object", "required": ["input"]},
}


def find_credentials(arguments):
    """Returns the verdict as JSON. The reason never quotes what was found."""
    text = json.dumps(arguments["input"], ensure_ascii=False)
    found = [name for name, pattern in CREDENTIALS.items() if re.search(pattern, text)]
    if not found:
        return {}
    return {"decision": "deny", "reason": f"the input holds what looks like {', '.join(found)}"}


def answer(method, params):
    if method == "initialize":
        info = {"name": "credentials", "version": "1"}
        return {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": info}
    if method == "ping":
        return {}
    if method == "tools/list":
        return {"tools": [TOOL]}
    if method == "tools/call" and params["name"] == TOOL["name"]:
        verdict = json.dumps(find_credentials(params["arguments"]))
        return {"content": [{"type": "text", "text": verdict}]}
    raise ValueError(f"not known: {method}")


for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    reply = {"jsonrpc": "2.0", "id": message["id"]}
    try:
        reply["result"] = answer(message["method"], message.get("params", {}))
    except (KeyError, ValueError) as error:
        reply["error"] = {"code": -32602, "message": str(error)}
    print(json.dumps(reply), flush=True)
