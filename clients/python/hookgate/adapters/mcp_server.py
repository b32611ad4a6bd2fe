"""hookgate in an MCP server of the Python SDK: a middleware, `MCPServer("name", middleware=[Hookgate(gate, session)])`. A
question goes to the user of the client, as an elicitation.

It stands last in `middleware`: what stands after it could change what was judged. There is no run here that a halt could end
and no prompt: the server of hookgate refuses such guards, or makes their halt a deny."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, Callable, Dict, Iterable, Mapping, Optional, Union

from mcp import types
from mcp.shared.exceptions import MCPError

from .._errors import Answered, Asked, Denied, NotCleared
from .._permit import Permit
from ._steps import Ask, Gate, Session, Steps
from ._values import content, text, told, withheld

CLAIMS = {"events": ("pre_tool_use", "post_tool_use"), "enforces": ("deny", "ask", "patch", "answer")}

#: What the state of a call begins with that waits for our question.
OURS = "hookgate:"
SCHEMA: Dict[str, Any] = {
    "type": "object",
    "properties": {"approve": {"type": "boolean", "title": "Approve", "description": "Whether it may happen"}},
    "required": ["approve"],
}
Params = Dict[str, Any]


class Hookgate:
    """The middleware. `session` is a name, or says it of the context of the request."""

    def __init__(
        self, gate: Gate, session: Union[str, Callable[[Any], str]], *, ask: Optional[Ask] = None, also: Iterable[str] = ()
    ) -> None:
        self._steps = Steps(gate, session, CLAIMS, ask, also)

    async def __call__(self, ctx: Any, call_next: Callable[[Any], Any]) -> Any:
        """Has a call of a tool judged, and gives the server what was judged."""
        if ctx.method != "tools/call":
            return await call_next(ctx)
        params: Params = dict(ctx.params or {})
        session = self._steps.session(ctx)
        try:
            proposed = (params["name"], params.get("arguments") or {})
            step: Any = session.tool(*proposed, tool_use_id=f"{ctx.request_id}")
            was_asked = str(params.get("requestState") or "").startswith(OURS)
            if was_asked:
                step = self._answered(session, proposed, params)
            try:
                return await self._run(step, ctx, params, call_next, session)
            except Asked as asked:
                if was_asked:
                    raise Denied(f"another question than the one that was answered ({asked.reason})") from None
                given = await self._elicit(ctx, proposed, asked)
                if not isinstance(given, types.ElicitResult):
                    return _wire(given)
                answer = _answer(asked, given.model_dump(mode="json"))
                return await self._run(answer, ctx, params, call_next, session)
        except Answered as answered:
            value = content(answered.answer)  # What follows it is for a tool that has said what it gives.
            structured = value if isinstance(value, dict) else {"result": value}
            return _wire(types.CallToolResult(content=[_block(text(value))], structured_content=structured))
        except NotCleared as error:
            return _error(told(error))
        except (KeyError, TypeError):
            return _error("denied: the call cannot be read")

    async def _run(self, step: Any, ctx: Any, params: Params, call_next: Callable[[Any], Any], session: Session) -> Any:
        async with self._steps.cleared(step) as permit:
            given = {**params, "arguments": permit.input}
            result = await permit.run(lambda _: call_next(replace(ctx, params=given)))
            result = result if isinstance(result, dict) else _wire(result)
            if result.get("resultType") == "input_required":
                return result  # The tool asks for something itself: it has not run yet.
            return await self._judged(result, session, permit)

    async def _judged(self, result: Dict[str, Any], session: Session, permit: Permit) -> Any:
        blocks, structured = result.get("content", []), result.get("structuredContent")
        shown: Any = "\n".join(one["text"] for one in blocks) if all(one.get("type") == "text" for one in blocks) else blocks
        is_wrapped = structured == {"result": shown}
        output = shown if structured is None or is_wrapped else {"content": shown, "structuredContent": structured}
        try:
            after = await self._steps.output(session, permit, output, bool(result.get("isError")))
        except NotCleared as denied:
            return _error(withheld(denied.reason))
        new = after["tool_response"]
        if new is output:
            return result
        rewritten = {**result, "content": [{"type": "text", "text": text(new)}]}
        rewritten.pop("structuredContent", None)
        return {**rewritten, "structuredContent": {"result": new}} if is_wrapped else rewritten

    async def _elicit(self, ctx: Any, proposed: Any, asked: Asked) -> Any:
        """Asks the user of the client: at once, or with the next request of the protocol that goes in rounds."""
        able = ctx.session.client_capabilities
        if able is None or able.elicitation is None:
            raise Denied(f"{asked.reason} (the client can ask nobody)")
        step = asked.step
        message = f"{asked.reason}\n{step['tool_name']} {json.dumps(step['tool_input'], ensure_ascii=False)}"
        if ctx.protocol_version >= "2026-07-28":
            form = types.ElicitRequestFormParams(message=message, requested_schema=SCHEMA)
            state = OURS + json.dumps({"question": asked.question, "proposed": proposed})
            return types.InputRequiredResult(input_requests={"hookgate": types.ElicitRequest(params=form)}, request_state=state)
        try:
            return await ctx.session.elicit_form(message, SCHEMA, related_request_id=ctx.request_id)
        except MCPError as error:
            raise Denied(f"{asked.reason} (the client has asked nobody: {error})") from error

    def _answered(self, session: Session, proposed: Any, params: Params) -> Any:
        """The step that a client comes back with. Its state is sealed by the SDK and the question signed by hookgate."""
        state = json.loads(params.pop("requestState")[len(OURS) :])
        given: Mapping[str, Any] = (params.pop("inputResponses", None) or {}).get("hookgate") or {}
        if state["proposed"] != list(proposed):
            raise Denied("the answer is one to the question of another call")
        return _answer(Asked("", state["question"], {}, session), given)


def _answer(asked: Asked, given: Mapping[str, Any]) -> Any:
    is_yes = given.get("action") == "accept" and (given.get("content") or {}).get("approve") is True
    return asked.approve() if is_yes else asked.reject("the user has refused it")


def _block(said: str) -> types.TextContent:
    return types.TextContent(type="text", text=said)


def _wire(result: Any) -> Dict[str, Any]:
    return dict(result.model_dump(mode="json", by_alias=True, exclude_none=True))


def _error(said: str) -> Dict[str, Any]:
    return _wire(types.CallToolResult(content=[_block(said)], is_error=True))
