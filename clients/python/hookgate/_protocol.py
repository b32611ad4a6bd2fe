"""What goes over the wire, whichever way it is sent and awaited."""

from __future__ import annotations

import json
from typing import Any, Dict, Iterable, List, Mapping, NoReturn, Optional

from ._errors import Answered, Asked, Denied, Halted, Refused
from ._permit import Permit

PROTOCOL = 1
VERSION = "0.1.0"

#: What this package does if a verdict asks for it: everything but showing context to the model, which is up to the host.
ENFORCES = ("deny", "ask", "halt", "patch", "answer")

#: How much longer than the server the client waits: the answer of the server says more.
GRACE = 0.25


def check_lost(lost: str) -> None:
    if lost != "deny":
        raise ValueError("`lost` says what a lost server means, and only \"deny\" is possible")


#: The longest line that a server reads, in bytes.
LONGEST = 16 << 20


def hello(events: Iterable[str], enforces: Iterable[str], accept: Iterable[str]) -> Dict[str, Any]:
    return {
        "protocol": PROTOCOL,
        "client": {"name": "hookgate-python", "version": VERSION},
        "events": sorted(set(events)),
        "enforces": sorted(set(enforces)),
        "accept_unenforced": sorted(set(accept)),
    }


def frame(number: int, method: str, params: Mapping[str, Any]) -> bytes:
    request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    try:
        text = json.dumps(request, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
        # Half a surrogate pair is a text in Python, and none anywhere else.
        line = text.encode("utf-8") + b"\n"
    except (TypeError, ValueError, RecursionError) as error:
        raise Refused(f"the step is no JSON: {error}", "invalid_step") from error
    if len(line) > LONGEST:
        # The server could not say to which request it says no.
        raise Refused("the step is larger than 16 MiB", "too_large")
    return line


def parse(line: bytes) -> Dict[str, Any]:
    """Reads a response. What is none raises `ValueError`: the stream cannot be trusted any more."""
    response = json.loads(line.decode("utf-8"), object_pairs_hook=_unique)
    if not isinstance(response, dict) or response.get("jsonrpc") != "2.0":
        raise ValueError("a line of the server is no response")
    if "id" in response and response["id"] is None:
        # One of the requests will never be answered, and nobody knows which.
        raise ValueError("the server could not read a request")
    return response


def _unique(pairs: List[Any]) -> Dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice")
    return found


def result(response: Mapping[str, Any]) -> Dict[str, Any]:
    """Returns the result of a response, or raises what it refuses for."""
    error = response.get("error")
    if error is None and isinstance(response.get("result"), dict):
        return dict(response["result"])
    if not isinstance(error, dict):
        raise Refused("the response of the server has neither a result nor an error")
    data = error.get("data")
    data = data if isinstance(data, dict) else {}
    raise Refused(str(error.get("message")), str(data.get("name")), data.get("more"))


def permit(judged: Mapping[str, Any], session: Any, answer: Any = None) -> Permit:
    """Returns the permit of a step that goes on. Everything else is raised, also what is not understood, and that a step
    goes on which the person has refused."""
    verdict, report = judged.get("verdict"), judged.get("report")
    if not isinstance(report, dict):
        raise Refused("the verdict has no record")
    if verdict in ("pass", "allow"):
        if report.get("decision") != "allow" or isinstance(answer, dict) and "reject" in answer:
            raise Refused("the server lets a step go on that was refused")
        step = judged.get("step")
        if not isinstance(step, dict):
            raise Refused("the verdict has no step that could run")
        return Permit(step, report)
    _raise(verdict, judged, report, session)


def _raise(verdict: Any, judged: Mapping[str, Any], report: Dict[str, Any], session: Any) -> NoReturn:
    reason = report.get("reason") or str(verdict)
    if verdict == "ask" and isinstance(judged.get("question"), dict):
        raise Asked(reason, dict(judged["question"]), report, session)
    if verdict == "halt":
        raise Halted(reason, report)
    if verdict == "answered":
        raise Answered(report.get("answer"), report)
    if verdict in ("deny", "cancelled"):
        raise Denied(reason, report)
    raise Refused(f"the server has said `{verdict}`, which is no verdict")


def tool_step(
    name: str, arguments: Any, tool_use_id: Optional[str], more: Mapping[str, Any]
) -> Dict[str, Any]:
    step = {"hook_event_name": "pre_tool_use", "tool_name": name, "tool_input": arguments, **more}
    if tool_use_id is not None:
        step["tool_use_id"] = tool_use_id
    return step


class Added:
    """The hooks that sessions have added, for a server that was started again."""

    def __init__(self) -> None:
        self._of: Dict[str, Dict[str, Any]] = {}

    def note(self, session: str, hooks: Iterable[Mapping[str, Any]], disable: Iterable[str]) -> None:
        of = self._of.setdefault(session, {})
        for hook_id in disable:
            of.pop(hook_id, None)
        for hook in hooks:
            of.pop(str(hook["id"]), None)
            of[str(hook["id"])] = dict(hook)

    def forget(self, session: str) -> None:
        self._of.pop(session, None)

    def requests(self) -> List[Dict[str, Any]]:
        return [{"session": session, "hooks": list(of.values())} for session, of in self._of.items() if of]
